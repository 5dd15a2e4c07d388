import type { DriverName } from '../drivers.js';
import type { RouteKind } from '../message-driver.js';

/** What a failure says about another send (reference/campaigns#reasons-of-failures). */
export const FAILURE_KINDS = ['temporary', 'not_today', 'permanent', 'opt_out'] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export const LASTING_KINDS = ['permanent', 'opt_out'] as const satisfies readonly FailureKind[];

export interface Failure {
  errorCode: number | null;
  message: string | null;
  /** by the carrier's answer to the submit */
  isRefused: boolean;
}

/** Source of a code: the driver of the route, or the chat provider. */
export type FailureSource = DriverName | 'chat';

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

/** @param sources of the routes that may have carried the message; the first that knows the code decides */
export function failureKind(
  sources: readonly FailureSource[],
  { errorCode, message, isRefused }: Failure,
): FailureKind {
  const own = message === null ? undefined : TEXTS.get(message);
  if (own) return own;
  for (const source of errorCode === null ? [] : sources) {
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

export function optOutOf(kind: RouteKind | null, errorCode: number | null): OptOut | null {
  const found = errorCode === null ? undefined : OPT_OUTS.get(errorCode);
  return kind && found?.kinds.includes(kind) ? { category: found.category } : null;
}
