import type { RecipientRecord } from './campaign.js';
import type { Channel } from '../channel.js';
import { outcomeOf, type RecipientOutcome } from './recipient-outcome.js';

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
 * Builds the record of reference/delivery-reports#delivery-record in the words of the channel
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
