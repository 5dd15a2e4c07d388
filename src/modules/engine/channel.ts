import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Environment } from '../../platform/config/index.js';
import type { BalanceName } from '../credits/index.js';
import type { CarrierDemands, DltIds, RouteKind } from '../providers/index.js';
import type { BegunAttempt, EndedAttempt, RetryPlan } from './attempts.js';
import type { CampaignRecord, RecipientRecord } from './campaign.js';
import type { Addressee, RecipientStatus } from './recipient.js';

/** A key of a menu as staff see it. */
export interface ReviewMenuRow {
  digit: string;
  action: string;
  /** what is played, where staff can hear it; null where nothing is */
  clip: string | null;
  /** where that was fetched; null without a clip, and for campaigns of earlier versions, which play the address itself */
  source: string | null;
  /** what follows the clip */
  after: string | null;
  /** the number that is called */
  number: string | null;
  /** the numbers that are called without an answer there, in order */
  fallback_numbers: string[];
  /** of a submenu */
  rows: ReviewMenuRow[];
}

/** What a campaign says, as its owner wrote it; null where the channel has none. */
export interface ContentOutline {
  /** with its placeholders, where it has any */
  text: string | null;
  template: { name: string; language: string; components: readonly unknown[] } | null;
  /** addresses of what is attached */
  attachments: readonly string[];
  /** what is played */
  audio_url: string | null;
}

export const NO_OUTLINE: ContentOutline = { text: null, template: null, attachments: [], audio_url: null };

/** What recipients will hear and can reach, for the staff that approve it; null where the channel has none. */
export interface ReviewContent {
  audio_url: string | null;
  message: string | null;
  language: string | null;
  /** digits; null = the route's own number */
  caller_id: string | null;
  retries: number | null;
  menu: ReviewMenuRow[] | null;
}

/** What a campaign carries, in the channel's own shape (`campaigns.content`). */
export type Content = Record<string, unknown>;

/** Whether a content's texts have placeholders, which each recipient's own values fill in (docs/decisions/0031). */
export const isPersonalised = (content: Content): boolean => content['personalised'] === true;

/** Finds a provider of this process by its class: for the parts of a channel that need the database. */
export type Services = <T>(provider: Type<T>) => T;

/** What one recipient costs, and which balance pays. */
export interface Price {
  balance: BalanceName;
  /** credits per recipient; 0 = free */
  unitCredits: number;
}

/** A message priced for one recipient, before anything is sent. */
export interface MessageQuote extends Price {
  encoding: 'gsm7' | 'unicode';
  /** the different characters that make the text Unicode, in order of first appearance */
  unicodeCharacters: string[];
  /** as the channel counts */
  length: number;
  /** parts that leave for one recipient; the price may follow another table (reference/sms#parts) */
  segments: number;
}

/** What a retry of a campaign does not take over from it. */
export interface RenewedTerms extends Price {
  routeId: number;
  service: string;
}

/** What leaves for one recipient; a driver of the channel's kind reads the fields it knows. */
export interface Composed {
  text: string;
  mediaUrl?: string;
  attachments?: readonly string[];
  payload?: Readonly<Record<string, unknown>>;
  /** ids of operators' registries */
  dlt?: DltIds;
  /** seconds for which the message is of use, from acceptance or the moment that it was scheduled for */
  validitySeconds?: number;
}

/** Items of the carrier that one recipient's message is: the first, and each attachment by itself. */
export const itemsOf = ({ attachments = [] }: Composed): number => 1 + attachments.length;

/** A channel's own record of every single attempt. Written in the engine's transactions. */
export interface AttemptLog {
  began(tx: EntityManager, attempts: readonly BegunAttempt[]): Promise<void>;
  /** Takes reports that come twice, and attempts of which it has not heard. */
  ended(tx: EntityManager, attempts: readonly EndedAttempt[]): Promise<void>;
}

/** What can happen to a recipient (reference/campaigns#timeline). */
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
  'webhook',
] as const;

/** One moment in a recipient's life. */
export interface TimelineEvent {
  at: Date;
  event: (typeof TIMELINE_EVENTS)[number];
  /** the recipient's label from then on, where it changed */
  status?: string;
  /** JSON values; no secret, and no time that is not formatted */
  details?: Record<string, unknown>;
}

/** A value in a channel's own column of a recipient. */
export type DetailValue = string | number | null;

/** What a channel knows of recipients beside the engine's tables: further columns, and moments of the timeline. */
export interface RecipientDetails {
  /** names of the columns, in the order of the export */
  columns: readonly string[];
  /** @returns the columns' values by seq, for every one of these recipients */
  of(
    services: Services,
    campaign: CampaignRecord,
    recipients: readonly RecipientRecord[],
  ): Promise<ReadonlyMap<number, Readonly<Record<string, DetailValue>>>>;
  /** @returns in any order */
  timeline(services: Services, campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]>;
}

