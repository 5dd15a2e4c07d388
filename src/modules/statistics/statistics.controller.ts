import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, Admin, Authenticated, CurrentActor } from '../accounts/index.js';
import { readSelection, type StatisticsAnswer, StatisticsRoute } from './statistics.dto.js';
import { GROUPS, OWN_GROUPS } from './statistics.js';
import { GetStatisticsQuery } from './statistics.queries.js';

@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account/statistics')
export class OwnStatisticsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'What the account sent and what became of it, by channel',
    description: 'From stored counters, which are a few seconds behind.',
  })
  @StatisticsRoute(OWN_GROUPS)
  async read(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<StatisticsAnswer> {
    const { range, by, key, span } = readSelection(query, OWN_GROUPS, account.timeZone);
    const asked = new GetStatisticsQuery(range, by, key, span, account.id);
    return { success: true, data: await this.queries.execute(asked) };
  }
}

@ApiTags('Admin: statistics')
@Admin()
@Controller('v6/api/admin/statistics')
export class StatisticsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'What was sent and what became of it, by route, channel or account',
    description: 'From stored counters, which are a few seconds behind.',
  })
  @StatisticsRoute(GROUPS)
  async read(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<StatisticsAnswer> {
    const { range, by, key, span } = readSelection(query, GROUPS, account.timeZone);
    return { success: true, data: await this.queries.execute(new GetStatisticsQuery(range, by, key, span, null)) };
  }
}
