import { z } from 'zod';
import { now, readRetryAfter } from '../../../kernel/clock.js';
import { OutboundError } from '../../../platform/outbound/index.js';
import { DECIDING_ITEMS, type Receipt, type SendOutcome } from '../message-driver.js';

/**
 * Verdicts on answers other than 2xx (reference/providers#answers-of-carriers-and-providers): `unreached` = never left, waits for the
 * route; `maybe` = unknown, never resent; `busy` = throttled, no attempt counted; `fault` = not taken, a failed attempt,
 * retried; `refused` = final.
 */
export type Verdict = 'unreached' | 'maybe' | 'busy' | 'fault' | 'refused';

interface AnswerRow {
  statuses: readonly number[] | { from: number; to: number };
  verdict: Verdict;
  /** verdict when the answer has Retry-After */
  withRetryAfter?: Verdict;
  why: string;
}

/** All statuses but 2xx, which count by the id in the body. The first match wins; the last row must be `maybe`. */
export const ANSWER_ROWS: readonly AnswerRow[] = [
  { statuses: [303], verdict: 'maybe', why: 'See Other: the request was carried out, its result stands elsewhere' },
  { statuses: { from: 300, to: 399 }, verdict: 'refused', why: 'sent elsewhere unread; redirects are not followed' },
  { statuses: [408], verdict: 'fault', why: 'the server never had the whole request (RFC 9110 §15.5.9)' },
  { statuses: [421], verdict: 'fault', why: 'the wrong server for this host: it did nothing (RFC 9110 §15.5.20)' },
  { statuses: [425], verdict: 'fault', why: 'too early: the server is unwilling to process it (RFC 8470 §5.2)' },
  { statuses: [429], verdict: 'busy', why: 'too many requests: turned away at the door' },
  { statuses: [499], verdict: 'maybe', why: 'an inner proxy says that an outer one hung up: the carrier was at work' },
  { statuses: { from: 400, to: 498 }, verdict: 'refused', why: "the carrier's own no" },
  { statuses: [500], verdict: 'fault', why: "the carrier's own word that it failed" },
  { statuses: [501, 505], verdict: 'refused', why: 'the carrier does not know such requests, and will not tomorrow' },
  {
    statuses: [503],
    verdict: 'fault',
    withRetryAfter: 'busy',
    why: 'out of service, of its own accord or for want of a server behind the proxy: it was not taken',
  },
  { statuses: [507, 508, 509], verdict: 'fault', why: 'no room, a loop, no bandwidth left: not taken' },
  { statuses: [529], verdict: 'busy', why: 'overloaded: turned away at the door' },
  { statuses: [502], verdict: 'maybe', why: 'the proxy lost the carrier, before or after it had the request' },
  { statuses: [504], verdict: 'maybe', why: 'the proxy gave up waiting for the carrier' },
  { statuses: [520], verdict: 'maybe', why: 'the carrier answered something that the proxy did not understand' },
  { statuses: [521], verdict: 'unreached', why: 'the carrier refused the connection of the proxy' },
  { statuses: [522], verdict: 'maybe', why: 'no word from the carrier: while connecting, or with the request sent' },
  { statuses: [523], verdict: 'unreached', why: 'the proxy found no way to the carrier' },
  { statuses: [524], verdict: 'maybe', why: 'connected and sent, and the proxy gave up waiting for the answer' },
  { statuses: [525, 526], verdict: 'unreached', why: 'no TLS between the proxy and the carrier' },
  { statuses: [527], verdict: 'maybe', why: "the proxy's tunnel to the carrier broke at some moment" },
  { statuses: [530], verdict: 'unreached', why: 'the proxy could not resolve the carrier' },
  { statuses: { from: 0, to: 999 }, verdict: 'maybe', why: 'a status of no known meaning' },
];

