import type { RecipientRecord } from '../campaign.js';
import type { Channel } from '../channel.js';
import { RecipientStatus } from '../recipient.js';

/** Outcome in the channel's labels, equal in reports, pushes and the campaigns API (reference/engine#recipient-statuses). */
export interface RecipientOutcome {
  status: string;
  status_code: 0 | 1;
  /** the carrier's code, if not successful */
  error_code: number | null;
  errorMessage: string | null;
}

/** In other statuses, the code may be of a temporary fault. */
const WITH_ERROR_CODE: ReadonlySet<RecipientStatus> = new Set([
  RecipientStatus.Failed,
  RecipientStatus.NoAnswer,
  RecipientStatus.Busy,
]);

export function outcomeOf(
  channel: Pick<Channel, 'statusLabels'>,
  recipient: Pick<RecipientRecord, 'status' | 'errorCode' | 'errorMessage'>,
): RecipientOutcome {
  const failed = recipient.status === RecipientStatus.Failed;
  return {
    status: channel.statusLabels[recipient.status],
    status_code: failed ? 1 : 0,
    error_code: WITH_ERROR_CODE.has(recipient.status) ? recipient.errorCode : null,
    errorMessage: failed ? recipient.errorMessage : null,
  };
}

/** `status_counts`: recipients per label, without zeros; equal labels are summed. */
export function statusCounts(channel: Channel, counts: ReadonlyMap<RecipientStatus, number>): Record<string, number> {
  const byLabel: Record<string, number> = {};
  for (const [status, count] of counts) {
    if (count <= 0) continue;
    const label = channel.statusLabels[status];
    byLabel[label] = (byLabel[label] ?? 0) + count;
  }
  return byLabel;
}

/** Statuses of a label, in any case; empty = unknown label. */
export function statusesOf(channel: Pick<Channel, 'statusLabels'>, label: string): RecipientStatus[] {
  const wanted = label.trim().toUpperCase();
  return Object.entries(channel.statusLabels)
    .filter(([, name]) => name.toUpperCase() === wanted)
    .map(([status]) => Number(status) as RecipientStatus);
}

/** Delivery record: exactly the fields of reference/delivery-reports#delivery-record, in order. */
export interface DeliveryRecord extends RecipientOutcome {
  event: string;
  providerMessageId: string;
  receiver: string;
  /** seconds of talk, 0 = unanswered; timed channels only */
  duration?: number;
}

/** Builds a delivery record in the channel's labels. */
export function deliveryRecord(
  channel: Pick<Channel, 'event' | 'statusLabels' | 'timed'>,
  requestId: string,
  recipient: Pick<RecipientRecord, 'number' | 'status' | 'errorCode' | 'errorMessage' | 'duration'>,
): DeliveryRecord {
  return {
    event: channel.event,
    providerMessageId: requestId,
    receiver: recipient.number,
    ...outcomeOf(channel, recipient),
    ...(channel.timed && { duration: recipient.duration ?? 0 }),
  };
}
