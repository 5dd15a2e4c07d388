import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
  REVISION_ERRORS,
} from '../../platform/http/index.js';
import { type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { Channels } from '../engine/index.js';
import { rateErrors } from '../rates/index.js';
import { PutRatePlanCommand, RemoveRatePlanCommand } from './rate-plans.commands.js';
import {
  RateData,
  rateFaults,
  RatePlanAnswer,
  type RatePlanHeadData,
  RatePlanPageAnswer,
  readRates,
  readSeen,
  RemovedRatePlanAnswer,
  SavedRatePlanAnswer,
} from './rate-plans.dto.js';
import { FindRatePlanQuery, ListRatePlansQuery } from './rate-plans.queries.js';

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

const PLANS = { name: 'rates', positions: 'ids' } as const;

const RATES_EXAMPLE = [
  { channel: 'sms', prefix: '', credits_per_segment: 3 },
  { channel: 'sms', prefix: '91', credits_per_segment: 2 },
];

@ApiTags('Admin: rates')
@Admin()
@Controller('v6/api/admin/rates')
export class RatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly channels: Channels,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List rate plans, oldest first' })
  @ListQuery()
  @ApiOkResponse({ type: RatePlanPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<RatePlanHeadData>> {
    const page = readListPage(PLANS, query);
    return paged(PLANS, page, await this.queries.execute(new ListRatePlansQuery(page, account.timeZone)));
  }

  @Get(':plan')
  @ApiParam({ name: 'plan', example: 'wholesale' })
  @ApiOperation({ summary: 'Show a rate plan' })
  @ApiOkResponse({ type: RatePlanAnswer })
  @ApiErrors(rateErrors.notFound)
  async show(@Param('plan') plan: string, @CurrentActor() { account }: Actor): Promise<RatePlanAnswer> {
    return { success: true, data: await this.queries.execute(new FindRatePlanQuery(plan, account.timeZone)) };
  }

  @Put(':plan')
  @ApiParam({ name: 'plan', example: 'wholesale', description: '1 to 64 of A-Z a-z 0-9 . _ -' })
  @ApiQuery({
    name: 'revision',
    required: false,
    type: 'integer',
    description: 'What was looked at; without one, whichever stands is replaced',
  })
  @ApiOperation({
    summary: 'Create or replace a rate plan',
    description: 'What is accepted within 2 s may still be priced by the rows before. At most 10,000 rows.',
  })
  @ApiBody({ type: [RateData], examples: { india: { summary: 'India cheaper', value: RATES_EXAMPLE } } })
  @ApiOkResponse({ type: SavedRatePlanAnswer })
  @ApiErrors(rateErrors.name, ...REVISION_ERRORS, ...Object.values(rateFaults), rateErrors.race)
  async put(
    @Param('plan') plan: string,
    @Query('revision') revision: unknown,
    @Body() body: unknown,
    @CurrentActor() { account }: Actor,
  ): Promise<SavedRatePlanAnswer> {
    if (!NAME.test(plan)) throw rateErrors.name();
    const seen = readSeen(revision);
    const rates = readRates(body, this.channels.names);
    await this.commands.execute(new PutRatePlanCommand(account, plan, rates, seen));
    const data = await this.queries.execute(new FindRatePlanQuery(plan, account.timeZone));
    return { success: true, message: 'Rate plan saved successfully', data };
  }

  @Delete(':plan')
  @ApiParam({ name: 'plan', example: 'wholesale' })
  @ApiOperation({ summary: 'Remove a rate plan that no account has' })
  @ApiOkResponse({ type: RemovedRatePlanAnswer })
  @ApiErrors(rateErrors.notFound, rateErrors.inUse)
  async remove(@Param('plan') plan: string, @CurrentActor() { account }: Actor): Promise<RemovedRatePlanAnswer> {
    await this.commands.execute(new RemoveRatePlanCommand(account, plan));
    return { success: true, message: 'Rate plan deleted successfully' };
  }
}
