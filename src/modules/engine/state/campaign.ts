import { FIRST_REVISION } from '../../../kernel/revision.js';
import type { BalanceName } from '../../credits/index.js';
import type { CampaignState } from './campaign-transitions.js';
import type { RecipientStatus } from './recipient-status.js';

/** Of every campaign: once it is accepted, its owner changes nothing of it. */
export const CAMPAIGN_REVISION = FIRST_REVISION;

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
  /** whether any recipient has terms of its own (`recipient-terms.ts`) */
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
