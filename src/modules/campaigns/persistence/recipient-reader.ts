import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  isFinal,
  RECIPIENT_COLUMNS,
  type RecipientRecord,
  type RecipientRow,
  type RecipientStatus,
  toRecipient,
} from '../../engine/index.js';

/** A message or call of a recipient that the carrier took. */
export interface SubmittedItem {
  providerMessageId: string;
  /** counts from 0 */
  item: number;
  items: number;
  /** null for messages of before this was kept */
  submittedAt: Date | null;
}

/** What the engine's tables keep of one recipient's life. */
export interface RecipientLife {
  recipient: RecipientRecord;
  deliveredAt: Date | null;
  refunded: boolean;
  submitted: SubmittedItem[];
  /** since when the outcome of a send is unknown */
  unknownSince: Date | null;
  /** the next try, where one waits */
  retry: { dueAt: Date; attempt: number } | null;
}

interface LifeRow extends RecipientRow {
  delivered_at: Date | null;
  refunded: number;
  unknown_since: Date | null;
  retry_at: Date | null;
  retry_attempt: number | null;
}

/** Recipients as owners page through them, and one recipient in all detail. */
@Injectable()
export class RecipientReader {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Without a filter seq counts 1, 2, 3 …, so a page is a range of keys; with one, the matches before it are counted off. */
  async page(
    campaignId: number,
    statuses: readonly RecipientStatus[] | null,
    offset: number,
    limit: number,
  ): Promise<RecipientRecord[]> {
    if (statuses?.length === 0) return [];
    const rows: RecipientRow[] = statuses
      ? await this.dataSource.query(
          `SELECT STRAIGHT_JOIN ${RECIPIENT_COLUMNS.replace(/\w+/g, 'r.$&')}
           FROM (SELECT seq FROM campaign_recipients WHERE campaign_id = ? AND status IN (?)
             ORDER BY seq LIMIT ? OFFSET ?) p
           JOIN campaign_recipients r ON r.campaign_id = ? AND r.seq = p.seq ORDER BY r.seq`,
          [campaignId, statuses, limit, offset, campaignId],
        )
      : await this.dataSource.query(
          `SELECT ${RECIPIENT_COLUMNS} FROM campaign_recipients WHERE campaign_id = ? AND seq > ? AND seq <= ? ORDER BY seq`,
          [campaignId, offset, offset + limit],
        );
    return this.withTries(campaignId, rows.map(toRecipient));
  }

  /** Counts the tries of recipients that wait for the next one; a stored `attempts` has those that came to an end. */
  private async withTries(campaignId: number, recipients: RecipientRecord[]): Promise<RecipientRecord[]> {
    const waiting = recipients.filter(({ status }) => !isFinal(status)).map(({ seq }) => seq);
    if (waiting.length === 0) return recipients;
    const rows: { seq: number; made: number }[] = await this.dataSource.query(
      'SELECT seq, attempt - 1 AS made FROM recipient_retries WHERE campaign_id = ? AND seq IN (?) AND attempt > 1',
      [campaignId, waiting],
    );
    const made = new Map(rows.map((row) => [row.seq, Number(row.made)]));
    return recipients.map((recipient) => ({
      ...recipient,
      attempts: Math.max(recipient.attempts, made.get(recipient.seq) ?? 0),
    }));
  }

  /** The carrier's id of each recipient's latest message or call, by seq. @param seqs ascending */
  async providerIds(campaignId: number, seqs: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const [first, last] = [seqs[0], seqs.at(-1)];
    if (first === undefined || last === undefined) return new Map();
    // A dense page is one range of the key; a filtered one names its rows.
    const dense = last - first < seqs.length * 4;
    const rows: { seq: number; item: number; items: number; id: string }[] = await this.dataSource.query(
      `SELECT seq, item, items, provider_message_id AS id FROM provider_messages
       WHERE campaign_id = ? AND ${dense ? 'seq BETWEEN ? AND ?' : 'seq IN (?)'} ORDER BY seq, item`,
      dense ? [campaignId, first, last] : [campaignId, seqs],
    );
    // Attempts count on from item to item; the items of one message stand beside each other, and the first one names it.
    return new Map(rows.filter((row) => row.items === 1 || row.item === 0).map((row) => [row.seq, row.id]));
  }

  /** @returns null when the campaign has no such recipient */
  async life(campaignId: number, seq: number): Promise<RecipientLife | null> {
    const [row]: LifeRow[] = await this.dataSource.query(
      `SELECT r.*, u.created_at AS unknown_since, t.due_at AS retry_at,
         IF(t.last_status IS NULL, t.attempt, r.attempts + 1) AS retry_attempt
       FROM campaign_recipients r
       LEFT JOIN unknown_outcomes u ON u.campaign_id = r.campaign_id AND u.seq = r.seq
       LEFT JOIN recipient_retries t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
       WHERE r.campaign_id = ? AND r.seq = ?`,
      [campaignId, seq],
    );
    if (!row) return null;
    const submitted: SubmittedItem[] = await this.dataSource.query(
      `SELECT provider_message_id AS providerMessageId, item, items, submitted_at AS submittedAt FROM provider_messages
       WHERE campaign_id = ? AND seq = ? ORDER BY submitted_at, item`,
      [campaignId, seq],
    );
    return {
      recipient: (await this.withTries(campaignId, [toRecipient(row)]))[0] ?? toRecipient(row),
      deliveredAt: row.delivered_at,
      refunded: row.refunded === 1,
      submitted,
      unknownSince: row.unknown_since,
      retry: row.retry_at && { dueAt: row.retry_at, attempt: row.retry_attempt ?? 1 },
    };
  }
}
