import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AppError } from '../../kernel/errors.js';
import type { Environment } from '../../platform/config/index.js';
import type { Sealer } from '../../platform/security/index.js';
import type { BalanceName } from '../credits/index.js';
import type { CarrierDemands, DltIds, ProviderPricing, RouteKind } from '../providers/index.js';
import type { BegunAttempt, EndedAttempt, RetryPlan } from './attempts.js';
import type { CampaignRecord, RecipientRecord } from './campaign.js';
import type { Addressee, RecipientKey, RecipientStatus } from './recipient.js';

export interface ReviewMenuRow {
  digit: string;
  action: string;
  /** playable by staff; null = none */
  clip: string | null;
  /** where the clip was fetched; null without a clip, and for campaigns of earlier versions (these play the address itself) */
  source: string | null;
  /** action after the clip */
  after: string | null;
  number: string | null;
  /** called in order if `number` does not answer */
  fallback_numbers: string[];
  rows: ReviewMenuRow[];
}

export interface ContentOutline {
  /** with placeholders */
  text: string | null;
  template: { name: string; language: string; components: readonly unknown[] } | null;
  attachments: readonly string[];
  audio_url: string | null;
}

/** Content for approval by staff; null = the channel has no such field. */
export interface ReviewContent {
  audio_url: string | null;
  message: string | null;
  language: string | null;
  caller_id: string | null;
  retries: number | null;
  menu: ReviewMenuRow[] | null;
}

export type Content = Record<string, unknown>;

/** Whether texts have placeholders for values of each recipient (docs/decisions/0031). */
export const isPersonalised = (content: Content): boolean => content['personalised'] === true;

const MASK = '*';
/** The place of sealed contents: a campaign of retries has that of its parent. */
export const CONTENT = 'campaigns.content';

const masked = (value: unknown, secret: string): unknown => {
  if (typeof value === 'string') return value.replaceAll(secret, MASK.repeat(secret.length));
  if (Array.isArray(value)) return value.map((item) => masked(item, secret));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, masked(item, secret)]));
};

/**
 * The content to store of a message with a secret in its texts: stars in place of the secret, and the original sealed beside
 * them. Length and alphabet stay, so parts and price do too. `openedContent` is the inverse, for the driver alone.
 */
export const concealedContent = (sealer: Pick<Sealer, 'seal'>, content: Content, secret: string): Content => ({
  ...(masked(content, secret) as Content),
  sealed: sealer.seal(JSON.stringify(content), CONTENT),
});

/** @throws Error if `ENCRYPTION_KEY` has changed and the former key is not accepted */
export const openedContent = (sealer: Pick<Sealer, 'open'>, content: Content): Content =>
  typeof content['sealed'] === 'string' ? (JSON.parse(sealer.open(content['sealed'], CONTENT)) as Content) : content;

/** Resolves a provider of this process by class, for channel functions that need the database. */
export type Services = <T>(provider: Type<T>) => T;

/** Price of one recipient and the balance that pays. */
export interface Price {
  balance: BalanceName;
  /** per recipient; 0 = free */
  unitCredits: number;
}

export interface MessageQuote extends Price {
  encoding: 'gsm7' | 'unicode';
  /** distinct characters that make the text Unicode, in order of first appearance */
  unicodeCharacters: string[];
  length: number;
  /** parts per recipient; the price may follow another table (reference/sms#parts) */
  segments: number;
}

export interface RenewedTerms extends Price {
  routeId: number;
  service: string;
}

/** Message to one recipient; a driver reads the fields it supports. */
export interface Composed {
  text: string;
  mediaUrl?: string;
  attachments?: readonly string[];
  payload?: Readonly<Record<string, unknown>>;
  dlt?: DltIds;
  validitySeconds?: number;
}

/** Carrier items of a message: the text and each attachment. */
export const itemsOf = ({ attachments = [] }: Composed): number => 1 + attachments.length;

/** A channel's own log of attempts, written in the engine's transactions. */
export interface AttemptLog {
  began(tx: EntityManager, attempts: readonly BegunAttempt[]): Promise<void>;
  /** Must accept repeated reports, and attempts unknown to the log. */
  ended(tx: EntityManager, attempts: readonly EndedAttempt[]): Promise<void>;
}

/** A price that the provider has reported for a message. */
export interface PricedMessage extends RecipientKey {
  accountId: number;
  /** of the campaign: what the account paid from */
  balance: string;
  pricing: ProviderPricing;
}

/** Events of a recipient's timeline (reference/campaigns#timeline). */
export const TIMELINE_EVENTS = [
  'queued',
  'scheduled',
  'submitted',
  'outcome_unknown',
  'retry_due',
  'route_changed',
  'status',
  'refund',
  'call_answered',
  'call_ended',
  'priced',
  'answer',
  'webhook',
] as const;

export interface TimelineEvent {
  at: Date;
  event: (typeof TIMELINE_EVENTS)[number];
  /** the recipient's new label, if it changed */
  status?: string;
  /** JSON values; no secrets; times as formatted text */
  details?: Record<string, unknown>;
}

