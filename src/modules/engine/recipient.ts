import { timeOfId } from '../../kernel/ids.js';

/**
 * The life of a recipient, one for all channels; each channel gives its own labels to these
 * (reference/engine#recipient-statuses). The numbers are stored.
 */
export enum RecipientStatus {
  /** nothing has left yet */
  Pending = 0,
  /** the carrier has it */
  Submitted = 1,
  Delivered = 2,
  /** forward of Delivered (chat only) */
  Read = 3,
  Failed = 4,
  Cancelled = 5,
  Answered = 6,
  NoAnswer = 7,
  Busy = 8,
  /** it may have left: settled by a receipt or by the deadline; sent again only where the upstream drops a second copy */
  Unknown = 9,
  /** reached in vain; the next attempt waits for its time */
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

/** True when the campaign no longer waits for this recipient. */
export const isFinal = (status: RecipientStatus): boolean => RANK[status] >= 4;

/**
 * Status only moves forward: a late lower status never overwrites a terminal one; Read follows Delivered alone, and only
 * what has certainly not left can be cancelled. One circle is allowed: an attempt in vain (Retrying) is followed by the next.
 */
export function mayMove(from: RecipientStatus, to: RecipientStatus): boolean {
  if (to === RecipientStatus.Cancelled) return from === RecipientStatus.Pending;
  if (to === RecipientStatus.Retrying) return from === RecipientStatus.Submitted || from === RecipientStatus.Unknown;
  if (from === RecipientStatus.Retrying) return to !== RecipientStatus.Pending;
  if (to === RecipientStatus.Read) return RANK[from] < 4 || from === RecipientStatus.Delivered;
  return RANK[to] > RANK[from];
}

/** Status of a recipient whose message has several items: failed if any failed, else the lowest. */
export function lowest(statuses: readonly RecipientStatus[]): RecipientStatus {
  if (statuses.includes(RecipientStatus.Failed)) return RecipientStatus.Failed;
  return statuses.reduce((low, status) => (RANK[status] < RANK[low] ? status : low), RecipientStatus.Read);
}

/** What is sent to: the number, with what its text needs of the recipient's own. */
export interface Addressee {
  /** digits, as the channel reads them */
  number: string;
  /** values of the text's placeholders; absent = none */
  variables?: Readonly<Record<string, string>>;
  /** sender id that it sees; absent = the campaign's, and that failing the route's */
  sender?: string;
}

/** Where a recipient differs from its campaign; a recipient that differs in nothing has none (docs/decisions/0022). */
export interface RecipientTerms extends Omit<Addressee, 'number'> {
  /** what it costs instead of the campaign's `unitCredits` */
  credits?: number;
  /** the route that carries it instead of the campaign's */
  routeId?: number;
  /**
   * the routes that take over from its own, in this order. Absent: the campaign's with the campaign's route, else none.
   * Known at the acceptance alone; afterwards they stand in `campaign_routes`
   */
  fallbacks?: readonly number[];
}

/** A recipient by its key. */
export interface RecipientKey {
  campaignId: number;
  seq: number;
}

/** One text a recipient, for maps. */
export const keyOf = ({ campaignId, seq }: RecipientKey): string => `${campaignId} ${seq}`;

/** The order in which every transaction locks recipients and their messages: two of them never wait for each other in a circle. */
export const inLockOrder = (a: RecipientKey, b: RecipientKey): number => a.campaignId - b.campaignId || a.seq - b.seq;

/** The recipients of these rows, each once, in the order in which they are locked. */
export const toLock = (rows: readonly RecipientKey[]): [campaignId: number, seq: number][] =>
  [...new Map(rows.map((row) => [keyOf(row), row])).values()]
    .sort(inLockOrder)
    .map(({ campaignId, seq }) => [campaignId, seq]);

/**
 * The campaigns of these rows, each once. A statement that joins a table which is cut into days names them as constants too:
 * it then opens their days only, else every day there is (docs/decisions/0022).
 */
export const campaignsOf = (rows: readonly Pick<RecipientKey, 'campaignId'>[]): number[] => [
  ...new Set(rows.map(({ campaignId }) => campaignId)),
];

const DAY_MS = 86_400_000;

/** The day, YYYY-MM-DD, before which nothing of these campaigns was sent: one for clocks that differ before the first of them. */
export const firstSendDay = (campaignIds: readonly number[]): string =>
  new Date(timeOfId(Math.min(...campaignIds)).getTime() - DAY_MS).toISOString().slice(0, 10);

const REFERENCE = /^([1-9][0-9]{0,15})-([0-9]{1,10})$/;

/** Our client reference of a recipient to an upstream, `<campaign id>-<seq>`; the same for every attempt. */
export const referenceOf = ({ campaignId, seq }: RecipientKey): string => `${campaignId}-${seq}`;

/** The recipient that a reference names; null for one that is none of ours, or not a campaign's. */
export function readReference(reference: string): RecipientKey | null {
  const [, campaign, seq] = REFERENCE.exec(reference) ?? [];
  const key = { campaignId: Number(campaign), seq: Number(seq) };
  return Number.isSafeInteger(key.campaignId) && Number.isSafeInteger(key.seq) ? key : null;
}

/** What a message takes of a recipient's own terms, as rows have it. */
export interface SenderRow {
  sender?: string | null;
}

/** The columns of a `TermsRow`; `recipient_terms o`. */
export const SENDER_COLUMN = 'o.sender';

/** @param common the campaign's sender id, for recipients that have none of their own */
export function termsOf({ sender: own }: SenderRow, common: string | null): Pick<Addressee, 'sender'> {
  const sender = own ?? common;
  return sender ? { sender } : {};
}