/**
 * A channel: everything that the engine must know of one, in one object. Beside it a channel has a reader of requests and a
 * controller; the rest is the engine's and the same for all.
 */
export interface Channel<Name extends string = string> {
  /** stored with every campaign, and the name of the queue that its turns wait in */
  readonly name: Name;
  /** for people, as in "turns of … routes" */
  readonly title: string;
  /** the kind of route, and with it of driver, that carries its messages; `chat` = the sender's own chat account */
  readonly routes: RouteKind;
  /** webhook event of a status change, and `event` of a delivery record (reference/delivery-reports#delivery-record) */
  readonly event: string;
  /** the campaign's `status` before its end (reference/engine#campaign-status-texts): as accepted, and once it may send */
  readonly campaignStatus: { readonly accepted: string; readonly sending: string };
  /** what the channel calls each recipient status (reference/engine#recipient-statuses) */
  readonly statusLabels: Readonly<Record<RecipientStatus, string>>;
  /** true where a delivery record tells how long the recipient was talked to */
  readonly timed?: true;

  /** A fresh request id in the channel's format (reference/engine#request-ids). @param zone IANA zone of its date */
  readonly newRequestId: (zone: string, environment: Environment) => string;
  /** The number as a send takes it; null for one that a send refuses or leaves out. */
  readonly readRecipient: (entry: unknown) => string | null;
  /** what becomes of a number that comes again: charged per entry, or removed (reference/requests#contacts) */
  readonly duplicates: 'charged' | 'removed';

  /**
   * Absent where the price does not follow from the content alone; the submission then names it.
   * @param addressee whose own text is priced; absent = a text that is the same for all, or what all share of it
   * @throws AppError what makes a send of this text, or to this recipient, be refused
   */
  readonly price?: (content: Content, addressee?: Addressee) => Price;
  /** Parts that leave for one recipient; absent = 1. As `price` otherwise. */
  readonly segments?: (content: Content, addressee?: Addressee) => number;
  /** By what an account with a rate plan pays, where it is not the parts that leave (reference/rates#prices). */
  readonly billedUnits?: (content: Content) => number;
  /** Placeholders that have neither value nor default for a recipient, which a send refuses; absent = it has none. */
  readonly missing?: (content: Content, addressee: Addressee) => readonly string[];
  /**
   * Prices what a send would charge; absent where that cannot be told from a text.
   * @param message what the channel's `message` is: the text, or the name of a template
   * @throws AppError what the channel's own send would answer to this message
   */
  readonly quote?: (services: Services, accountId: number, message: string) => Promise<MessageQuote>;
  /** true where the price does not follow from a text, and the whole body of a send is quoted by a query of the channel's own */
  readonly quotesRequests?: true;
  /**
   * Judges the campaign that a retry sends again as a new send would be judged now; absent where nothing but the route
   * can have changed.
   * @throws AppError what the channel's own send would answer
   */
  readonly renew?: (services: Services, campaign: CampaignRecord) => Promise<RenewedTerms>;

  /** @throws AppError what a send answers when a message lacks what a route of it asks for; absent = takes any route */
  readonly judgeDemands?: (content: Content, demands: CarrierDemands) => void;
  /**
   * Judges, before a retry, what of the campaign was approved then and may not be any more.
   * @throws AppError what the channel's own send would answer
   */
  readonly validateRetry?: (services: Services, campaign: CampaignRecord) => Promise<void>;

  /** What a retry of a campaign takes over besides, in the transaction that accepts it; both by id. */
  readonly retried?: (tx: EntityManager, parentId: number, childId: number) => Promise<void>;

  /** Seconds for which the messages of a campaign are of use, as each of them is composed; absent = whenever they leave. */
  readonly validitySeconds?: (content: Content) => number | undefined;
  /** What leaves for one recipient; the engine adds reference and deadline. */
  readonly compose: (content: Content, recipient: Addressee) => Composed;
  /** Absent = what failed stays failed; only for channels whose messages are one item each. */
  readonly retryPlan?: (content: Content) => RetryPlan;
  /** Only with a retry plan: without one a receipt is about the recipient, not about an attempt. */
  readonly attemptLog?: AttemptLog;
  readonly details?: RecipientDetails;
  /** What a campaign says, for those who look at it; absent = nothing is shown. */
  readonly outline?: (content: Content) => ContentOutline;
  /**
   * Makes the content of a test that staff send over a route, and hands it on with what is kept of it beside its campaign;
   * absent where the text is all of it.
   */
  readonly testing?: <T>(
    services: Services,
    test: { accountId: number; text: string },
    accept: (content: Content, keep: (tx: EntityManager, campaignId: number) => Promise<void>) => Promise<T>,
  ) => Promise<T>;
  /** What staff see before they approve; absent on channels that need no approval. */
  readonly reviewContent?: (content: Content) => ReviewContent;
}

/** Whether a send of the channel can be priced before. */
export const isQuotable = ({ quote, quotesRequests }: Channel): boolean => Boolean(quote) || quotesRequests === true;
