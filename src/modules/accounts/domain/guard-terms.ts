/** The kinds of sends that are limited apart, as the scopes of keys are. */
export const GUARD_KINDS = ['sms', 'chat', 'voice'] as const;

export type GuardKind = (typeof GUARD_KINDS)[number];

export const GUARD_PERIODS = ['per_second', 'per_minute', 'per_day'] as const;

export type GuardPeriod = (typeof GUARD_PERIODS)[number];

/** Messages of a kind in each period; null = no limit. */
export type GuardLimits = Record<GuardPeriod, number | null>;

/** What staff allow an account to send (reference/guard#terms). An account without terms is not checked at all. */
export interface GuardTerms {
  /** ISO 3166 codes; null = every country */
  countries: readonly string[] | null;
  /** digits of further destinations */
  prefixes: readonly string[];
  /** digits of premium-rate, satellite, shared-cost and personal numbers: none is allowed without */
  special_prefixes: readonly string[];
  limits: Record<GuardKind, GuardLimits>;
  credits_per_day: number | null;
  /** of prefixes never used before */
  new_prefixes_per_day: number | null;
  /** calls accepted and not yet ended */
  calls_at_once: number | null;
  /** credits of one recipient */
  max_price: number | null;
  /** Different numbers of a prefix never used before, in its first hour; more freeze it. */
  burst_numbers: number | null;
  /** Numbers next to each other in an hour; more freeze their prefix. */
  sequential_numbers: number | null;
  /** Percentage of started verifications that must succeed; fewer freeze the prefix. */
  conversion_percent: number | null;
}

const UNLIMITED: GuardLimits = { per_second: null, per_minute: null, per_day: null };

/** No rule at all: what staff change, changes from here. */
export const OPEN_TERMS: GuardTerms = {
  countries: null,
  prefixes: [],
  special_prefixes: [],
  limits: { sms: UNLIMITED, chat: UNLIMITED, voice: UNLIMITED },
  credits_per_day: null,
  new_prefixes_per_day: null,
  calls_at_once: null,
  max_price: null,
  burst_numbers: null,
  sequential_numbers: null,
  conversion_percent: null,
};

/** Terms of an account that registered itself in production. @param country ISO 3166; null = not known: nothing is allowed */
export const strictTerms = (country: string | null): GuardTerms => ({
  countries: country === null ? [] : [country],
  prefixes: [],
  special_prefixes: [],
  limits: {
    sms: { per_second: null, per_minute: 100, per_day: 500 },
    chat: { per_second: null, per_minute: 100, per_day: 500 },
    voice: { per_second: null, per_minute: 20, per_day: 100 },
  },
  credits_per_day: 1_000,
  new_prefixes_per_day: 250,
  calls_at_once: 5,
  max_price: 20,
  burst_numbers: 20,
  sequential_numbers: 10,
  conversion_percent: 10,
});

/** Terms as stored; fields that a later version adds have no limit. */
export function readGuardTerms(text: string | null): GuardTerms | null {
  if (text === null) return null;
  const stored = JSON.parse(text) as Partial<GuardTerms>;
  const limits = { ...OPEN_TERMS.limits, ...stored.limits };
  return { ...OPEN_TERMS, ...stored, limits };
}
