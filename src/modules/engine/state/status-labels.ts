import type { RecipientRecord } from '../campaign.js';
import type { Channel } from '../channel.js';
import { RecipientStatus } from '../recipient.js';

interface RecipientOutcome {
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

/** Delivery record: exactly the fields of reference/delivery-reports#delivery-record, in order. */
interface DeliveryRecord extends RecipientOutcome {
  event: string;
  providerMessageId: string;
  receiver: string;
  /** seconds of talk, 0 = unanswered; timed channels only */
  duration?: number;
}

type Outcome = Pick<RecipientRecord, 'status' | 'errorCode' | 'errorMessage'>;

/** Recipients in a channel's labels, equal in reports, pushes and the campaigns API (reference/engine#recipient-statuses). */
export class StatusLabels {
  constructor(private readonly channel: Pick<Channel, 'event' | 'statusLabels' | 'timed'>) {}

  outcomeOf({ status, errorCode, errorMessage }: Outcome): RecipientOutcome {
    const failed = status === RecipientStatus.Failed;
    return {
      status: this.channel.statusLabels[status],
      status_code: failed ? 1 : 0,
      error_code: WITH_ERROR_CODE.has(status) ? errorCode : null,
      errorMessage: failed ? errorMessage : null,
    };
  }

  /** `status_counts`: recipients per label, without zeros; equal labels are summed. */
  countsOf(counts: ReadonlyMap<RecipientStatus, number>): Record<string, number> {
    const byLabel: Record<string, number> = {};
    for (const [status, count] of counts) {
      if (count <= 0) continue;
      const label = this.channel.statusLabels[status];
      byLabel[label] = (byLabel[label] ?? 0) + count;
    }
    return byLabel;
  }

  /** Statuses of a label, in any case; empty = unknown label. */
  statusesOf(label: string): RecipientStatus[] {
    const wanted = label.trim().toUpperCase();
    return Object.entries(this.channel.statusLabels)
      .filter(([, name]) => name.toUpperCase() === wanted)
      .map(([status]) => Number(status) as RecipientStatus);
  }

  deliveryRecord(requestId: string, recipient: Outcome & Pick<RecipientRecord, 'number' | 'duration'>): DeliveryRecord {
    return {
      event: this.channel.event,
      providerMessageId: requestId,
      receiver: recipient.number,
      ...this.outcomeOf(recipient),
      ...(this.channel.timed && { duration: recipient.duration ?? 0 }),
    };
  }
}
