import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiProduces, ApiProperty, ApiQuery, getSchemaPath } from '@nestjs/swagger';
import { CSV_LINE_END, csvLine } from '../../../kernel/csv.js';
import { PageOf } from '../../../platform/http/index.js';
import { BALANCES, type BalanceName } from '../domain/balances.js';
import type { UsageSelection } from '../domain/usage-selection.js';

/** What was charged and refunded in one balance, of one group. */
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

/** A part of the usage. */
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

/** The file: one line a row, the group's name above its keys. */
export const usageCsv = ({ group }: UsageSelection, rows: readonly UsageRowAnswer[]): string =>
  [
    csvLine([group, ...COLUMNS]),
    ...rows.map((row) => csvLine([row.key, ...COLUMNS.map((column) => row[column])])),
  ].join('');

const CSV_EXAMPLE = ['day,' + COLUMNS.join(','), '2026-11-21,gsm_credits,120,20,240,40,200', ''].join(CSV_LINE_END);

/** Parameters and answers of a usage route, for Swagger. */
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
