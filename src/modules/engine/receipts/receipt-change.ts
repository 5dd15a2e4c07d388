import type { Receipt } from '../../providers/index.js';
import type { KnownRecipient, RecipientChange } from '../settle/recipient-change.js';
import { RecipientStatus } from '../state/recipient-status.js';
import type { KnownItem } from './receipt-lookup.js';

/** A receipt with the item that it is about. */
export interface MatchedReceipt {
  receipt: Receipt;
  item: KnownItem;
  /** as it was read without a lock; absent = it must be locked to be judged */
  recipient?: KnownRecipient | undefined;
}

export const STATUS_OF_RECEIPT: Readonly<Record<Receipt['status'], RecipientStatus>> = {
  submitted: RecipientStatus.Submitted,
  delivered: RecipientStatus.Delivered,
  read: RecipientStatus.Read,
  failed: RecipientStatus.Failed,
  answered: RecipientStatus.Answered,
  no_answer: RecipientStatus.NoAnswer,
  busy: RecipientStatus.Busy,
};

/** Outcomes of which the carrier's number says more. */
const WITH_REASON: ReadonlySet<Receipt['status']> = new Set(['failed', 'no_answer', 'busy']);

/** What a receipt does to its recipient. @param recipient as it was read, where that is enough to judge it by */
export function receiptChange({ receipt, item }: MatchedReceipt, recipient?: KnownRecipient): RecipientChange {
  const withReason = WITH_REASON.has(receipt.status);
  return {
    campaignId: item.campaignId,
    seq: item.seq,
    to: STATUS_OF_RECEIPT[receipt.status],
    errorCode: withReason ? receipt.errorCode : null,
    errorText: withReason ? receipt.errorText : null,
    refund: false,
    attempted: false,
    durationSeconds: receipt.durationSeconds,
    routeId: item.routeId,
    recipient,
  };
}
