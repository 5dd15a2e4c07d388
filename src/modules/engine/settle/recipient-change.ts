import type { SendOutcome } from '../../providers/index.js';
import { type DueRecipient, type LastOutcome, MOST_ATTEMPTS } from '../attempts.js';
import { firstIndexOf } from '../lanes.js';
import { inLockOrder, mayMove, RecipientStatus } from '../recipient.js';

/** A recipient's next status, wherever it comes from: a send, a receipt, a deadline, a cancel. */
export interface RecipientChange {
  campaignId: number;
  seq: number;
  to: RecipientStatus;
  errorCode: number | null;
  errorText: string | null;
  /** it never left us, so its credits go back (reference/credits#refunds) */
  refund: boolean;
  /** one more attempt was made, in so many tries (default 1) */
  attempted: boolean;
  tries?: number;
  /** of a send: how many attempts came before it. A lost worker's late result of an older one does not end a wait for the next */
  madeBefore?: number;
  /** back to Pending: it was taken for unknown, and the worker that was to send it says that it never left */
  takenBack?: boolean;
  /** seconds of talk; absent = no call, or no answer */
  durationSeconds?: number | undefined;
  /** of the connection over which it was sent, or its receipt came; absent = not known */
  routeId?: number | undefined;
  /** no receipt has come by the deadline */
  isOverdue?: boolean;
  /** as it was read without a lock, which is the condition of what is written; absent = locked to be judged */
  recipient?: KnownRecipient | undefined;
}

/** A change that takes place. */
export interface RecipientMove {
  campaignId: number;
  seq: number;
  from: RecipientStatus;
  to: RecipientStatus;
  number: string;
  errorCode: number | null;
  errorText: string | null;
  durationSeconds: number | null;
  refund: boolean;
  /** by which its attempts change */
  tries: number;
  /** of the recipient, by its campaign and its own terms */
  lane: number;
  /** what the recipient was charged */
  credits: number;
  /** its sender id; '' = the route's */
  sender: string;
  /** over which it was sent, or its receipt came; null = not known */
  routeId: number | null;
  isOverdue: boolean;
}

/** A recipient as it was read. */
export interface KnownRecipient {
  number: string;
  status: RecipientStatus;
  attempts: number;
}

/** Recipients as they were read; by `keyOf`. */
export type KnownRecipients = ReadonlyMap<string, KnownRecipient>;

const ERROR_TEXT_LENGTH = 255;
const INT_MAX = 2_147_483_647;

const triesOf = ({ attempted, tries = 1 }: RecipientChange): number => (attempted ? tries : 0);

/** What a change comes to for a recipient as it stands, before its terms are known; null where the status does not move. */
export function moveOf(change: RecipientChange, recipient: KnownRecipient): RecipientMove | null {
  if (!mayChange(change, recipient)) return null;
  // Whatever declared the outcome unknown has counted the tries until then.
  const counted = recipient.status === RecipientStatus.Unknown ? recipient.attempts : 0;
  const tries = change.takenBack ? -counted : Math.max(0, triesOf(change) - counted);
  // One object a move, written out: batches of a thousand make nothing else as often.
  return {
    campaignId: change.campaignId,
    seq: change.seq,
    from: recipient.status,
    to: change.to,
    number: recipient.number,
    errorCode: code(change.errorCode),
    errorText: cut(change.errorText),
    durationSeconds: change.durationSeconds ?? null,
    refund: change.refund,
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

/** Sorted by key; of several changes of one recipient the furthest. */
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

/** The route has refused the recipient before: it is not asked again, and that refusal stands. */
export interface EarlierRefusal {
  kind: 'refused';
  code: number | null;
  text: string;
}

/** What became of one recipient of a window. */
export interface BatchResult {
  recipient: DueRecipient;
  outcome: SendOutcome | { kind: 'suppressed' } | EarlierRefusal;
  /** the route drops a second message with the same reference: a send of unknown outcome may be made again under it */
  deduplicated?: boolean;
}

type Outcome = BatchResult['outcome'];

/** It is not with the carrier, and shall leave later. */
export const waits = (outcome: Outcome): outcome is Extract<Outcome, { kind: 'retry' | 'unsent' }> =>
  outcome.kind === 'retry' || outcome.kind === 'unsent';

/** The carrier had a look at it and said no, for now. */
export const counts = (outcome: Outcome): boolean => outcome.kind === 'retry' && !outcome.throttled;

/** The carrier answered, or may have it: more than "not now". */
export const gotThrough = (outcome: Outcome): boolean =>
  outcome.kind === 'accepted' ||
  outcome.kind === 'unknown' ||
  (outcome.kind === 'rejected' && outcome.submitted) ||
  counts(outcome);

/** Of five tries, and one more for each route of its chain that refused it before. */
export const isExhausted = (recipient: DueRecipient, outcome: Outcome): boolean =>
  counts(outcome) && recipient.attempt >= MOST_ATTEMPTS + firstIndexOf(recipient.lane.lane);

/** An attempt that may have left, of which a receipt or the deadline says more; `tries` as many as it counts for. */
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

/**
 * @param counted how many tries an attempt that the carrier took, or may have, counts as
 * @returns null where nothing becomes of it, for now
 */
export function toChange({ recipient, outcome }: BatchResult, counted: number): RecipientChange | null {
  const { last, attempt, inDoubt = false } = recipient;
  // Whatever became of the second copy, the first may be with the upstream: a receipt or the deadline settles it.
  if (inDoubt && outcome.kind !== 'accepted') return null;
  if (outcome.kind === 'accepted') return changeOf(recipient, RecipientStatus.Submitted, counted);
  if (outcome.kind === 'unknown') return changeOf(recipient, RecipientStatus.Unknown, counted);
  const failed = changeOf(recipient, RecipientStatus.Failed, attempt);
  // The tries before this one, which never left: as many as the carrier has turned down.
  const neverLeft = { ...failed, attempted: attempt > 1, tries: attempt - 1 };
  switch (outcome.kind) {
    case 'suppressed':
      return last ? lastStands(neverLeft, last) : { ...neverLeft, errorText: 'Suppressed', refund: true };
    case 'refused':
      return { ...neverLeft, errorCode: outcome.code, errorText: outcome.text };
    case 'rejected': {
      const reason = { errorCode: outcome.code, errorText: outcome.text };
      if (outcome.submitted) return { ...failed, ...reason };
      return last ? lastStands(neverLeft, last) : { ...neverLeft, ...reason, refund: true };
    }
    case 'retry':
      return isExhausted(recipient, outcome) ? { ...failed, errorCode: outcome.code, errorText: outcome.text } : null;
    case 'unsent':
      return null;
  }
}

/** What cannot be tried again keeps the outcome of its last attempt; that one was made, so nothing is refunded. */
const lastStands = (change: RecipientChange, { status, errorCode, errorText }: LastOutcome): RecipientChange => ({
  ...change,
  ...{ to: status, errorCode, errorText },
});
