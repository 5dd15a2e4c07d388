import { fieldErrors } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json-values.js';
import {
  GUARD_KINDS,
  GUARD_PERIODS,
  type GuardLimits,
  type GuardTerms,
  OPEN_TERMS,
  strictTerms,
} from '../accounts/index.js';
import { isCountry } from '../numbers/index.js';

export const PRESETS = ['open', 'strict'] as const;

export const MOST_LIMIT = 1_000_000_000;
const MOST_ENTRIES = 300;
const PREFIX = /^[1-9][0-9]{0,14}$/;

const NUMBERS = [
  'credits_per_day',
  'new_prefixes_per_day',
  'calls_at_once',
  'max_price',
  'burst_numbers',
  'sequential_numbers',
  'conversion_percent',
] as const satisfies (keyof GuardTerms)[];

/** A higher bound would have every number looked up at that distance. */
const MOST: Partial<Record<(typeof NUMBERS)[number], number>> = { sequential_numbers: 1_000, conversion_percent: 100 };
const FIELDS = ['countries', 'prefixes', 'special_prefixes', 'limits', ...NUMBERS] as const;

/**
 * Terms after a change (reference/guard#routes-of-staff): absent fields stay, null removes a limit.
 * @param country of the account, for `preset: strict` @returns null = no terms @throws AppError invalid for the first faulty field
 */
export function changedTerms(before: GuardTerms | null, body: JsonObject, country: string | null): GuardTerms | null {
  const preset = body['preset'] ?? null;
  if (preset !== null && !PRESETS.some((known) => known === preset)) throw fieldErrors.noWord('preset', PRESETS);
  const isGiven = FIELDS.some((field) => body[field] !== undefined);
  if (preset === 'open' && !isGiven) return null;
  if (preset === null && !isGiven) return before;
  const base = preset === 'strict' ? strictTerms(country) : preset === 'open' ? OPEN_TERMS : (before ?? OPEN_TERMS);
  const numbers = NUMBERS.map((field) => [field, readLimit(body[field], field, base[field], MOST[field])] as const);
  return {
    ...base,
    countries: body['countries'] === undefined ? base.countries : readCountries(body['countries']),
    prefixes: readPrefixes(body, 'prefixes', base),
    special_prefixes: readPrefixes(body, 'special_prefixes', base),
    limits: readLimits(body['limits'], base.limits),
    ...Object.fromEntries(numbers),
  };
}

function readCountries(value: unknown): string[] | null {
  if (value === null) return null;
  const isList = Array.isArray(value) && value.length <= MOST_ENTRIES;
  if (!isList || !value.every((item): item is string => typeof item === 'string' && isCountry(item)))
    throw fieldErrors.invalid('countries');
  return [...new Set(value)].sort();
}

function readPrefixes(body: JsonObject, field: 'prefixes' | 'special_prefixes', base: GuardTerms): readonly string[] {
  const value = body[field];
  if (value === undefined) return base[field];
  if (value === null) return [];
  const isList = Array.isArray(value) && value.length <= MOST_ENTRIES;
  if (!isList || !value.every((item): item is string => typeof item === 'string' && PREFIX.test(item)))
    throw fieldErrors.invalid(field);
  return [...new Set(value)].sort();
}

function readLimits(value: unknown, base: GuardTerms['limits']): GuardTerms['limits'] {
  if (value === undefined) return base;
  if (!isObject(value)) throw fieldErrors.invalid('limits');
  const entries = GUARD_KINDS.map((kind) => {
    const given = value[kind];
    if (given === undefined) return [kind, base[kind]];
    if (!isObject(given)) throw fieldErrors.invalid(`limits.${kind}`);
    const limits = GUARD_PERIODS.map((period) => {
      const field = `limits.${kind}.${period}`;
      return [period, readLimit(given[period], field, base[kind][period])] as const;
    });
    return [kind, Object.fromEntries(limits) as GuardLimits];
  });
  return Object.fromEntries(entries) as GuardTerms['limits'];
}

function readLimit(value: unknown, field: string, base: number | null, most = MOST_LIMIT): number | null {
  if (value === undefined) return base;
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most)
    throw fieldErrors.noWholeNumber(field, 0, most);
  return value;
}
