import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { OWN_GROUPS } from '../domain/selection.js';
import { GetStatisticsQuery } from '../queries/get-statistics.query.js';
import { readSelection, StatisticsRoute } from './selection.js';
import type { StatisticsAnswer } from './statistics.dto.js';

/** Charts of the acting account (reference/accounts#statistics). */
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
