import { timeOfId } from '../../kernel/ids.js';

/** Statuses of all channels; each channel has its own labels (reference/engine#recipient-statuses). The numbers are stored. */
export enum RecipientStatus {
  /** not sent */
  Pending = 0,
  Submitted = 1,
  Delivered = 2,
  /** after Delivered (chat only) */
  Read = 3,
  Failed = 4,
  Cancelled = 5,
  Answered = 6,
  NoAnswer = 7,
  Busy = 8,
  /** may have been sent: settled by a receipt or the deadline; sent again only if the carrier drops duplicates */
  Unknown = 9,
  /** failed attempt; the next one is scheduled */
  Retrying = 10,
}

const RANK: Record<RecipientStatus, number> = {
  [RecipientStatus.Pending]: 0,
  [RecipientStatus.Unknown]: 1,
  [RecipientStatus.Submitted]: 2,
  [RecipientStatus.Retrying]: 3,
  [RecipientStatus.Failed]: 4,
  [RecipientStatus.Cancelled]: 4,
  [RecipientStatus.Answered]: 4,
  [RecipientStatus.NoAnswer]: 4,
  [RecipientStatus.Busy]: 4,
  [RecipientStatus.Delivered]: 4,
  [RecipientStatus.Read]: 5,
};

/** Whether the campaign no longer waits for the recipient. */
export const isFinal = (status: RecipientStatus): boolean => RANK[status] >= 4;

/** Forward only: of final statuses only Delivered may become Read; only Pending is cancelled; Retrying repeats. */
export function mayMove(from: RecipientStatus, to: RecipientStatus): boolean {
  if (to === RecipientStatus.Cancelled) return from === RecipientStatus.Pending;
  if (to === RecipientStatus.Retrying) return from === RecipientStatus.Submitted || from === RecipientStatus.Unknown;
  if (from === RecipientStatus.Retrying) return to !== RecipientStatus.Pending;
  if (to === RecipientStatus.Read) return RANK[from] < 4 || from === RecipientStatus.Delivered;
  return RANK[to] > RANK[from];
}

/** Status of a message of several items: failed if any failed, else the lowest. */
export function lowest(statuses: readonly RecipientStatus[]): RecipientStatus {
  if (statuses.includes(RecipientStatus.Failed)) return RecipientStatus.Failed;
  return statuses.reduce((low, status) => (RANK[status] < RANK[low] ? status : low), RecipientStatus.Read);
}

/** Number and own values of a recipient. */
export interface Addressee {
  number: string;
  variables?: Readonly<Record<string, string>>;
  /** absent = the campaign's, else the route's */
  sender?: string;
}

export interface RecipientTerms extends Omit<Addressee, 'number'> {
  /** instead of the campaign's `unitCredits` */
  credits?: number;
  routeId?: number;
  /** fallback routes in order; absent: the campaign's for its own route, else none; later read from `campaign_routes` */
  fallbacks?: readonly number[];
}

export interface RecipientKey {
  campaignId: number;
  seq: number;
}

export const keyOf = ({ campaignId, seq }: RecipientKey): string => `${campaignId} ${seq}`;

/** Global lock order of recipients and their messages; prevents deadlocks. */
export const inLockOrder = (a: RecipientKey, b: RecipientKey): number => a.campaignId - b.campaignId || a.seq - b.seq;

/** Distinct recipients in lock order. */
export const toLock = (rows: readonly RecipientKey[]): [campaignId: number, seq: number][] =>
  [...new Map(rows.map((row) => [keyOf(row), row])).values()]
    .sort(inLockOrder)
    .map(({ campaignId, seq }) => [campaignId, seq]);

/** Distinct campaigns: as constants they limit a day-partitioned table to their partitions (docs/decisions/0022). */
export const campaignsOf = (rows: readonly Pick<RecipientKey, 'campaignId'>[]): number[] => [
  ...new Set(rows.map(({ campaignId }) => campaignId)),
];

const DAY_MS = 86_400_000;

/** First day (YYYY-MM-DD) on which these campaigns can have sent; one day earlier for differing clocks. */
export const firstSendDay = (campaignIds: readonly number[]): string =>
  new Date(timeOfId(Math.min(...campaignIds)).getTime() - DAY_MS).toISOString().slice(0, 10);

const REFERENCE = /^([1-9][0-9]{0,15})-([0-9]{1,10})$/;

/** The reference of a recipient for carriers, `<campaign id>-<seq>`; equal for every attempt. */
export const referenceOf = ({ campaignId, seq }: RecipientKey): string => `${campaignId}-${seq}`;

/** The recipient of a reference; null = not one of a campaign. */
export function readReference(reference: string): RecipientKey | null {
  const [, campaign, seq] = REFERENCE.exec(reference) ?? [];
  const key = { campaignId: Number(campaign), seq: Number(seq) };
  return Number.isSafeInteger(key.campaignId) && Number.isSafeInteger(key.seq) ? key : null;
}

export interface SenderRow {
  sender?: string | null;
}

export const SENDER_COLUMN = 'o.sender';

export function termsOf({ sender: own }: SenderRow, common: string | null): Pick<Addressee, 'sender'> {
  const sender = own ?? common;
  return sender ? { sender } : {};
}
