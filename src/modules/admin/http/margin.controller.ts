import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { textOrNull } from '../../../kernel/text.js';
import { ApiErrors } from '../../../platform/http/index.js';
import { Admin } from '../../accounts/index.js';
import { creditErrors, readUsage, USAGE_CSV, wantsCsv } from '../../credits/index.js';
import {
  type CreditValue,
  GetMarginQuery,
  MARGIN_GROUPS,
  MarginAnswer,
  marginCsv,
  readMicros,
} from '../../routing/index.js';
import { costFaults, isCurrency } from './route-cost.dto.js';

/** Credits beside what they cost. */
@ApiTags('Admin: usage')
@Admin()
@Controller('v6/api/admin/margin')
export class MarginController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'Credits that were charged and refunded, beside what the carriers ask' })
  @ApiQuery({ name: 'from', required: false, example: '2026-11-01', description: 'A day (UTC); 30 days if absent' })
  @ApiQuery({ name: 'to', required: false, example: '2026-11-30', description: 'A day, counted in; today if absent' })
  @ApiQuery({ name: 'group', required: false, enum: [...MARGIN_GROUPS], description: '`day` if absent' })
  @ApiQuery({ name: 'credit_value', required: false, example: '0.012', description: 'What a credit is worth' })
  @ApiQuery({ name: 'currency', required: false, example: 'EUR', description: 'Of credit_value' })
  @ApiQuery({ name: 'format', required: false, enum: ['json', 'csv'] })
  @ApiExtraModels(MarginAnswer)
  @ApiProduces('application/json', 'text/csv')
  @ApiOkResponse({
    description: 'All groups; as CSV a line for each group and currency.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(MarginAnswer) } },
      'text/csv': { schema: { type: 'string' } },
    },
  })
  @ApiErrors(
    fieldErrors.noWord.shown('group', MARGIN_GROUPS).because('another word'),
    fieldErrors.invalid.shown('from').because('no day; likewise to'),
    creditErrors.usageOrder,
    creditErrors.usageDays,
    costFaults.cost.shown('credit_value'),
    costFaults.currency.because('none beside credit_value, or something else'),
    fieldErrors.noWord.shown('format', ['json', 'csv']).because('another word'),
    creditErrors.usageRows.because('over 10,000 groups'),
  )
  async margin(
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MarginAnswer | string> {
    const word = textOrNull(query['group']) ?? 'day';
    const group = MARGIN_GROUPS.find((known) => known === word);
    if (!group) throw fieldErrors.noWord('group', MARGIN_GROUPS);
    const { from, to } = readUsage({ ...query, group: 'day' }, ['day']);
    const value = readValue(query);
    const isFile = wantsCsv(query, (types) => request.accepts(types));
    const data = await this.queries.execute(new GetMarginQuery({ from, to, group }, value));
    if (!isFile) return { success: true, data, from, to, group };
    response.setHeader('Content-Type', USAGE_CSV);
    return marginCsv(data);
  }
}

function readValue(query: Record<string, unknown>): CreditValue | null {
  const text = textOrNull(query['credit_value']);
  if (text === null) return null;
  const micros = readMicros(text);
  if (micros === null) throw costFaults.cost('credit_value');
  const { currency } = query;
  if (!isCurrency(currency)) throw costFaults.currency();
  return { micros, currency };
}
