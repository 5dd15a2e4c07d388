import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { jsonRows } from '../../../platform/database/index.js';
import type { Receipt } from '../../providers/index.js';
import { isCounted, isSameNumber, spellings } from '../state/message-id.js';
import { readReference } from '../state/reference.js';
import { isFinal, RecipientStatus } from '../state/recipient-status.js';
import { toLock } from '../state/recipient-order.js';

export interface RoutedReceipt {
  routeId: number;
  /** the routes of the same login, this one among them; without it this one alone */
  routeIds?: readonly number[];
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

/** What to look for: place in the list, route, id. */
type Wanted = [ordinal: number, routeId: number, id: string];

interface MessageRow {
  ordinal: number;
  campaign_id: number;
  seq: number;
  item: number;
  items: number;
  status: RecipientStatus;
}

/** A message that may be the one a receipt is about. */
interface FoundRow extends MessageRow {
  route_id: number;
  receiver: string;
  recipient_status: RecipientStatus;
}

export interface ParkedReceipt extends RoutedReceipt {
  id: number;
}

/** Where a walk through the parked receipts stands. */
export type ParkedPosition = { sinceMs: number | null } | { receivedAt: Date; id: number };

interface ParkedAge {
  receivedAt: Date;
  ageMs: number;
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
  /**
   * One entry a receipt, in order; undefined where no message of its login has the id. Carriers hand receipts to any session
   * of a login, so all routes of it count. The id as it came goes first, then what it may mean otherwise. A number that is
   * counted up may be somebody else's in another spelling: it counts only with the same recipient.
   */
  async find(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<(KnownMessage | undefined)[]> {
    const found = receipts.map((): KnownMessage | undefined => undefined);
    const take = (rows: readonly FoundRow[], named: (receipt: Receipt) => boolean): void => {
      for (const row of rows) {
        const receipt = receipts[row.ordinal]?.receipt;
        if (!receipt || found[row.ordinal]) continue;
        if (!named(receipt) || isAbout(receipt, row)) found[row.ordinal] = toKnown(row);
      }
    };
    const same = receipts.flatMap((entry, index) => wanted(entry, index, [entry.receipt.providerMessageId]));
    const exact = await this.lookUp(tx, 'provider_message_id', same);
    const own = (row: FoundRow): boolean => row.route_id === receipts[row.ordinal]?.routeId;
    take([...exact.filter(own), ...exact.filter((row) => !own(row))], ({ receiver, providerMessageId: id }) => {
      return receiver !== null && isCounted(id);
    });
    const others = receipts.flatMap((entry, index) =>
      found[index] || entry.receipt.receiver === null
        ? []
        : wanted(entry, index, spellings(entry.receipt.providerMessageId)),
    );
    if (others.length === 0) return found;
    const rows = [
      ...(await this.lookUp(tx, 'provider_message_id', others)),
      ...(await this.lookUp(tx, 'match_key', others)),
    ];
    // Of several messages to the recipient the one that still waits, else the latest.
    rows.sort(
      (a, b) =>
        Number(isFinal(a.recipient_status)) - Number(isFinal(b.recipient_status)) || b.campaign_id - a.campaign_id,
    );
    take(rows, () => true);
    return found;
  }

  private async lookUp(
    tx: EntityManager,
    column: 'provider_message_id' | 'match_key',
    ids: readonly Wanted[],
  ): Promise<FoundRow[]> {
    const type =
      column === 'match_key' ? 'CHARACTER SET ascii COLLATE ascii_bin' : 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';
    return tx.query(
      `SELECT j.ordinal, m.campaign_id, m.seq, m.item, m.items, m.status, m.route_id, r.receiver, r.status AS recipient_status
       FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', route_id INT PATH '$[1]', id VARCHAR(128) ${type} PATH '$[2]')) j
       STRAIGHT_JOIN provider_messages m ON m.route_id = j.route_id AND m.${column} = j.id
       STRAIGHT_JOIN campaign_recipients r ON r.campaign_id = m.campaign_id AND r.seq = m.seq`,
      [jsonRows(ids)],
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

  /**
   * Parked receipts in the order in which they came; locked, so that two workers never adopt one receipt twice.
   * @param after the last one of the batch before; at first, how long ago the oldest may have come, or null = all
   */
  async parked(tx: EntityManager, after: ParkedPosition, limit: number): Promise<(ParkedReceipt & ParkedAge)[]> {
    const [from, values] =
      'receivedAt' in after
        ? ['received_at >= ? AND (received_at > ? OR id > ?)', [after.receivedAt, after.receivedAt, after.id]]
        : after.sinceMs === null
          ? ['TRUE', []]
          : ['received_at >= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND', [Math.round(after.sinceMs * 1000)]];
    const rows: { id: number; route_id: number; receipt: string; received_at: Date; age_us: number }[] = await tx.query(
      `SELECT id, route_id, receipt, received_at, TIMESTAMPDIFF(MICROSECOND, received_at, UTC_TIMESTAMP(3)) AS age_us
       FROM parked_receipts FORCE INDEX (ix_parked_receipts_received) WHERE ${from}
       ORDER BY received_at, id LIMIT ? FOR UPDATE SKIP LOCKED`,
      [...values, limit],
    );
    return rows.map((row) => ({
      id: row.id,
      routeId: row.route_id,
      receipt: JSON.parse(row.receipt) as Receipt,
      receivedAt: row.received_at,
      ageMs: Number(row.age_us) / 1000,
    }));
  }

  /**
   * How many receipts have found no message for longer than this, by route.
   * @param most counted, the latest: what is beyond says nothing new
   */
  async unmatched(source: DataSource, olderThanMs: number, most: number): Promise<Map<number, number>> {
    const rows: { route_id: number; receipts: string }[] = await source.query(
      `SELECT route_id, COUNT(*) AS receipts FROM (
         SELECT route_id FROM parked_receipts WHERE received_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND
         ORDER BY received_at DESC LIMIT ?) latest GROUP BY route_id`,
      [olderThanMs * 1000, most],
    );
    return new Map(rows.map((row) => [row.route_id, Number(row.receipts)]));
  }

  async unpark(tx: EntityManager, ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await tx.query('DELETE FROM parked_receipts WHERE id IN (?)', [ids]);
  }
}

/** The same id over every route of the receipt's login. */
const wanted = ({ routeId, routeIds = [routeId] }: RoutedReceipt, ordinal: number, ids: readonly string[]): Wanted[] =>
  routeIds.flatMap((route) => ids.map((id): Wanted => [ordinal, route, id]));

/**
 * Whether the receipt says that it is about this recipient: by our reference, or by the number. Carriers that do not turn
 * the two addresses round name the recipient where others name the sender.
 */
function isAbout({ ref, receiver, otherAddress }: Receipt, row: FoundRow): boolean {
  const referent = ref === undefined ? null : readReference(ref);
  if (referent?.campaignId === row.campaign_id && referent.seq === row.seq) return true;
  return [receiver, otherAddress].some((address) => typeof address === 'string' && isSameNumber(address, row.receiver));
}
