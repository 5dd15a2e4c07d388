import type { BalanceName } from '../credits/index.js';
import type { RecipientStatus } from './recipient.js';

/** Internal states of a campaign; the channel has its own status text (reference/engine#campaign-states). */
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

/** `wait` sends nothing, `send` sends batches, `refund` cancels what is unsent, `nothing` has only final recipients. */
export type LaneAction = 'wait' | 'send' | 'refund' | 'nothing';

/** A transition that changes the action also sets the lanes' wake-up time. */
export const LANE_ACTION: Readonly<Record<CampaignState, LaneAction>> = {
  pending_approval: 'wait',
  accepted: 'send',
  running: 'send',
  paused: 'wait',
  completed: 'nothing',
  cancelled: 'refund',
  failed: 'nothing',
  rejected: 'refund',
};

export type CampaignChange = 'approve' | 'reject' | 'pause' | 'resume' | 'cancel';

/** Changes by the engine: the first batch is claimed; the last recipient is final. */
export type EngineTransition = 'begin' | 'complete';

export interface CampaignTransition {
  /** in any other state a change is refused with `Campaign is already <state>` */
  from: readonly CampaignState[];
  to: CampaignState;
  /** next state of a campaign without a sent batch, if it differs */
  toUnbegun?: CampaignState;
}

/** A start that is later is told, without a rule of the campaign. */
export const LATE_S = 60;

export const LATE_RULES = ['send', 'expire', 'hold'] as const;

/** What happens to a scheduled campaign that has not begun in time (reference/engine#late-starts). */
export interface LateRule {
  late: (typeof LATE_RULES)[number];
  afterSeconds: number;
}

export const LATE_CHANGE = { expire: 'cancel', hold: 'pause' } as const satisfies Partial<
  Record<LateRule['late'], CampaignChange>
>;

/** All campaign transitions: every write of `campaigns.state` and every refusal of a change derives from this table. */
export const TRANSITIONS: Readonly<Record<CampaignChange | EngineTransition, CampaignTransition>> = {
  approve: { from: ['pending_approval'], to: 'accepted' },
  reject: { from: ['pending_approval'], to: 'rejected' },
  begin: { from: ['accepted'], to: 'running' },
  pause: { from: ['accepted', 'running'], to: 'paused' },
  resume: { from: ['paused'], to: 'running', toUnbegun: 'accepted' },
  cancel: { from: ['pending_approval', 'accepted', 'running', 'paused'], to: 'cancelled' },
  complete: { from: ['accepted', 'running', 'paused'], to: 'completed' },
};

export const statesThat = (action: LaneAction): CampaignState[] =>
  CAMPAIGN_STATES.filter((state) => LANE_ACTION[state] === action);

/** Whether no transition leaves the state. */
export const isEndState = (state: CampaignState): boolean =>
  Object.values(TRANSITIONS).every(({ from }) => !from.includes(state));

/** What the sender of a single message said about it; its events carry it (reference/messages#metadata). Stored as JSON. */
export interface MessageTags {
  client_ref?: string;
  metadata?: Readonly<Record<string, unknown>>;
}

export interface CampaignRecord {
  id: number;
  accountId: number;
  requestId: string;
  channel: string;
  state: CampaignState;
  /** sent with a test key: `chargedCredits` is what it would have cost */
  isTest: boolean;
  broadcastName: string;
  service: string;
  routeId: number;
  sender: string | null;
  category: string | null;
  content: Record<string, unknown>;
  balance: BalanceName;
  /** per recipient without a price of its own; of a test the average that it would have cost */
  unitCredits: number;
  /** whether any recipient has its own terms (`recipient.ts`) */
  ownTerms: boolean;
  ownKinds: number;
  chargedCredits: number;
  totalRows: number;
  openLanes: number;
  refundedCredits: number;
  retryOf: string | null;
  /** of the rejection by staff; null = not rejected, or none given */
  reason: string | null;
  createdBy: string | null;
  /** null = not sent as a message */
  tags: MessageTags | null;
  scheduledAt: Date | null;
  lateRule: LateRule | null;
  /** seconds, if it was late by its rule, or by a minute without one */
  startedLateSeconds: number | null;
  createdAt: Date;
  sentAt: Date | null;
  completedAt: Date | null;
}

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
