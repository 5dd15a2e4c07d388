import { firstPlaceOf } from '../state/lanes.js';
import { RecipientStatus } from '../state/recipient-status.js';
import { type DueRecipient, type LastOutcome, MOST_ATTEMPTS } from './attempts.js';
import type { RecipientChange } from './recipient-change.js';
import type { WindowResult } from './window-result.js';

type Outcome = WindowResult['outcome'];

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
  counts(outcome) && recipient.attempt >= MOST_ATTEMPTS + firstPlaceOf(recipient.turn.lane);

/** An attempt that may have left, of which a receipt or the deadline says more; `tries` as many as it counts for. */
export const changeOf = (
  { turn, seq, made = 0 }: DueRecipient,
  to: RecipientStatus,
  tries: number,
): RecipientChange => ({
  campaignId: turn.campaignId,
  seq,
  to,
  errorCode: null,
  errorText: null,
  refund: false,
  attempted: true,
  tries,
  madeBefore: made,
  routeId: turn.routeId,
});

/**
 * @param counted how many tries an attempt that the carrier took, or may have, counts as
 * @returns null where nothing becomes of it, for now
 */
export function toChange({ recipient, outcome }: WindowResult, counted: number): RecipientChange | null {
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
