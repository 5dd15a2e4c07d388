import { ApiProperty } from '@nestjs/swagger';
import { fieldErrors, invalid } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json-values.js';
import { textOrNull } from '../../kernel/text.js';
import { AnswerOf, LocalTime } from '../../platform/http/index.js';
import { type CostRow, LONGEST_PREFIX, MOST_COSTS, readMicros } from '../routing/index.js';

/** Errors of costs (reference/routing#costs). */
export const costFaults = {
  currency: invalid('invalid_currency', 'currency must be three capital letters', 'missing, or something else'),
  noRows: fieldErrors.emptyArray.shown('rows').because('missing, empty, or something else'),
  tooMany: invalid('too_many_costs', `rows must have at most ${MOST_COSTS} entries`, 'more'),
  prefix: invalid(
    'invalid_cost',
    (path: string) => `${path} must be at most ${LONGEST_PREFIX} digits`,
    'something else; empty = every number that no other row is for',
  ).shown('rows[0].prefix'),
  cost: invalid(
    'invalid_cost',
    (path: string) => `${path} must be a decimal from 0 to 9999.999999`,
    'something else, or more than six places',
  ).shown('rows[0].cost'),
  twice: invalid(
    'cost_twice',
    (prefix: string) => `rows must name a prefix once: "${prefix}"`,
    'two rows for one prefix',
  ).shown('91'),
};

export class CostData {
  @ApiProperty({
    example: '91',
    maxLength: LONGEST_PREFIX,
    description: 'Empty: every number that no other row is for',
  })
  prefix!: string;

  @ApiProperty({ example: '0.0045', description: 'A segment, in the currency, with up to six places' })
  cost!: string;
}

export class PutRouteCostsBody {
  @ApiProperty({ example: 'EUR', pattern: '^[A-Z]{3}$' })
  currency!: string;

  @ApiProperty({ type: [CostData], minItems: 1, maxItems: MOST_COSTS })
  rows!: CostData[];
}

export class RouteCostsData extends PutRouteCostsBody {
  @ApiProperty({ example: 'carrier-1' })
  route!: string;

  @LocalTime({ zone: 'asker' })
  updated_at!: string;
}

export class RouteCostsAnswer extends AnswerOf(RouteCostsData) {}

export class SavedRouteCostsAnswer extends RouteCostsAnswer {
  @ApiProperty({ example: 'Route costs saved successfully' })
  message!: string;
}

export class RemovedRouteCostsAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Route costs deleted successfully' })
  message!: string;
}

const CURRENCY = /^[A-Z]{3}$/;
export const isCurrency = (value: unknown): value is string => typeof value === 'string' && CURRENCY.test(value);

const PREFIX = new RegExp(`^\\d{0,${LONGEST_PREFIX}}$`);

export function readCosts(body: { currency?: unknown; rows?: unknown }): { currency: string; rows: CostRow[] } {
  const { currency, rows } = body;
  if (!isCurrency(currency)) throw costFaults.currency();
  if (!Array.isArray(rows) || rows.length === 0) throw fieldErrors.emptyArray('rows');
  if (rows.length > MOST_COSTS) throw costFaults.tooMany();
  const seen = new Set<string>();
  const read = rows.map((row: unknown, at): CostRow => {
    const { prefix, cost } = isObject(row) ? row : {};
    if (typeof prefix !== 'string' || !PREFIX.test(prefix)) throw costFaults.prefix(`rows[${at}].prefix`);
    const micros = readMicros(textOrNull(cost) ?? '');
    if (micros === null) throw costFaults.cost(`rows[${at}].cost`);
    if (seen.has(prefix)) throw costFaults.twice(prefix);
    seen.add(prefix);
    return { prefix, micros };
  });
  return { currency, rows: read };
}
