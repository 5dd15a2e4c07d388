import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import type { Receipt } from '../../providers/index.js';
import { isFinal, type RecipientStatus } from '../state/recipient-status.js';
import { readReference } from '../state/recipient-key.js';
import { isCounted, isSameNumber, spellings } from '../state/message-id.js';

/** A receipt with where it came in. */
export interface RoutedReceipt {
  routeId: number;
  /** the routes of the same login, this one among them; without it this one alone */
  routeIds?: readonly number[];
  receipt: Receipt;
}

/** An item that a carrier has: most messages are one, some are several. */
export interface KnownItem {
  campaignId: number;
  seq: number;
  /** counts from 0 */
  item: number;
  /** items of the whole message */
  items: number;
}

/** What to look for: place in the list, route, id. */
type Wanted = [ordinal: number, routeId: number, id: string];

/** An item that may be the one a receipt is about. */
interface FoundRow {
  ordinal: number;
  campaign_id: number;
  seq: number;
  item: number;
  items: number;
  route_id: number;
  receiver: string;
  recipient_status: RecipientStatus;
}

/** Finds the messages that receipts are about by the carrier's id (docs/decisions/0018). */
@Injectable()
export class ReceiptLookup {
  /**
   * One entry a receipt, in order; undefined where no message of its login has the id. Carriers hand receipts to any
   * session of a login, so all routes of it count. The id as it came goes first, then what it may mean otherwise. A
   * number that is counted up may be another message's in another spelling: it counts only with the same recipient.
   */
  async find(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<(KnownItem | undefined)[]> {
    const found = receipts.map((): KnownItem | undefined => undefined);
    const take = (rows: readonly FoundRow[], needsRecipient: (receipt: Receipt) => boolean): void => {
      for (const row of rows) {
        const receipt = receipts[row.ordinal]?.receipt;
        if (!receipt || found[row.ordinal]) continue;
        if (!needsRecipient(receipt) || isAbout(receipt, row)) found[row.ordinal] = itemOf(row);
      }
    };
    const same = receipts.flatMap((entry, index) => wanted(entry, index, [entry.receipt.providerMessageId]));
    const exact = await this.lookUp(tx, 'provider_message_id', same);
    const isOther = (row: FoundRow): boolean => row.route_id !== receipts[row.ordinal]?.routeId;
    exact.sort((a, b) => byClaim(a, b) || Number(isOther(a)) - Number(isOther(b)) || b.campaign_id - a.campaign_id);
    take(exact, ({ receiver, providerMessageId: id }) => {
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
    rows.sort((a, b) => byClaim(a, b) || b.campaign_id - a.campaign_id);
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
      `SELECT j.ordinal, m.campaign_id, m.seq, m.item, m.items, m.route_id, r.receiver, r.status AS recipient_status
       FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', route_id INT PATH '$[1]', id VARCHAR(128) ${type} PATH '$[2]')) j
       STRAIGHT_JOIN provider_messages m ON m.route_id = j.route_id AND m.${column} = j.id
       STRAIGHT_JOIN campaign_recipients r ON r.campaign_id = m.campaign_id AND r.seq = m.seq`,
      [jsonRows(ids)],
    );
  }
}

/** Carriers count from the start again one day: of several messages of one id, one that still waits, else the latest. */
const byClaim = (a: FoundRow, b: FoundRow): number =>
  Number(isFinal(a.recipient_status)) - Number(isFinal(b.recipient_status));

const itemOf = ({ campaign_id, seq, item, items }: FoundRow): KnownItem => ({
  campaignId: campaign_id,
  seq,
  item,
  items,
});

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
