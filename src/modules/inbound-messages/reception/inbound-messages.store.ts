import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { firstIdAt, newId } from '../../../kernel/ids.js';
import { now } from '../../../kernel/clock.js';
import { again, jsonRows, type WriteResult } from '../../../platform/database/index.js';
import type { InboundDelivery } from '../../providers/index.js';
import { ReplyState, type WholeText } from './inbound-message.js';

/** A text with everything that its words and its sender decide. */
export interface DecidedText extends WholeText {
  id: number;
  /** 0 = the operator's */
  accountId: number;
  keyword: string | null;
  campaignId: number | null;
  seq: number | null;
  /** milliseconds until the owner is looked for again; null = decided */
  ownerWaitMs: number | null;
  reply: string | null;
  replyState: ReplyState;
  receivedAt: Date;
}

export type UnownedText = WholeText & Pick<DecidedText, 'id' | 'receivedAt'>;

const FINGERPRINTS = `JSON_TABLE(?, '$[*]' COLUMNS (
  fingerprint CHAR(43) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]', sequence BIGINT UNSIGNED PATH '$[1]',
  lasts INT UNSIGNED PATH '$[2]', is_another INT PATH '$[3]')) j`;

/** Within this time a text with a reply counts for `looksAutomatic`. */
const AUTOMATIC_MS = 10 * 60_000;
const AUTOMATIC_FROM = 3;
const MOST_AT_ONCE = 200;

