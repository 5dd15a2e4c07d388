import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiProduces, ApiProperty, ApiQuery, getSchemaPath } from '@nestjs/swagger';
import { now } from '../../kernel/clock.js';
import { CSV_LINE_END, csvLine } from '../../kernel/text.js';
import { fieldErrors } from '../../kernel/errors.js';
import { PageOf } from '../../platform/http/index.js';
import { type BalanceName, BALANCES } from './balances.js';
import { creditErrors } from './credits.errors.js';
import {
  daysOf,
  MOST_DAYS,
  rangeOf,
  readDay,
  USAGE_GROUPS,
  type UsageGroup,
  type UsageSelection,
} from './usage-selection.js';

export class UsageRowAnswer {
  @ApiProperty({
    example: '2026-11-21',
    description:
      "By `group`: the day, the channel, the calling code of the numbers, the request id, the sender id, the username. '' where it is not known, and for the route's own sender",
  })
  key!: string;

  @ApiProperty({ enum: [...BALANCES], example: 'gsm_credits' })
  balance!: BalanceName;

  @ApiProperty({ example: 120, description: 'Those that cost something; by campaign all recipients of one that did' })
  recipients_charged!: number;

  @ApiProperty({ example: 20 })
  recipients_refunded!: number;

  @ApiProperty({ example: 240 })
  credits_charged!: number;

  @ApiProperty({ example: 40 })
  credits_refunded!: number;

  @ApiProperty({ example: 200, description: 'Charged less refunded' })
  credits_net!: number;
}

export class UsagePageAnswer extends PageOf(UsageRowAnswer) {
  @ApiProperty({ example: 'day' })
  group!: string;

  @ApiProperty({ format: 'date', example: '2026-10-24', description: 'First day (UTC)' })
  from!: string;

  @ApiProperty({ format: 'date', example: '2026-11-22', description: 'Last day (UTC)' })
  to!: string;
}

const COLUMNS = [
  'balance',
  'recipients_charged',
  'recipients_refunded',
  'credits_charged',
  'credits_refunded',
  'credits_net',
] as const satisfies readonly (keyof UsageRowAnswer)[];

export const USAGE_CSV = 'text/csv; charset=utf-8; header=present';

export const usageCsv = ({ group }: UsageSelection, rows: readonly UsageRowAnswer[]): string =>
  [
    csvLine([group, ...COLUMNS]),
    ...rows.map((row) => csvLine([row.key, ...COLUMNS.map((column) => row[column])])),
  ].join('');

const CSV_EXAMPLE = ['day,' + COLUMNS.join(','), '2026-11-21,gsm_credits,120,20,240,40,200', ''].join(CSV_LINE_END);

export const UsageRoute = (groups: readonly string[], answer: typeof UsagePageAnswer): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(answer),
    ApiQuery({ name: 'group', required: false, enum: [...groups], description: 'day, where it is not given' }),
    ApiQuery({
      name: 'from',
      required: false,
      example: '2026-10-24',
      description: 'First day (UTC); 30 days before `to`',
    }),
    ApiQuery({ name: 'to', required: false, example: '2026-11-22', description: 'Last day (UTC); today' }),
    ApiQuery({ name: 'format', required: false, enum: ['json', 'csv'], description: 'Else by `Accept`' }),
    ApiProduces('application/json', 'text/csv'),
    ApiOkResponse({
      description: 'A page; or the whole as CSV (RFC 4180, with a header line).',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(answer) } },
        'text/csv': { schema: { type: 'string' }, example: CSV_EXAMPLE },
      },
    }),
  );

const FORMATS = ['json', 'csv'] as const;

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

/** Parses `group`, `from` and `to`. @throws AppError 400 */
export function readUsage(query: Record<string, unknown>, groups: readonly UsageGroup[]): UsageSelection {
  const group = groups.find((word) => word === (absent(query['group']) ? 'day' : query['group']));
  if (!group) throw fieldErrors.noWord('group', groups);
  const range = rangeOf(dayOf(query, 'from'), dayOf(query, 'to'), now());
  const days = daysOf(range);
  if (days < 1) throw creditErrors.usageOrder();
  if (days > MOST_DAYS) throw creditErrors.usageDays();
  return { ...range, group };
}

/** True if `format`, or else the Accept header, selects CSV. `accepts` returns the client's preferred type. */
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