export function verdictOf(status: number, retryAfter?: string): Verdict {
  const row = ANSWER_ROWS.find(({ statuses }) =>
    'from' in statuses ? status >= statuses.from && status <= statuses.to : statuses.includes(status),
  );
  const again = retryAfter === undefined ? undefined : row?.withRetryAfter;
  return again ?? row?.verdict ?? 'maybe';
}

export interface Said {
  /** the carrier's own code, else the status */
  code: number;
  /** must not contain secrets */
  text: string;
  carrierCode?: string;
  retryAfter: string | undefined;
  /** milliseconds to wait that the code asks for */
  afterMs?: number;
}

const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 3_600_000;

const waitOf = (retryAfter: string | undefined): number =>
  Math.min(Math.max(readRetryAfter(retryAfter, now()) ?? 0, RETRY_MS), LONGEST_RETRY_MS);

const UNKNOWN: SendOutcome = { kind: 'unknown' };

const OUTCOMES: Readonly<Record<Verdict, (said: Said) => SendOutcome>> = {
  unreached: ({ text }) => ({ kind: 'unsent', afterMs: RETRY_MS, text }),
  maybe: () => UNKNOWN,
  busy: (said) => ({
    ...{ kind: 'retry', afterMs: said.afterMs ?? waitOf(said.retryAfter), ...wordsOf(said), throttled: true },
  }),
  fault: (said) => ({ kind: 'retry', afterMs: RETRY_MS, ...wordsOf(said), throttled: false }),
  refused: (said) => ({ kind: 'rejected', ...wordsOf(said), submitted: true }),
};

const wordsOf = ({ code, text, carrierCode }: Said): Pick<Said, 'code' | 'text' | 'carrierCode'> => ({
  ...{ code, text },
  ...(carrierCode !== undefined && { carrierCode }),
});

/** The outcome of an answer other than 2xx. @param own verdict of the carrier's own code */
export const outcomeOfAnswer = (status: number, said: Said, own: Verdict | null = null): SendOutcome =>
  OUTCOMES[own ?? verdictOf(status, said.retryAfter)](said);

/** The outcome of a call without answer: `unknown` if it may have left, else `unsent`. @param title carrier's name in texts */
export function outcomeOfFault(title: string, error: unknown): SendOutcome {
  if (!(error instanceof OutboundError) || error.sent) return UNKNOWN;
  const text = `${title} is not reachable: ${error.reason}`;
  // An invalid URL is final. An address that the guard refuses waits for staff to allow its network.
  if (error.fault === 'refused' && !error.byGuard) return { kind: 'rejected', code: null, text, submitted: false };
  return { kind: 'unsent', afterMs: RETRY_MS, text };
}

type Rejected = Extract<SendOutcome, { kind: 'rejected' }>;

const MOST_CODES = 100;

/** `failover_codes` of carriers whose codes are texts or numbers (reference/providers#failover-codes). */
export const failoverCodes = z
  .array(z.union([z.number().int(), z.string().min(1).max(64)]))
  .max(MOST_CODES)
  .default([]);

export const failoverStatuses = z
  .array(
    z.union([
      z.number().int().min(1).max(0xffff_ffff),
      z.string().regex(/^(0x[0-9a-f]{1,8}|[1-9][0-9]{0,9})$/i, 'must be a command status: 11 or "0x0B"'),
    ]),
  )
  .max(MOST_CODES)
  .default([]);

const RECEIPT_STATUSES = ['submitted', 'delivered', 'read', 'failed'] as const;
const MOST_WORDS = 200;

export const statusMap = z
  .record(
    z.string().min(1).max(64),
    z.union([
      z.enum(RECEIPT_STATUSES),
      z.object({ status: z.enum(RECEIPT_STATUSES), code: z.number().int().min(-999_999_999).max(999_999_999) }),
    ]),
  )
  .refine((map) => Object.keys(map).length <= MOST_WORDS, `must have at most ${MOST_WORDS} words`);

