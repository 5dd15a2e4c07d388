import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, Admin, CurrentActor } from '../../accounts/index.js';
import { GROUPS } from '../domain/selection.js';
import { GetStatisticsQuery } from '../queries/get-statistics.query.js';
import { readSelection, StatisticsRoute } from './selection.js';
import type { StatisticsAnswer } from './statistics.dto.js';

/** Charts of the whole house (reference/admin#statistics). */
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
