import { now } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { creditErrors } from '../credits.errors.js';
import { daysOf, MOST_DAYS, rangeOf, readDay } from '../domain/usage-range.js';
import { USAGE_GROUPS, type UsageGroup, type UsageSelection } from '../domain/usage-selection.js';

const FORMATS = ['json', 'csv'] as const;

/** What a usage route adds to its error table. */
export const USAGE_ERRORS = [
  fieldErrors.noWord.shown('group', USAGE_GROUPS).because('another word'),
  fieldErrors.invalid.shown('from').because('no day'),
  fieldErrors.invalid.shown('to').because('no day'),
  creditErrors.usageOrder,
  creditErrors.usageDays,
  fieldErrors.noWord.shown('format', FORMATS).because('another word'),
  creditErrors.usageEntries,
  creditErrors.usageRows,
] as const;

/**
 * `group`, `from` and `to` of a query.
 * @throws AppError 400 for what they cannot be
 */
export function readUsage(query: Record<string, unknown>, groups: readonly UsageGroup[]): UsageSelection {
  const group = groups.find((word) => word === (absent(query['group']) ? 'day' : query['group']));
  if (!group) throw fieldErrors.noWord('group', groups);
  const range = rangeOf(dayOf(query, 'from'), dayOf(query, 'to'), now());
  const days = daysOf(range);
  if (days < 1) throw creditErrors.usageOrder();
  if (days > MOST_DAYS) throw creditErrors.usageDays();
  return { ...range, group };
}

/**
 * Whether CSV is asked for, by `format` or else by what the client accepts.
 * @param accepts of the request: the better of both for this client
 */
export function wantsCsv(query: Record<string, unknown>, accepts: (types: string[]) => string | false): boolean {
  const { format } = query;
  if (absent(format)) return accepts(['json', 'csv']) === 'csv';
  if (format !== 'json' && format !== 'csv') throw fieldErrors.noWord('format', FORMATS);
  return format === 'csv';
}

const absent = (value: unknown): boolean => value === undefined || value === '';

function dayOf(query: Record<string, unknown>, field: 'from' | 'to'): string | null {
  const value = query[field];
  if (absent(value)) return null;
  const day = readDay(value);
  if (day === null) throw fieldErrors.invalid(field);
  return day;
}
