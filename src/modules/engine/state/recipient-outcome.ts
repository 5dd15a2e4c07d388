import type { RecipientRecord } from '../campaign.js';
import type { Channel } from '../channel.js';
import { RecipientStatus } from '../recipient.js';

/**
 * How a recipient stands, in the labels of its channel: the same in reports, pushes and the campaigns API
 * (reference/engine#recipient-statuses).
 */
export interface RecipientOutcome {
  status: string;
  /** 0 = normal, 1 = failed */
  status_code: 0 | 1;
  /** the carrier's number of a message or call that did not get through */
  error_code: number | null;
  /** null unless failed */
  errorMessage: string | null;
}

/** Statuses under which the carrier's number is an outcome; before them it may be that of a passing fault. */
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

/** `status_counts`: recipients per label, without zeros; statuses that share a label are summed. */
export function statusCounts(channel: Channel, counts: ReadonlyMap<RecipientStatus, number>): Record<string, number> {
  const byLabel: Record<string, number> = {};
  for (const [status, count] of counts) {
    if (count <= 0) continue;
    const label = channel.statusLabels[status];
    byLabel[label] = (byLabel[label] ?? 0) + count;
  }
  return byLabel;
}

/** The statuses behind a label, in any case of letters; empty for a label that the channel does not have. */
export function statusesOf(channel: Pick<Channel, 'statusLabels'>, label: string): RecipientStatus[] {
  const wanted = label.trim().toUpperCase();
  return Object.entries(channel.statusLabels)
    .filter(([, name]) => name.toUpperCase() === wanted)
    .map(([status]) => Number(status) as RecipientStatus);
}

/**
 * One recipient's state in reports and pushes: exactly the fields of reference/delivery-reports#delivery-record, in its
 * order.
 */
export interface DeliveryRecord extends RecipientOutcome {
  event: string;
  /** the campaign's request_id */
  providerMessageId: string;
  receiver: string;
  /** seconds of talk, 0 when unanswered; on timed channels alone */
  duration?: number;
}

/**
 * Builds the record of reference/delivery-reports#delivery-record in the labels of the channel
 * (reference/engine#recipient-statuses).
 */
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
