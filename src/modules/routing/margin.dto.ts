import { ApiProperty } from '@nestjs/swagger';
import { MARGIN_GROUPS, type MarginGroup } from './route-costs.store.js';

export class MarginCostData {
  @ApiProperty({ example: 'EUR' })
  currency!: string;

  @ApiProperty({ type: 'integer', example: 1000 })
  messages!: number;

  @ApiProperty({ type: 'integer', example: 1200 })
  segments!: number;

  @ApiProperty({ example: '5.40' })
  cost!: string;
}

export class MarginRowData {
  @ApiProperty({ example: '2026-11-21', description: 'The day, username, channel, calling code or route' })
  key!: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 1200, description: 'null by route: credits know none' })
  charged_credits!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 0 })
  refunded_credits!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 1200, description: 'Charged without what was refunded' })
  credits!: number | null;

  @ApiProperty({ type: [MarginCostData], description: 'By currency; of routes that have costs' })
  costs!: MarginCostData[];

  @ApiProperty({ type: String, nullable: true, example: null, description: 'credits × credit_value' })
  value!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'value − cost in `currency`; null where no cost in it is known',
  })
  margin!: string | null;
}

export class MarginAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ type: [MarginRowData], maxItems: 10_000 })
  data!: MarginRowData[];

  @ApiProperty({ format: 'date', example: '2026-11-01', description: 'First day (UTC)' })
  from!: string;

  @ApiProperty({ format: 'date', example: '2026-11-30', description: 'Last day (UTC)' })
  to!: string;

  @ApiProperty({ enum: [...MARGIN_GROUPS], example: 'day' })
  group!: MarginGroup;
}

const HEAD = 'key,charged_credits,refunded_credits,credits,currency,messages,segments,cost,value,margin';
/** Keeps spreadsheets from reading a text as a formula. */
const cell = (value: string | number | null): string => {
  const text = value === null ? '' : String(value);
  const plain = typeof value === 'string' && /^[=+@\t]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

/** A line per group and currency; credits only in the first line of a group. */
export function marginCsv(rows: readonly MarginRowData[]): string {
  const lines = rows.flatMap((row) => {
    const costs = row.costs.length > 0 ? row.costs : [null];
    return costs.map((cost, at) => {
      const credits = at === 0 ? [row.charged_credits, row.refunded_credits, row.credits] : [null, null, null];
      const spent = cost ? [cost.currency, cost.messages, cost.segments, cost.cost] : [null, null, null, null];
      const worth = at === 0 ? [row.value, row.margin] : [null, null];
      return [row.key, ...credits, ...spent, ...worth].map(cell).join(',');
    });
  });
  return [HEAD, ...lines, ''].join('\r\n');
}