/** Inbound texts as written. */
@Injectable()
export class InboundMessageStore {
  /**
   * Claims deliveries with distinct fingerprints. A delivery is a repetition if an equal one has the same sequence, or was not
   * acknowledged and may still be repeated. @returns fingerprints of the others
   */
  async claim(tx: EntityManager, deliveries: readonly InboundDelivery[]): Promise<ReadonlySet<string>> {
    if (deliveries.length === 0) return new Set();
    const claim = newId();
    const rows = deliveries
      .toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))
      .map(({ fingerprint, sequence, repeatableMs, isAnother }) => [
        fingerprint,
        sequence,
        repeatableMs,
        isAnother ? 1 : 0,
      ]);
    // Assignments see the ones before them: the claim comes first and decides the others.
    await tx.query(
      `INSERT INTO inbound_deliveries (fingerprint, claim, sequence, acknowledged, repeatable_until)
       SELECT j.fingerprint, ?, j.sequence, j.is_another, UTC_TIMESTAMP(3) + INTERVAL j.lasts * 1000 MICROSECOND
       FROM ${FINGERPRINTS}
       ON DUPLICATE KEY UPDATE
         claim = IF(repeatable_until > UTC_TIMESTAMP(3)
           AND (inbound_deliveries.sequence <=> VALUES(sequence) AND VALUES(sequence) IS NOT NULL
             OR (inbound_deliveries.acknowledged = 0 AND VALUES(acknowledged) = 0)), claim, VALUES(claim)),
         sequence = IF(claim = VALUES(claim), VALUES(sequence), inbound_deliveries.sequence),
         acknowledged = IF(claim = VALUES(claim), 0, inbound_deliveries.acknowledged),
         repeatable_until = IF(claim = VALUES(claim), VALUES(repeatable_until), repeatable_until)`,
      [claim, jsonRows(rows)],
    );
    if (deliveries.some(({ isAnother }) => isAnother))
      await tx.query('UPDATE inbound_deliveries SET acknowledged = 0 WHERE fingerprint IN (?) AND claim = ?', [
        deliveries.map(({ fingerprint }) => fingerprint),
        claim,
      ]);
    const taken: { fingerprint: string }[] = await tx.query(
      'SELECT fingerprint FROM inbound_deliveries WHERE fingerprint IN (?) AND claim = ?',
      [deliveries.map(({ fingerprint }) => fingerprint), claim],
    );
    return new Set(taken.map(({ fingerprint }) => fingerprint));
  }

  async insert(tx: EntityManager, texts: readonly DecidedText[]): Promise<void> {
    if (texts.length === 0) return;
    await tx.query(
      `INSERT INTO inbound_messages (id, route_id, account_id, sender, recipient, text, encoding, parts, incomplete, keyword,
         campaign_id, seq, owner_due, reply, reply_due, reply_state, received_at)
       VALUES ${texts.map(() => ROW).join(', ')}`,
      texts.flatMap((text) => [
        ...[text.id, text.routeId, text.accountId, text.sender, text.recipient, text.text, text.encoding, text.parts],
        ...[text.incomplete ? 1 : 0, text.keyword, text.campaignId, text.seq],
        ...[text.ownerWaitMs === null ? null : text.ownerWaitMs * 1_000, text.reply],
        ...[text.replyState === ReplyState.Due ? 0 : null, text.replyState, text.receivedAt],
      ]),
    );
  }

  /** Whether texts of this person that wanted an answer come too often for a person. The caller holds the person's row. */
  async looksAutomatic(tx: EntityManager, accountId: number, person: string, notStored: number): Promise<boolean> {
    const since = firstIdAt(new Date(now().getTime() - AUTOMATIC_MS));
    const rows: unknown[] = await tx.query(
      `SELECT 1 FROM inbound_messages FORCE INDEX (ix_inbound_messages_sender)
       WHERE account_id = ? AND sender = ? AND id >= ? AND reply_state > 0 ORDER BY id DESC LIMIT ${AUTOMATIC_FROM - 1}`,
      [accountId, person, since],
    );
    return rows.length + notStored >= AUTOMATIC_FROM - 1;
  }

  /** Takes the one automatic answer that a person gets in 24 hours. @returns whether this text gets it */
  async takeAnswer(tx: EntityManager, accountId: number, person: string, messageId: number): Promise<boolean> {
    await tx.query(
      `INSERT INTO inbound_answers (account_id, person, message_id, answered_at) VALUES (?, ?, ?, UTC_TIMESTAMP(3))
       ON DUPLICATE KEY UPDATE
         message_id = IF(answered_at < UTC_TIMESTAMP(3) - INTERVAL 1 DAY, VALUES(message_id), message_id),
         answered_at = IF(message_id = VALUES(message_id), VALUES(answered_at), answered_at)`,
      [accountId, person, messageId],
    );
    const [row] = await tx.query<{ message_id: number }[]>(
      'SELECT message_id FROM inbound_answers WHERE account_id = ? AND person = ? LIMIT 1',
      [accountId, person],
    );
    return Number(row?.message_id) === messageId;
  }

  /** Texts whose owner is to be looked for now. */
  waiting(source: DataSource): Promise<UnownedText[]> {
    return this.unownedWhere(source, 'owner_due <= UTC_TIMESTAMP(3) ORDER BY owner_due', []);
  }

  async unowned(source: DataSource, id: number): Promise<UnownedText | null> {
    const [text] = await this.unownedWhere(source, 'id = ? AND account_id = 0', [id]);
    return text ?? null;
  }

  private async unownedWhere(source: DataSource, where: string, values: unknown[]): Promise<UnownedText[]> {
    const rows: (Omit<UnownedText, 'incomplete'> & { incomplete: number })[] = await source.query(
      `SELECT id, route_id AS routeId, sender, recipient, text, encoding, parts, incomplete, received_at AS receivedAt
       FROM inbound_messages WHERE ${where} LIMIT ${MOST_AT_ONCE}`,
      values,
    );
    return rows.map((row) => ({ ...row, incomplete: row.incomplete > 0, delivery: null, messageKey: null }));
  }

  /** Looks for the owners of these texts again later, in growing intervals; after `patienceMs` they are the operator's. */
  async waitOn(source: DataSource, ids: readonly number[], patienceMs: number): Promise<void> {
    if (ids.length === 0) return;
    await source.query(
      again(`UPDATE inbound_messages SET owner_due = IF(received_at < UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND, NULL,
         UTC_TIMESTAMP(3) + INTERVAL GREATEST(500000, TIMESTAMPDIFF(MICROSECOND, received_at, UTC_TIMESTAMP(3)) DIV 2) MICROSECOND)
       WHERE id IN (?) AND account_id = 0`),
      [patienceMs * 1_000, ids.toSorted((a, b) => a - b)],
    );
  }

  /** Gives a text that waits for its owner to the account. @returns false when another process did, or it waits no more */
  async own(tx: EntityManager, text: DecidedText): Promise<boolean> {
    const { affectedRows } = await tx.query<WriteResult>(
      `UPDATE inbound_messages SET account_id = ?, keyword = ?, campaign_id = ?, seq = ?, owner_due = NULL, reply = ?,
         reply_due = IF(? = ${ReplyState.Due}, UTC_TIMESTAMP(3), NULL), reply_state = ?
       WHERE id = ? AND account_id = 0`,
      [
        ...[text.accountId, text.keyword, text.campaignId, text.seq, text.reply],
        ...[text.replyState, text.replyState, text.id],
      ],
    );
    return affectedRows > 0;
  }
}

const NEW = 'UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND';
const ROW = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${NEW}, ?, ${NEW}, ?, ?)`;
