import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows, type WriteResult } from '../../../platform/database/index.js';
import type { Receipt } from '../../providers/index.js';
import { Channels } from '../channels.js';
import { itemsOf } from '../channel.js';
import { messageKey } from '../settle/message-ids.js';
import { RecipientStatus, firstSendDay, readReference, type RecipientKey } from '../recipient.js';
import type { KnownItem, RoutedReceipt } from './receipt-lookup.js';

export type About = Pick<Receipt, 'receiver' | 'ref'>;

export interface AwaitedItem extends KnownItem {
  /** the last item without an id: the recipient then leaves the list */
  isLast: boolean;
}

interface WaitingRow {
  campaign_id: number;
  seq: number;
  receiver: string;
  status: RecipientStatus;
  attempts: number;
}

/** Recipients of unknown outcome, found by receipts with our reference or their number. */
@Injectable()
export class UnknownOutcomes {
  constructor(private readonly channels: Channels) {}

  /**
   * The item of a receipt: by our reference if present, else the longest waiting recipient of the number on the route. Null =
   * none. Recipients of several items stay listed until all have ids.
   */
  async take(tx: EntityManager, routeIds: readonly number[], { receiver, ref }: About): Promise<AwaitedItem | null> {
    for (;;) {
      const row = await (ref === undefined ? this.ofNumber(tx, routeIds, receiver) : this.referred(tx, routeIds, ref));
      if (!row) return null;
      const { campaign_id: campaignId, seq, status } = row;
      const items = await this.itemsOf(tx, row);
      const named = await this.named(tx, row);
      const isLast = named.count + 1 >= items;
      if (items === 1 && status === RecipientStatus.Unknown) {
        // For a recipient's attempts, the attempt is the item.
        return { campaignId, seq, item: Math.max(row.attempts, 1) - 1, items, isLast };
      }
      if (named.count < items && items > 1) return { campaignId, seq, item: named.next, items, isLast };
      // The submit answer came late, with the ids.
      await this.remove(tx, { campaignId, seq });
    }
  }

  /** Indexes of receipts that a recipient may be waiting for, in one statement: most match none. */
  async awaited(tx: EntityManager, orphans: readonly RoutedReceipt[]): Promise<Set<number>> {
    const wanted = orphans.flatMap(({ routeId, routeIds = [routeId], receipt: { receiver, ref } }, index) => {
      const referent = ref === undefined ? null : readReference(ref);
      if (ref === undefined ? receiver === null : !referent) return [];
      return routeIds.map((route) => [index, route, referent ? null : receiver, referent?.campaignId, referent?.seq]);
    });
    if (wanted.length === 0) return new Set();
    const found: { ordinal: number }[] = await tx.query(
      `SELECT j.ordinal FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', route_id INT PATH '$[1]',
         receiver VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$[2]')) j
       JOIN unknown_outcomes u ON u.route_id = j.route_id AND u.receiver = j.receiver
       UNION SELECT j.ordinal FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', route_id INT PATH '$[1]',
         campaign_id BIGINT PATH '$[3]', seq INT PATH '$[4]')) j
       JOIN unknown_outcomes u ON u.campaign_id = j.campaign_id AND u.seq = j.seq AND u.route_id = j.route_id`,
      [jsonRows(wanted), jsonRows(wanted)],
    );
    return new Set(found.map(({ ordinal }) => ordinal));
  }

  /** Stores the carrier's id of an identified item. False = taken meanwhile: nothing changed, and the recipient waits on. */
  async adopt(tx: EntityManager, routeId: number, providerMessageId: string, item: AwaitedItem): Promise<boolean> {
    const key = messageKey(routeId, providerMessageId);
    const { campaignId, seq, item: index, items } = item;
    const result: WriteResult = await tx.query(
      // The lookup before found none, so a newer row is at most a day old.
      `INSERT IGNORE INTO provider_messages
         (campaign_id, seq, item, route_id, provider_message_id, items, message_key, status)
       SELECT ?, ?, ?, ?, ?, ?, ?, ? FROM DUAL WHERE NOT EXISTS (
         SELECT 1 FROM provider_messages m FORCE INDEX (ix_provider_messages_key)
         WHERE m.message_key = ? AND m.route_id = ? AND m.provider_message_id = ?
           AND m.sent_on >= UTC_DATE() - INTERVAL 1 DAY)`,
      [
        ...[campaignId, seq, index, routeId, providerMessageId, items, key, RecipientStatus.Submitted],
        ...[key, routeId, providerMessageId],
      ],
    );
    if (result.affectedRows !== 1) return false;
    if (item.isLast) await this.remove(tx, item);
    return true;
  }

  private async remove(tx: EntityManager, { campaignId, seq }: RecipientKey): Promise<void> {
    await tx.query('DELETE FROM unknown_outcomes WHERE campaign_id = ? AND seq = ?', [campaignId, seq]);
  }

  private ofNumber(
    tx: EntityManager,
    routeIds: readonly number[],
    receiver: string | null,
  ): Promise<WaitingRow | undefined> {
    if (receiver === null) return Promise.resolve(undefined);
    return this.longestWaiting(tx, routeIds, 'u.receiver = ?', [receiver]);
  }

  private referred(tx: EntityManager, routeIds: readonly number[], ref: string): Promise<WaitingRow | undefined> {
    const referent = readReference(ref);
    if (!referent) return Promise.resolve(undefined);
    return this.longestWaiting(tx, routeIds, 'u.campaign_id = ? AND u.seq = ?', [referent.campaignId, referent.seq]);
  }

  private async longestWaiting(
    tx: EntityManager,
    routeIds: readonly number[],
    whose: string,
    parameters: readonly (string | number)[],
  ): Promise<WaitingRow | undefined> {
    const rows: WaitingRow[] = await tx.query(
      `SELECT u.campaign_id, u.seq, u.receiver, r.status, r.attempts FROM unknown_outcomes u
       JOIN campaign_recipients r ON r.campaign_id = u.campaign_id AND r.seq = u.seq AND r.status IN (?)
       WHERE u.route_id IN (?) AND ${whose} ORDER BY u.created_at, u.campaign_id, u.seq LIMIT 1 FOR UPDATE`,
      [[RecipientStatus.Unknown, RecipientStatus.Submitted], routeIds, ...parameters],
    );
    return rows[0];
  }

  /** Number of items of the message. */
  private async itemsOf(tx: EntityManager, { campaign_id: id, receiver }: WaitingRow): Promise<number> {
    const [campaign] = await tx.query<{ channel: string; content: string }[]>(
      'SELECT channel, content FROM campaigns WHERE id = ?',
      [id],
    );
    const channel = campaign && this.channels.find(campaign.channel);
    return channel
      ? itemsOf(channel.compose(JSON.parse(campaign.content) as Record<string, unknown>, { number: receiver }))
      : 1;
  }

  private async named(
    tx: EntityManager,
    { campaign_id: id, seq }: WaitingRow,
  ): Promise<{ count: number; next: number }> {
    const [row] = await tx.query<{ count: string; next: string }[]>(
      'SELECT COUNT(*) AS count, COALESCE(MAX(item) + 1, 0) AS next FROM provider_messages WHERE campaign_id = ? AND seq = ? AND sent_on >= ?',
      [id, seq, firstSendDay([id])],
    );
    return { count: Number(row?.count), next: Number(row?.next) };
  }
}
