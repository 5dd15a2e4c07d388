import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { cutCodePoints } from '../../kernel/text.js';
import { inTransaction, type WriteResult } from '../../platform/database/index.js';
import { type Account, isTesting } from '../accounts/index.js';
import { RecipientStatus } from '../engine/index.js';
import { Traffic } from '../traffic/index.js';
import type { MessageContent, SessionMessage } from './session-message.js';
import { countMoves, ERROR_LENGTH, SessionEvents } from './session-messages.store.js';

/** A scheduled message that is due, claimed by this worker. */
export interface DueSessionMessage extends SessionMessage {
  id: number;
  accountId: number;
  routeId: number;
  /** `begin` and all later writes must name it */
  claim: string;
}

interface DueRow {
  id: number;
  account_id: number;
  route_id: number;
  receiver: string;
  content: string;
}

export interface DueSelection {
  most: number;
  /** per chat account, so that none takes all capacity */
  mostOfOne: number;
  /** chat accounts at their limit */
  except: readonly number[];
}

/** Scheduled messages that one query scans at most. */
const MOST_FILTERED = 5_000;
const CANCELLED_AT_ONCE = 500;
/** After so many seconds without a recorded intent to send, a claim is void and its messages are due again. */
const CLAIM_SECONDS = 20;

/**
 * A claim keeps other workers off; after the recorded intent the message may have left. A crash before the intent sends it
 * later; a crash after it never sends it again.
 */
