import { Body, Controller, Delete, Get, Param, Put, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { fieldErrors } from '../../kernel/errors.js';
import { textOrNull } from '../../kernel/text.js';
import { ApiErrors } from '../../platform/http/index.js';
import { type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { creditErrors, readUsage, USAGE_CSV, wantsCsv } from '../credits/index.js';
import {
  type CreditValue,
  GetMarginQuery,
  MARGIN_GROUPS,
  MarginAnswer,
  marginCsv,
  readMicros,
} from '../routing/index.js';
import { PutRouteCostsCommand } from './route-costs.commands.js';
import {
  costFaults,
  isCurrency,
  PutRouteCostsBody,
  readCosts,
  RemovedRouteCostsAnswer,
  RouteCostsAnswer,
  SavedRouteCostsAnswer,
} from './route-costs.dto.js';
import { routeErrors } from './routes.errors.js';
import { FindRouteCostsQuery } from './routes.queries.js';

/** Carriers' prices (reference/routing#costs). */
@ApiTags('Admin: routes')
@Admin()
@Controller('v6/api/admin/routes/:name/costs')
export class RouteCostsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiParam({ name: 'name', example: 'carrier-1' })
  @ApiOperation({ summary: 'Show what a route costs, by prefix' })
  @ApiOkResponse({ type: RouteCostsAnswer })
  @ApiErrors(routeErrors.notFound, routeErrors.noCosts)
  async show(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RouteCostsAnswer> {
    return { success: true, data: await this.queries.execute(new FindRouteCostsQuery(name, account.timeZone)) };
  }

  @Put()
  @ApiParam({ name: 'name', example: 'carrier-1' })
  @ApiOperation({
    summary: 'Replace what a route costs',
    description: 'Counts for what leaves from 2 s later on, by the longest prefix; what has left keeps its price.',
  })
  @ApiBody({ type: PutRouteCostsBody })
  @ApiOkResponse({ type: SavedRouteCostsAnswer })
  @ApiErrors(...Object.values(costFaults), routeErrors.notFound)
  async put(
    @Param('name') name: string,
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<SavedRouteCostsAnswer> {
    await this.commands.execute(new PutRouteCostsCommand(account, name, readCosts(body)));
    const data = await this.queries.execute(new FindRouteCostsQuery(name, account.timeZone));
    return { success: true, message: 'Route costs saved successfully', data };
  }

  @Delete()
  @ApiParam({ name: 'name', example: 'carrier-1' })
  @ApiOperation({ summary: 'Remove what a route costs; what it has cost stays counted' })
  @ApiOkResponse({ type: RemovedRouteCostsAnswer })
  @ApiErrors(routeErrors.notFound, routeErrors.noCosts)
  async remove(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RemovedRouteCostsAnswer> {
    await this.commands.execute(new PutRouteCostsCommand(account, name, null));
    return { success: true, message: 'Route costs deleted successfully' };
  }
}

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
