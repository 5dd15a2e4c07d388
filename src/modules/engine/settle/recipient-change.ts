import { inLockOrder } from '../state/recipient-key.js';
import { mayMove, RecipientStatus } from '../state/recipient-status.js';

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
  durationSeconds?: number;
}

/** A change that took place. */
export interface RecipientMove extends RecipientChange {
  from: RecipientStatus;
  number: string;
}

/** A move with what its campaign and the recipient's own terms say of the recipient. */
export interface SettledMove extends RecipientMove {
  lane: number;
  /** what it was charged */
  credits: number;
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

export const triesOf = ({ attempted, tries = 1 }: RecipientChange): number => (attempted ? tries : 0);

/** What a change comes to for a recipient as it stands; null where the status does not move. */
export function moveOf(change: RecipientChange, recipient: KnownRecipient): RecipientMove | null {
  if (!mayChange(change, recipient)) return null;
  // Whatever declared the outcome unknown has counted the tries until then.
  const counted = recipient.status === RecipientStatus.Unknown ? recipient.attempts : 0;
  const tries = change.takenBack ? -counted : Math.max(0, triesOf(change) - counted);
  const reason = { errorCode: code(change.errorCode), errorText: cut(change.errorText) };
  return { ...change, ...reason, tries, from: recipient.status, number: recipient.number };
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
