import type { SendOutcome } from '../../providers/index.js';
import { type DueRecipient, type LastOutcome, MAX_TRIES_A_ROUTE } from '../attempts.js';
import { firstIndexOf } from '../lanes.js';
import { inLockOrder, mayMove, RecipientStatus } from '../recipient.js';

/** The next status of a recipient, by a send, receipt, deadline or cancel. */
export interface RecipientChange {
  campaignId: number;
  seq: number;
  to: RecipientStatus;
  errorCode: number | null;
  errorText: string | null;
  carrierCode?: string | undefined;
  /** never sent, so it is refunded (reference/credits#refunds) */
  refund: boolean;
  /** the carrier's answer to the submit refused it: it was never taken */
  isRefused?: boolean;
  attempted: boolean;
  tries?: number;
  /** earlier attempts; a lost worker's late result must not end the wait for the next attempt */
  madeBefore?: number;
  /** back to Pending: its worker, taken for dead, reports that it was never sent */
  takenBack?: boolean;
  /** seconds of talk; absent = no call, or unanswered */
  durationSeconds?: number | undefined;
  routeId?: number | undefined;
  isOverdue?: boolean;
  /** as read without a lock, checked by the write; absent = must be locked */
  recipient?: KnownRecipient | undefined;
}

/** A change that takes effect. */
export interface RecipientMove {
  campaignId: number;
  seq: number;
  from: RecipientStatus;
  to: RecipientStatus;
  number: string;
  errorCode: number | null;
  errorText: string | null;
  carrierCode: string | null;
  durationSeconds: number | null;
  refund: boolean;
  isRefused: boolean;
  tries: number;
  lane: number;
  credits: number;
  /** '' = the route's */
  sender: string;
  routeId: number | null;
  isOverdue: boolean;
}

export interface KnownRecipient {
  number: string;
  status: RecipientStatus;
  attempts: number;
}

export type KnownRecipients = ReadonlyMap<string, KnownRecipient>;

const ERROR_TEXT_LENGTH = 255;
const INT_MAX = 2_147_483_647;

const triesOf = ({ attempted, tries = 1 }: RecipientChange): number => (attempted ? tries : 0);

/** The effect of a change, without terms; null = the status does not move. */
export function moveOf(change: RecipientChange, recipient: KnownRecipient): RecipientMove | null {
  if (!mayChange(change, recipient)) return null;
  // The tries are already counted if the outcome was unknown.
  const counted = recipient.status === RecipientStatus.Unknown ? recipient.attempts : 0;
  const tries = change.takenBack ? -counted : Math.max(0, triesOf(change) - counted);
  // Plain object literal, since batches create thousands.
  return {
    campaignId: change.campaignId,
    seq: change.seq,
    from: recipient.status,
    to: change.to,
    number: recipient.number,
    errorCode: code(change.errorCode),
    errorText: cut(change.errorText),
    carrierCode: change.carrierCode ?? null,
    durationSeconds: change.durationSeconds ?? null,
    refund: change.refund,
    isRefused: change.isRefused ?? false,
    tries,
    lane: 0,
    credits: 0,
    sender: '',
    routeId: change.routeId ?? null,
    isOverdue: change.isOverdue ?? false,
  };
}

const mayChange = (
  { to, madeBefore, takenBack = false }: RecipientChange,
  { status, attempts }: KnownRecipient,
): boolean =>
  takenBack
    ? status === RecipientStatus.Unknown
    : mayMove(status, to) &&
      !(status === RecipientStatus.Retrying && madeBefore !== undefined && madeBefore < attempts);

const code = (value: number | null): number | null =>
  value !== null && Number.isInteger(value) && Math.abs(value) <= INT_MAX ? value : null;
const cut = (text: string | null): string | null => text?.slice(0, ERROR_TEXT_LENGTH) ?? null;

/** Sorted by key; the furthest change per recipient. */
export function furthest(changes: readonly RecipientChange[]): RecipientChange[] {
  const sorted = [...changes].sort(inLockOrder);
  const kept: RecipientChange[] = [];
  for (const change of sorted) {
    const last = kept.at(-1);
    if (!last || inLockOrder(last, change) !== 0) kept.push(change);
    else if (mayMove(last.to, change.to)) kept[kept.length - 1] = change;
  }
  return kept;
}

