import type { BalanceName } from '../../credits/index.js';
import type { RecipientTerms } from '../state/recipient-terms.js';

/** What a channel asks the engine to accept: validated, priced, routed. */
export interface CampaignDraft {
  accountId: number;
  channel: string;
  /** a caller-supplied id, or a maker of ids (tried again on a collision) */
  requestId: { given: string } | { make: () => string };
  broadcastName: string;
  service: string;
  routeId: number;
  /** the routes that take over from the campaign's own, in this order; with it they are its chain */
  fallbacks?: readonly number[];
  /** sender id of recipients that have none of their own; absent or null = the route's */
  sender?: string | null;
  /** what kind of message it is; absent or null = none was named */
  category?: string | null;
  content: Record<string, unknown>;
  /** e.g. gsm_credits */
  balance: BalanceName;
  /** credits per recipient; 0 = free */
  unitCredits: number;
  /** cleaned, in order, duplicates as the channel wants them */
  recipients: string[];
  /** as long as `recipients`; absent = all of them have the campaign's */
  terms?: readonly (RecipientTerms | null)[];
  initialState: 'accepted' | 'pending_approval';
  scheduledAt?: Date;
  retryOf?: string;
  /** who sends it (`kernel/maker.ts`); absent = not known */
  createdBy?: string;
  /** SHA-256 over what makes two requests with one caller-supplied id the same */
  fingerprint?: Buffer;
}

/** The engine's answer to a draft. `repeated` = the same caller-supplied id and fingerprint came before; nothing was charged. */
export interface AcceptedCampaign {
  id: number;
  requestId: string;
  totalRows: number;
  /** of a recipient that has no price of its own */
  unitCredits: number;
  /** for all recipients together */
  chargedCredits: number;
  /** of the recipients that have none of their own */
  routeId: number;
  repeated: boolean;
}
