import type { EntityManager } from 'typeorm';
import { jsonRows, lockOnly } from '../../../platform/database/index.js';
import type { RecipientChange } from '../settle/recipient-change.js';
import { campaignsOf, firstSendDay, keyOf, toLock } from '../state/recipient-key.js';
import { lowest, mayMove, RecipientStatus } from '../state/recipient-status.js';
import type { KnownItem } from './receipt-lookup.js';
import { type MatchedReceipt, receiptChange, STATUS_OF_RECEIPT } from './receipt-change.js';

/** An item as it stands, locked. Messages of several items (a text with attachments) have receipts for each of them. */
export interface LockedItem extends KnownItem {
  status: RecipientStatus;
}

/** All items of the recipients of these items, locked. */
export async function lockItems(tx: EntityManager, items: readonly KnownItem[]): Promise<LockedItem[]> {
  if (items.length === 0) return [];
  return tx.query(
    `SELECT STRAIGHT_JOIN m.campaign_id AS campaignId, m.seq, m.item, m.items, m.status FROM JSON_TABLE(?, '$[*]' COLUMNS (
       campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
     JOIN provider_messages m FORCE INDEX (PRIMARY) ON m.campaign_id = j.campaign_id AND m.seq = j.seq AND m.sent_on >= ?
     ${lockOnly('m')}`,
    [jsonRows(toLock(items)), firstSendDay(campaignsOf(items))],
  );
}

/**
 * Writes all items of the recipients of which one has moved, the unmoved ones too: on another node of a cluster a receipt
 * of another item may be judged at the same moment, and one of the two must give way and look again.
 */
export async function writeItems(tx: EntityManager, items: readonly LockedItem[]): Promise<void> {
  if (items.length === 0) return;
  await tx.query(
    `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]',
       item INT PATH '$[2]', status INT PATH '$[3]')) j
     STRAIGHT_JOIN provider_messages m FORCE INDEX (PRIMARY) ON m.campaign_id = j.campaign_id AND m.seq = j.seq AND m.item = j.item
       AND m.sent_on >= ?
     SET m.status = j.status, m.receipts = m.receipts + 1`,
    [
      jsonRows(items.map(({ campaignId, seq, item, status }) => [campaignId, seq, item, status])),
      firstSendDay(campaignsOf(items)),
    ],
  );
}

/**
 * A message of several items has failed if any failed; else it is as far as its slowest item
 * (reference/engine#recipient-statuses).
 * @param locked all items of these recipients, as they stood
 * @returns what becomes of the recipients, and the items to write
 */
export function judgeItems(
  receipts: readonly MatchedReceipt[],
  locked: readonly LockedItem[],
): { changes: RecipientChange[]; items: LockedItem[] } {
  const messages = new Map<string, LockedItem[]>();
  for (const entry of locked) {
    const message = messages.get(keyOf(entry)) ?? [];
    messages.set(keyOf(entry), message);
    // Told by two workers on two sides of midnight, an item has a row of each day, and is as far as the further of them.
    const same = message.find(({ item }) => item === entry.item);
    if (!same) message.push({ ...entry });
    else if (mayMove(same.status, entry.status)) same.status = entry.status;
  }
  const moved = new Set<string>();
  for (const { receipt, item } of receipts) {
    const to = STATUS_OF_RECEIPT[receipt.status];
    const entry = messages.get(keyOf(item))?.find((other) => other.item === item.item);
    if (!entry || !mayMove(entry.status, to)) continue;
    entry.status = to;
    moved.add(keyOf(item));
  }
  const changes = receipts.flatMap((matched): RecipientChange[] => {
    const { receipt, item } = matched;
    const statuses = (messages.get(keyOf(item)) ?? []).map(({ status }) => status);
    const missing = statuses.length < item.items ? [RecipientStatus.Submitted] : [];
    const to = lowest([...statuses, ...missing]);
    const failed = to === RecipientStatus.Failed;
    // The receipt of the failed item brings the reason; it stands in this batch, or came before.
    if (failed && receipt.status !== 'failed') return [];
    return [{ ...receiptChange(matched), to, ...(failed ? {} : { errorCode: null, errorText: null }) }];
  });
  return { changes, items: [...messages].flatMap(([place, items]) => (moved.has(place) ? items : [])) };
}
