import type { BalanceName } from '../credits/index.js';
import type { RecipientStatus } from './recipient.js';

/** Internal state of a campaign, beside the channel's own status text (reference/engine#campaign-states). */
export const CAMPAIGN_STATES = [
  'pending_approval',
  'accepted',
  'running',
  'paused',
  'completed',
  'cancelled',
  'failed',
  'rejected',
] as const;

export type CampaignState = (typeof CAMPAIGN_STATES)[number];

/**
 * What the lanes of a campaign do while it is in a state:
 * - `wait`: nothing leaves, and nothing is lost;
 * - `send`: windows leave, not before the schedule;
 * - `refund`: what has not left is cancelled and its credits go back, in bounded steps;
 * - `rest`: every recipient is final.
 */
export type LaneAction = 'wait' | 'send' | 'refund' | 'rest';

/** What the lanes do in each state. A transition that changes the duty wakes the lanes, or lets them sleep, by it. */
export const LANE_ACTION: Readonly<Record<CampaignState, LaneAction>> = {
  pending_approval: 'wait',
  accepted: 'send',
  running: 'send',
  paused: 'wait',
  completed: 'rest',
  cancelled: 'refund',
  failed: 'rest',
  rejected: 'refund',
};

/** What owners and staff do with a campaign. */
export type CampaignChange = 'approve' | 'reject' | 'pause' | 'resume' | 'cancel';

/** What the engine does by itself: the first window leaves; the last recipient is final. */
export type EngineTransition = 'begin' | 'complete';

export interface CampaignTransition {
  /** the states in which it is possible; in any other a change is refused with `Campaign is already <state>` */
  from: readonly CampaignState[];
  to: CampaignState;
  /** the next state of a campaign of which no window has left yet, where that is another one */
  toUnbegun?: CampaignState;
}

/** The one table of campaign transitions: every write of `campaigns.state` and every refusal of a change is made of it. */
export const TRANSITIONS: Readonly<Record<CampaignChange | EngineTransition, CampaignTransition>> = {
  approve: { from: ['pending_approval'], to: 'accepted' },
  reject: { from: ['pending_approval'], to: 'rejected' },
  begin: { from: ['accepted'], to: 'running' },
  pause: { from: ['accepted', 'running'], to: 'paused' },
  resume: { from: ['paused'], to: 'running', toUnbegun: 'accepted' },
  cancel: { from: ['pending_approval', 'accepted', 'running', 'paused'], to: 'cancelled' },
  complete: { from: ['accepted', 'running', 'paused'], to: 'completed' },
};

/** The states whose lanes have this duty. */
export const statesThat = (action: LaneAction): CampaignState[] =>
  CAMPAIGN_STATES.filter((state) => LANE_ACTION[state] === action);

/** True at the end of a campaign: no transition leads away from the state. */
export const isEndState = (state: CampaignState): boolean =>
  Object.values(TRANSITIONS).every(({ from }) => !from.includes(state));

/** A campaign as every reader outside the engine sees it. */
export interface CampaignRecord {
  id: number;
  accountId: number;
  requestId: string;
  channel: string;
  state: CampaignState;
  broadcastName: string;
  service: string;
  routeId: number;
  /** sender id of recipients that have none of their own; null = the route's */
  sender: string | null;
  /** what kind of message it is, for rules of routes; null = none was named */
  category: string | null;
  /** the channel's own payload (message text …) */
  content: Record<string, unknown>;
  balance: BalanceName;
  /** credits per recipient that has no price of its own */
  unitCredits: number;
  /** whether any recipient has terms of its own (`recipient.ts`) */
  ownTerms: boolean;
  /** what sending has to read of the recipients: a sum of `OWN_KIND` */
  ownKinds: number;
  /** credits that were taken for all recipients */
  chargedCredits: number;
  totalRows: number;
  /** lanes of which a recipient is not final */
  openLanes: number;
  refundedCredits: number;
  retryOf: string | null;
  /** why staff rejected it; null = it was not, or without a word */
  reason: string | null;
  /** who sent it (`kernel/maker.ts`); null = not known */
  createdBy: string | null;
  scheduledAt: Date | null;
  createdAt: Date;
  sentAt: Date | null;
  completedAt: Date | null;
}

/** One recipient as reports see it. */
export interface RecipientRecord {
  seq: number;
  number: string;
  status: RecipientStatus;
  attempts: number;
  errorCode: number | null;
  errorMessage: string | null;
  duration: number | null;
  updatedAt: Date;
}
