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