export type DetailValue = string | number | null;

/** Columns and timeline events that a channel adds to the engine's. */
export interface RecipientDetails {
  columns: readonly string[];
  /** @returns the column values by seq, for each of these recipients */
  of(
    services: Services,
    campaign: CampaignRecord,
    recipients: readonly RecipientRecord[],
  ): Promise<ReadonlyMap<number, Readonly<Record<string, DetailValue>>>>;
  timeline(services: Services, campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]>;
}

/**
 * All that the engine needs of a channel. A channel adds only a request reader and a controller. A complete one in one file:
 * test/support/sixth-channel.ts.
 */
export interface Channel<Name extends string = string> {
  /** stored with every campaign; also the name of the channel's queue */
  readonly name: Name;
  readonly title: string;
  /** kind of the routes and drivers; `chat` = the sender's own chat account */
  readonly routes: RouteKind;
  /** webhook event of a status change, and `event` of a delivery record (reference/delivery-reports#delivery-record) */
  readonly event: string;
  /** `status` texts until the end (reference/engine#campaign-status-texts): accepted, and once it may send */
  readonly campaignStatus: { readonly accepted: string; readonly sending: string };
  /** labels of the recipient statuses (reference/engine#recipient-statuses) */
  readonly statusLabels: Readonly<Record<RecipientStatus, string>>;
  readonly timed?: true;

  /** A new request id in the channel's format (reference/engine#request-ids). @param zone IANA zone of its date */
  readonly newRequestId: (zone: string, environment: Environment) => string;
  /** Cleans a number; null = a send refuses or skips it. */
  readonly readRecipient: (entry: unknown) => string | null;
  /** whether a repeated number is charged per entry or removed (reference/requests#contacts) */
  readonly duplicates: 'charged' | 'removed';

  /** Absent = the submission's. @param addressee absent = the part that all share @throws AppError refusal of the send */
  readonly price?: (content: Content, addressee?: Addressee) => Price;
  /** Parts per recipient; absent = 1. Parameters as of `price`. */
  readonly segments?: (content: Content, addressee?: Addressee) => number;
  readonly billedUnits?: (content: Content) => number;
  /** Placeholders without value and default, for which a send is refused; absent = the channel has no placeholders. */
  readonly missing?: (content: Content, addressee: Addressee) => readonly string[];
  /** Why a personalised message to one recipient is refused, besides missing values; null = it is not. */
  readonly refused?: (content: Content, addressee: Addressee) => AppError | null;
  /** Prices a message; absent = its text does not determine the price. @throws AppError the error of the channel's own send */
  readonly quote?: (services: Services, accountId: number, message: string) => Promise<MessageQuote>;
  /** true = the channel has its own query that prices a whole request body */
  readonly quotesRequests?: true;
  /** Validates and prices a retried campaign as a new send; absent = only the route can have changed. @throws AppError */
  readonly renew?: (services: Services, campaign: CampaignRecord) => Promise<RenewedTerms>;

  /** Why a campaign's price is not that of a send made now; null = it is. Absent = prices depend on the message only. */
  readonly priceNote?: (services: Services, campaign: CampaignRecord) => Promise<string | null>;

  /** Absent = accepts any route. @throws AppError if the message lacks what the route's carrier demands */
  readonly assertDemands?: (content: Content, demands: CarrierDemands) => void;
  /** Checks, before a retry, what needed approval and may no longer be approved. @throws AppError */
  readonly validateRetry?: (services: Services, campaign: CampaignRecord) => Promise<void>;

  readonly retried?: (tx: EntityManager, parentId: number, childId: number) => Promise<void>;

  /** Validity in seconds, equal to that of each composed message; absent = unlimited. */
  readonly validitySeconds?: (content: Content) => number | undefined;
  /** The message for one recipient; the engine adds reference and deadline. */
  readonly compose: (content: Content, recipient: Addressee) => Composed;
  /** Absent = failures are final; only for channels with one item per message. */
  readonly retryPlan?: (content: Content) => RetryPlan;
  /** Requires a retry plan: without one a receipt belongs to the recipient, not to an attempt. */
  readonly attemptLog?: AttemptLog;
  readonly details?: RecipientDetails;
  /** Keeps prices that the provider reports; must accept repeats. Absent = they are ignored. */
  readonly priced?: (tx: EntityManager, messages: readonly PricedMessage[]) => Promise<void>;
  /** Absent fields: the channel has none. */
  readonly outline?: (content: Content) => Partial<ContentOutline>;
  /** Makes the content of a test by staff and passes it on, with writes for the same transaction; absent = text only. */
  readonly testing?: <T>(
    services: Services,
    test: { accountId: number; text: string },
    accept: (content: Content, keep: (tx: EntityManager, campaignId: number) => Promise<void>) => Promise<T>,
  ) => Promise<T>;
  readonly reviewContent?: (content: Content) => ReviewContent;
}
