import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { jsonRows } from '../../../platform/database/index.js';
import type { Receipt } from '../../providers/index.js';
import { RecipientStatus } from '../domain/recipient-status.js';
import { toLock } from './recipient-order.js';

export interface RoutedReceipt {
  routeId: number;
  receipt: Receipt;
}

/** A message that a carrier has, found by the carrier's id. */
export interface KnownMessage {
  campaignId: number;
  seq: number;
  item: number;
  items: number;
  status: RecipientStatus;
}

/** What to look for: place in the list, route, id, and the recipient it must belong to. */
type Wanted = [ordinal: number, routeId: number, id: string, receiver: string | null];

interface MessageRow {
  ordinal: number;
  campaign_id: number;
  seq: number;
  item: number;
  items: number;
  status: RecipientStatus;
}

export interface ParkedReceipt extends RoutedReceipt {
  id: number;
}

const toKnown = (row: MessageRow): KnownMessage => ({
  campaignId: row.campaign_id,
  seq: row.seq,
  item: row.item,
  items: row.items,
  status: row.status,
});

/** Looks messages up by the carrier's id, and keeps receipts that came before their submit answer was written. */
@Injectable()
export class ReceiptStore {
  /** One entry a receipt, in order; undefined where no message of that route has the id. */
  async find(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<(KnownMessage | undefined)[]> {
    const found = new Array<KnownMessage | undefined>(receipts.length);
    const plain = receipts.map(({ routeId, receipt }, index): Wanted => [
      index,
      routeId,
      receipt.providerMessageId,
      null,
    ]);
    for (const row of await this.lookUp(tx, plain)) found[row.ordinal] ??= toKnown(row);
    // Another spelling of a short sequential id may be somebody else's id: it counts only for what the id itself did not
    // find, and only with the same recipient.
    const spelled = receipts.flatMap(({ routeId, receipt }, index): Wanted[] =>
      found[index] || receipt.receiver === null
        ? []
        : (receipt.alternativeIds ?? []).map((id) => [index, routeId, id, receipt.receiver]),
    );
    if (spelled.length > 0) for (const row of await this.lookUp(tx, spelled)) found[row.ordinal] ??= toKnown(row);
    return found;
  }

  private lookUp(tx: EntityManager, wanted: readonly Wanted[]): Promise<MessageRow[]> {
    const sameRecipient = wanted.some(([, , , receiver]) => receiver !== null)
      ? `JOIN campaign_recipients r ON r.campaign_id = m.campaign_id AND r.seq = m.seq AND r.receiver = j.receiver`
      : '';
    return tx.query(
      `SELECT j.ordinal, m.campaign_id, m.seq, m.item, m.items, m.status FROM JSON_TABLE(?, '$[*]' COLUMNS (
         ordinal INT PATH '$[0]', route_id INT PATH '$[1]',
         id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         receiver VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$[3]')) j
       JOIN provider_messages m ON m.route_id = j.route_id AND m.provider_message_id = j.id ${sameRecipient}`,
      [jsonRows(wanted)],
    );
  }

  /** All items of these recipients, locked. */
  async lockItems(tx: EntityManager, messages: readonly KnownMessage[]): Promise<KnownMessage[]> {
    const rows: MessageRow[] = await tx.query(
      `SELECT STRAIGHT_JOIN m.campaign_id, m.seq, m.item, m.items, m.status FROM JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
       JOIN provider_messages m ON m.campaign_id = j.campaign_id AND m.seq = j.seq FOR UPDATE`,
      [jsonRows(toLock(messages))],
    );
    return rows.map(toKnown);
  }

  /**
   * Writes all items of the recipients of whom one has moved, the unmoved ones too: on another node of a cluster a receipt
   * of another item may be judged at the same moment, and one of the two must give way and look again.
   */
  async writeItems(tx: EntityManager, items: readonly KnownMessage[]): Promise<void> {
    if (items.length === 0) return;
    await tx.query(
      `UPDATE provider_messages m JOIN JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]',
         item INT PATH '$[2]', status INT PATH '$[3]')) j
       ON m.campaign_id = j.campaign_id AND m.seq = j.seq AND m.item = j.item
       SET m.status = j.status, m.receipts = m.receipts + 1`,
      [jsonRows(items.map((m) => [m.campaignId, m.seq, m.item, m.status]))],
    );
  }

  async park(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<void> {
    await tx.query(
      `INSERT INTO parked_receipts (id, route_id, provider_message_id, receipt, received_at)
       VALUES ${receipts.map(() => '(?,?,?,?,UTC_TIMESTAMP(3))').join(',')}`,
      receipts.flatMap(({ routeId, receipt }) => [
        newId(),
        routeId,
        receipt.providerMessageId,
        JSON.stringify(receipt),
      ]),
    );
  }

  /** Parked receipts after an id, oldest first; locked, so that two workers never adopt one receipt twice. */
  async parked(
    tx: EntityManager,
    afterId: number,
    limit: number,
    sinceMs: number | null,
  ): Promise<(ParkedReceipt & { ageMs: number })[]> {
    const [index, since] =
      sinceMs === null
        ? ['', '']
        : [
            'FORCE INDEX (ix_parked_receipts_received)',
            `AND received_at >= UTC_TIMESTAMP(3) - INTERVAL ${Math.round(sinceMs * 1000)} MICROSECOND`,
          ];
    const rows: { id: number; route_id: number; receipt: string; age_us: number }[] = await tx.query(
      `SELECT id, route_id, receipt, TIMESTAMPDIFF(MICROSECOND, received_at, UTC_TIMESTAMP(3)) AS age_us
       FROM parked_receipts ${index} WHERE id > ? ${since} ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED`,
      [afterId, limit],
    );
    return rows.map((row) => ({
      id: row.id,
      routeId: row.route_id,
      receipt: JSON.parse(row.receipt) as Receipt,
      ageMs: Number(row.age_us) / 1000,
    }));
  }

  async unpark(tx: EntityManager, ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await tx.query('DELETE FROM parked_receipts WHERE id IN (?)', [ids]);
  }
}