@Injectable()
export class ScheduledMessageStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: SessionEvents,
    private readonly traffic: Traffic,
  ) {}

  /** Claims due messages. Selects before it locks, unlike `takeDue`: a locking query may lock one chat account's rows only. */
  async claim(selection: DueSelection): Promise<DueSessionMessage[]> {
    const ids = await this.due(selection);
    if (ids.length === 0) return [];
    const claim = randomUUID();
    const take = async (tx: EntityManager): Promise<DueRow[]> => {
      // Another worker may have selected the same ids: its update then finds them no longer due.
      await tx.query(
        `UPDATE session_messages SET claim = ?, due_at = UTC_TIMESTAMP(3) + INTERVAL ${CLAIM_SECONDS} SECOND
         WHERE id IN (?) AND status = ${RecipientStatus.Pending} AND due_at <= UTC_TIMESTAMP(3)`,
        [claim, ids],
      );
      return tx.query(
        'SELECT id, account_id, route_id, receiver, content FROM session_messages WHERE id IN (?) AND claim = ?',
        [ids, claim],
      );
    };
    const rows = await inTransaction(this.dataSource, take, { again: 'the claim is its own: a second run finds it' });
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      routeId: row.route_id,
      to: row.receiver,
      content: JSON.parse(row.content) as MessageContent,
      claim,
    }));
  }

  /** Records the intent to send; repeatable after a lost answer. @returns false when cancelled, or when the claim was void */
  async begin({ id, claim }: DueSessionMessage): Promise<boolean> {
    const work = async (tx: EntityManager): Promise<boolean> => {
      const { affectedRows } = await tx.query<WriteResult>(
        `UPDATE session_messages SET status = ${RecipientStatus.Unknown}, due_at = NULL, sent_at = UTC_TIMESTAMP(3),
           updated_at = UTC_TIMESTAMP(3)
         WHERE id = ? AND claim = ? AND status = ${RecipientStatus.Pending} AND due_at > UTC_TIMESTAMP(3)`,
        [id, claim],
      );
      if (affectedRows > 0) return true;
      const begun: unknown[] = await tx.query(
        `SELECT id FROM session_messages WHERE id = ? AND claim = ? AND status = ${RecipientStatus.Unknown}`,
        [id, claim],
      );
      return begun.length > 0;
    };
    return inTransaction(this.dataSource, work, { again: 'a second run sees under its claim that it has begun' });
  }

  /** Makes a message that has certainly not left due again after `afterMs` milliseconds. */
  async putBack({ id, claim }: DueSessionMessage, afterMs: number): Promise<void> {
    await inTransaction(this.dataSource, (tx) =>
      tx.query(
        `UPDATE session_messages SET status = ${RecipientStatus.Pending}, claim = NULL, sent_at = NULL,
           due_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND, updated_at = UTC_TIMESTAMP(3)
         WHERE id = ? AND claim = ? AND status IN (${RecipientStatus.Pending}, ${RecipientStatus.Unknown})`,
        [afterMs * 1_000, id, claim],
      ),
    );
  }

  /** Fails a message that has not left. */
  async refuse({ id, claim, accountId, routeId }: DueSessionMessage, text: string): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const { affectedRows } = await tx.query<WriteResult>(
        `UPDATE session_messages SET status = ${RecipientStatus.Failed}, due_at = NULL, error_message = ?,
           updated_at = UTC_TIMESTAMP(3)
         WHERE id = ? AND claim = ? AND status = ${RecipientStatus.Pending}`,
        [cutCodePoints(text, ERROR_LENGTH), id, claim],
      );
      if (affectedRows === 0) return;
      await this.events.publish(tx, [id]);
      countMoves(tx, this.traffic, [{ accountId, routeId, from: RecipientStatus.Pending, to: RecipientStatus.Failed }]);
    });
  }

  /** Cancels a message before its intent. @returns its state if it is past that; null when the account has no such message */
  async cancel(
    actor: Account,
    id: number,
    alongside: (tx: EntityManager) => Promise<void>,
  ): Promise<RecipientStatus | 'done' | null> {
    // a test key cancels tests only
    const own = [id, actor.id, Number(isTesting(actor))];
    return inTransaction(this.dataSource, async (tx) => {
      const { affectedRows } = await tx.query<WriteResult>(
        `UPDATE session_messages SET status = ${RecipientStatus.Cancelled}, due_at = NULL, updated_at = UTC_TIMESTAMP(3)
         WHERE id = ? AND account_id = ? AND is_test >= ? AND status = ${RecipientStatus.Pending}`,
        own,
      );
      if (affectedRows > 0) {
        await this.events.publish(tx, [id]);
        await alongside(tx);
        return 'done';
      }
      const rows: { status: RecipientStatus }[] = await tx.query(
        'SELECT status FROM session_messages WHERE id = ? AND account_id = ? AND is_test >= ? LIMIT 1',
        own,
      );
      return rows[0]?.status ?? null;
    });
  }

  /** Scheduled messages of an account that have not left. @param prefix of its maker */
  waitingOf(source: EntityManager, accountId: number, prefix: string): Promise<{ id: number; receiver: string }[]> {
    return source.query(
      `SELECT id, receiver FROM session_messages FORCE INDEX (ix_session_messages_due)
       WHERE due_at IS NOT NULL AND account_id = ? AND status = ${RecipientStatus.Pending} AND created_by LIKE ?
       ORDER BY due_at LIMIT ${MOST_FILTERED}`,
      [accountId, `${prefix}%`],
    );
  }

  /** Cancels those of them that have not left meanwhile, in the transaction of the caller. Returns their ids. */
  async cancelAll(tx: EntityManager, ids: readonly number[]): Promise<number[]> {
    const cancelled: number[] = [];
    for (let from = 0; from < ids.length; from += CANCELLED_AT_ONCE) {
      const some = ids.slice(from, from + CANCELLED_AT_ONCE);
      const rows: { id: number }[] = await tx.query(
        `SELECT id FROM session_messages WHERE id IN (?) AND status = ${RecipientStatus.Pending} ORDER BY id FOR UPDATE`,
        [some],
      );
      const waiting = rows.map(({ id }) => id);
      if (waiting.length === 0) continue;
      await tx.query(
        `UPDATE session_messages SET status = ${RecipientStatus.Cancelled}, due_at = NULL, updated_at = UTC_TIMESTAMP(3)
         WHERE id IN (?)`,
        [waiting],
      );
      await this.events.publish(tx, waiting);
      cancelled.push(...waiting);
    }
    return cancelled;
  }

  private async due({ most, mostOfOne, except }: DueSelection): Promise<number[]> {
    const others = except.length > 0 ? 'AND route_id NOT IN (?)' : '';
    const rows: { id: number }[] = await this.dataSource.query(
      `SELECT id FROM (
         SELECT id, due_at, ROW_NUMBER() OVER (PARTITION BY route_id ORDER BY due_at, id) AS ordinal FROM (
           SELECT id, route_id, due_at FROM session_messages FORCE INDEX (ix_session_messages_due)
           WHERE due_at <= UTC_TIMESTAMP(3) ${others} ORDER BY due_at LIMIT ${MOST_FILTERED}) waiting) ranked
       WHERE ordinal <= ? ORDER BY due_at, id LIMIT ?`,
      [...(except.length > 0 ? [except] : []), mostOfOne, most],
    );
    return rows.map(({ id }) => id);
  }
}
