import type { RetryPlan } from './settle/attempts.js';
import type { ChannelName } from './state/campaign.js';
import type { ReviewContent } from './review-content.js';
import type { RecipientStatus } from './state/recipient-status.js';

/** What leaves for one recipient; a driver of the channel's kind reads the fields it knows. */
export interface Composed {
  text: string;
  mediaUrl?: string;
  attachments?: readonly string[];
  payload?: Readonly<Record<string, unknown>>;
}

/** Items of the carrier that one recipient's message is: the first, and each attachment by itself. */
export const itemsOf = ({ attachments = [] }: Composed): number => 1 + attachments.length;

/** What the engine must know of a channel: data and two pure functions. Everything else is the engine's. */
export interface Channel {
  name: ChannelName;
  /** webhook event of a status change, and `event` of a delivery record (reference/delivery-reports#delivery-record) */
  event: string;
  /**
   * the campaign's `status` before its end (reference/engine#campaign-status-texts): as accepted, and once it may send
   */
  campaignStatus: { accepted: string; sending: string };
  /** what the channel calls each recipient status (reference/engine#recipient-statuses) */
  statusLabels: Readonly<Record<RecipientStatus, string>>;
  /** what leaves for one recipient; the engine adds reference and deadline */
  compose(content: Record<string, unknown>, receiver: string): Composed;
  /** what the desk is to see before it approves; absent on channels that need no approval */
  desk?(content: Record<string, unknown>): ReviewContent;
  /** absent = what failed stays failed; only for channels whose messages are one item each */
  retryPlan?(content: Record<string, unknown>): RetryPlan;
}