export interface MappedStatus {
  status: (typeof RECEIPT_STATUSES)[number];
  code: number | null;
}

type StatusWords = z.infer<typeof statusMap>;

export const statusWords = (usual: StatusWords, own: StatusWords = {}): ReadonlyMap<string, MappedStatus> =>
  new Map(
    [...Object.entries(usual), ...Object.entries(own)].map(([word, meaning]) => [
      word.toLowerCase(),
      typeof meaning === 'string' ? { status: meaning, code: null } : meaning,
    ]),
  );

/** Receipts are looked for in messages of at least a week. */
const LONGEST_TIMEOUT_S = 604_800;

export const receiptTerms = {
  receipts: z.enum(DECIDING_ITEMS).default('all'),
  id_base: z.enum(['auto', 'hex', 'dec']).default('auto'),
  receipt_id_base: z.enum(['hex', 'dec']).default('dec'),
  receipt_timeout_s: z.number().int().min(60).max(LONGEST_TIMEOUT_S).optional(),
};

export const receiptTimeoutMs = ({ receipt_timeout_s: seconds }: ReceiptTerms): number | null =>
  seconds === undefined ? null : seconds * 1_000;

/** The value of a counted id in decimal digits; `base` says what digits alone mean. Other ids stay. */
export function canonicalId(id: string, base: 'hex' | 'dec'): string {
  const [, prefix, digits] = /^(0x)?([0-9a-f]{1,32})$/i.exec(id.trim()) ?? [];
  if (digits === undefined) return id;
  const isHex = prefix !== undefined || base === 'hex' || /[a-f]/i.test(digits);
  return BigInt(isHex ? `0x${digits}` : digits).toString();
}

export type ReceiptTerms = z.infer<z.ZodObject<typeof receiptTerms>>;

export const storedId = (id: string, { id_base: base }: ReceiptTerms): string =>
  base === 'auto' ? id : canonicalId(id, base);

export function underTerms(receipt: Receipt, { receipts: decidedBy, ...terms }: ReceiptTerms): Receipt {
  if (decidedBy === 'all' && terms.id_base === 'auto') return receipt;
  return {
    ...receipt,
    ...(decidedBy !== 'all' && { decidedBy }),
    ...(terms.id_base !== 'auto' && {
      providerMessageId: canonicalId(receipt.providerMessageId, terms.receipt_id_base),
      isExact: true as const,
    }),
  };
}

const LONGEST_CODE = 32;

export function numericCode(text: string | null): number | null {
  const isNumber = text !== null && /^(?:-?[0-9]{1,9}|0x[0-9a-f]{1,7})$/i.test(text.trim());
  return isNumber ? Number(text) : null;
}

export const textCode = (code: string | null): { carrierCode?: string } =>
  code === null || code.trim() === '' || numericCode(code) !== null
    ? {}
    : { carrierCode: code.trim().slice(0, LONGEST_CODE) };

/** Allows another route when the config names a code of the answer. Throttling is no refusal. */
export function orElsewhere(
  outcome: SendOutcome,
  named: readonly (string | number)[],
  codes: readonly (string | number | null)[],
): SendOutcome {
  const isNamed =
    named.length > 0 && named.some((code) => codes.some((said) => said !== null && `${said}` === `${code}`));
  if (!isNamed) return outcome;
  if (outcome.kind === 'rejected' && outcome.submitted) return { ...outcome, elsewhere: true };
  return outcome.kind === 'retry' && !outcome.throttled ? { ...outcome, elsewhere: true } : outcome;
}

/** Once a part may have been taken, no other route may carry the message. */
export function takenInPart(outcome: Rejected, taken: number): Rejected {
  const { elsewhere: _, ...rest } = outcome;
  return { ...rest, taken };
}

/** A message that never left and never will: it is refunded. */
export const neverSent = (text: string): SendOutcome => ({ kind: 'rejected', code: null, text, submitted: false });
