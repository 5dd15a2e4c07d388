import { z } from 'zod';
import { isObject } from '../../../kernel/json-values.js';
import type { RouteKind } from '../message-driver.js';
import { numericCode } from './carrier-answers.js';

/** What a failure says about another send (reference/campaigns#reasons-of-failures). */
export const FAILURE_KINDS = ['temporary', 'not_today', 'permanent', 'opt_out'] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export const LASTING_KINDS = ['permanent', 'opt_out'] as const satisfies readonly FailureKind[];

export interface Failure {
  errorCode: number | null;
  /** a code that is no number */
  carrierCode: string | null;
  message: string | null;
  /** by the carrier's answer to the submit */
  isRefused: boolean;
}

/** Source of a code: the driver of the route, or the chat provider. */
export type FailureSource = 'smpp' | 'http' | 'twilio' | 'chat';

type Codes = Readonly<Partial<Record<FailureKind, string>>>;

const TWILIO: Codes = {
  permanent: '13224 13225 13227 21211 21214 21215 21216 21217 21612 21614 30004 30005 30006 30007 63003 63024',
  opt_out: '21610',
  not_today: '63032 63049',
};
const CHAT: Codes = {
  permanent: '100 131008 131009 131021 131026 131030 131051 132000 132001 132005 132007 132012 132016 132018',
  opt_out: '131050',
  not_today: '368 130472 131048 131049 132015',
};

/** Codes that are not `temporary`. `refused` = in the answer to the submit, `failed` = in a receipt. */
export const FAILURE_CODES: Readonly<Record<FailureSource, Readonly<Record<'refused' | 'failed', Codes>>>> = {
  chat: { refused: CHAT, failed: CHAT },
  http: { refused: TWILIO, failed: TWILIO },
  // Statuses of SMPP 3.4 §5.1.3; behind `err:` carriers write the network's errors of 3GPP TS 29.002.
  smpp: { refused: { permanent: '1 11 80 81' }, failed: { permanent: '1 5 9 10 11 12 13 21' } },
  twilio: { refused: TWILIO, failed: { ...TWILIO, permanent: `${TWILIO.permanent} 404 410 484 604` } },
};

const TEXTS: ReadonlyMap<string, FailureKind> = new Map([
  ['Suppressed', 'opt_out'],
  ['Number too long for the carrier', 'permanent'],
  ['Message too long for the carrier', 'permanent'],
]);

const KINDS = new Map(
  Object.entries(FAILURE_CODES).flatMap(([source, times]) =>
    Object.entries(times).flatMap(([time, kinds]) =>
      Object.entries(kinds).flatMap(([kind, codes]) =>
        codes.split(' ').map((code) => [`${source} ${time} ${code}`, kind as FailureKind] as const),
      ),
    ),
  ),
);

/** What the codes of one carrier mean, by `codeKey`. */
export type OwnKinds = ReadonlyMap<string, FailureKind>;

/** One spelling of a code: `0x0B` is 11, texts are in any case. */
const codeKey = (code: string): string => String(numericCode(code) ?? code.trim().toUpperCase());

const LONGEST_CODE = 32;
const MOST_CODES = 200;

/** `failure_kinds` of a route: its carrier's codes, before the usual ones (reference/providers#failure-kinds). */
export const failureKinds = z
  .record(z.string().trim().min(1).max(LONGEST_CODE), z.enum(FAILURE_KINDS))
  .refine((kinds) => Object.keys(kinds).length <= MOST_CODES, `must have at most ${MOST_CODES} codes`)
  .refine((kinds) => new Set(Object.keys(kinds).map(codeKey)).size === Object.keys(kinds).length, 'names a code twice')
  .optional();

const NO_KINDS: OwnKinds = new Map();
const read = new WeakMap<object, OwnKinds>();

/** Of a stored `config`, whichever version wrote it. */
export function ownKinds(config: unknown): OwnKinds {
  const given = isObject(config) ? config['failure_kinds'] : undefined;
  if (!isObject(given)) return NO_KINDS;
  const known = read.get(given);
  if (known) return known;
  const kinds = Object.entries(given).flatMap(([code, said]) => {
    const kind = FAILURE_KINDS.find((each) => each === said);
    return kind ? [[codeKey(code), kind] as const] : [];
  });
  const own: OwnKinds = new Map(kinds);
  read.set(given, own);
  return own;
}

const ownKind = (
  own: OwnKinds,
  { carrierCode, errorCode }: Pick<Failure, 'errorCode' | 'carrierCode'>,
): FailureKind | undefined =>
  (carrierCode === null ? undefined : own.get(codeKey(carrierCode))) ??
  (errorCode === null ? undefined : own.get(String(errorCode)));

/** What a route says of failures. */
export interface FailureTerms {
  source: FailureSource;
  own: OwnKinds;
}

/** @param routes that may have carried the message; the first that knows the code decides, those with own kinds before all */
export function failureKind(routes: readonly FailureTerms[], failure: Failure): FailureKind {
  const { errorCode, message, isRefused } = failure;
  const ours = message === null ? undefined : TEXTS.get(message);
  if (ours) return ours;
  for (const { own } of routes) {
    const kind = ownKind(own, failure);
    if (kind) return kind;
  }
  for (const { source } of errorCode === null ? [] : routes) {
    const kind = KINDS.get(`${source} ${isRefused ? 'refused' : 'failed'} ${errorCode}`);
    if (kind) return kind;
  }
  return 'temporary';
}

/** Codes by which a person has left, and the category that no longer reaches them; null = all of it. */
const OPT_OUTS: ReadonlyMap<number, { kinds: readonly RouteKind[]; category: 'marketing' | null }> = new Map([
  [131050, { kinds: ['chat'], category: 'marketing' }],
  [21610, { kinds: ['sms', 'unofficial'], category: null }],
]);

export interface OptOut {
  category: 'marketing' | null;
}

/** @param own of the route that carried the message */
export function optOutOf(
  kind: RouteKind | null,
  failure: Pick<Failure, 'errorCode' | 'carrierCode'>,
  own: OwnKinds = NO_KINDS,
): OptOut | null {
  const said = ownKind(own, failure);
  if (said) return said === 'opt_out' ? { category: null } : null;
  const found = failure.errorCode === null ? undefined : OPT_OUTS.get(failure.errorCode);
  return kind && found?.kinds.includes(kind) ? { category: found.category } : null;
}