/** The route refused the recipient before; the refusal stays. */
export interface EarlierRefusal {
  kind: 'refused';
  code: number | null;
  text: string;
}

export interface BatchResult {
  recipient: DueRecipient;
  outcome: SendOutcome | { kind: 'suppressed' } | EarlierRefusal;
  /** the route drops duplicates, so a send of unknown outcome may be repeated under its reference */
  deduplicated?: boolean;
}

type Outcome = BatchResult['outcome'];

/** Not with the carrier, to be sent later. */
export const waits = (outcome: Outcome): outcome is Extract<Outcome, { kind: 'retry' | 'unsent' }> =>
  outcome.kind === 'retry' || outcome.kind === 'unsent';

/** The carrier examined and temporarily rejected it. */
export const counts = (outcome: Outcome): boolean => outcome.kind === 'retry' && !outcome.throttled;

/** The carrier answered, or may have it: more than throttling. */
export const gotThrough = (outcome: Outcome): boolean =>
  outcome.kind === 'accepted' ||
  outcome.kind === 'unknown' ||
  (outcome.kind === 'rejected' && outcome.submitted) ||
  counts(outcome);

/** Five tries, plus one per route of the chain that refused it. */
export const isExhausted = (recipient: DueRecipient, outcome: Outcome): boolean =>
  counts(outcome) && recipient.attempt >= MAX_TRIES_A_ROUTE + firstIndexOf(recipient.lane.lane);

/** An attempt that the carrier has or may have. @param tries that it counts for */
export const changeOf = (
  { lane, seq, made = 0 }: DueRecipient,
  to: RecipientStatus,
  tries: number,
): RecipientChange => ({
  campaignId: lane.campaignId,
  seq,
  to,
  errorCode: null,
  errorText: null,
  refund: false,
  attempted: true,
  tries,
  madeBefore: made,
  routeId: lane.routeId,
});

/** Null = no change for now. @param counted tries of an attempt that the carrier has or may have */
export function toChange({ recipient, outcome }: BatchResult, counted: number): RecipientChange | null {
  const { last, attempt, made = 0, inDoubt = false } = recipient;
  // The first copy may be with the carrier: a receipt or the deadline settles it.
  if (inDoubt && outcome.kind !== 'accepted') return null;
  if (outcome.kind === 'accepted') return changeOf(recipient, RecipientStatus.Submitted, counted);
  if (outcome.kind === 'unknown') return changeOf(recipient, RecipientStatus.Unknown, counted);
  const failed = changeOf(recipient, RecipientStatus.Failed, attempt);
  // Earlier tries, all rejected by the carrier.
  const neverLeft = { ...failed, attempted: attempt > 1, tries: attempt - 1 };
  // A call that was made is not refused by what the carrier says to a further one.
  const refused = { isRefused: made === 0 && !last };
  switch (outcome.kind) {
    case 'suppressed':
      return last ? lastStands(neverLeft, last) : { ...neverLeft, errorText: 'Suppressed', refund: true };
    case 'refused':
      return { ...neverLeft, ...reasonOf(outcome), ...refused };
    case 'rejected': {
      const reason = reasonOf(outcome);
      if (outcome.submitted) return { ...failed, ...reason, ...(!outcome.taken && refused) };
      return last ? lastStands(neverLeft, last) : { ...neverLeft, ...reason, refund: true };
    }
    case 'retry':
      return isExhausted(recipient, outcome) ? { ...failed, ...reasonOf(outcome), ...refused } : null;
    case 'unsent':
      return null;
  }
}

const reasonOf = ({
  code: errorCode,
  text: errorText,
  carrierCode,
}: {
  code: number | null;
  text: string;
  carrierCode?: string;
}): Pick<RecipientChange, 'errorCode' | 'errorText' | 'carrierCode'> => ({ errorCode, errorText, carrierCode });

/** Without a further try, the last attempt's outcome is final; it was made, so nothing is refunded. */
const lastStands = (change: RecipientChange, { status, errorCode, errorText }: LastOutcome): RecipientChange => ({
  ...change,
  ...{ to: status, errorCode, errorText },
});
