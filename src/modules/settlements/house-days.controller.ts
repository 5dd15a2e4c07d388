import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/index.js';
import { type Actor, Admin, Authenticated, CurrentActor, TestKeys } from '../accounts/index.js';
import { campaignErrors } from '../campaigns/index.js';
import { CheckAuditDayQuery, GetDayPlaceQuery } from './house-days.queries.js';
import { AuditDayAnswer, DayPlaceAnswer } from './settlements.dto.js';
import { settlementErrors } from './settlements.errors.js';

/** The day of the house that a settlement belongs to (reference/settlements#days). */
@ApiTags('Settlements')
@ApiParam({ name: 'request_id', example: 'GSMCAMP_20261121_A1B2C3' })
@Authenticated()
@TestKeys()
@Controller('v6/api/campaigns/:request_id/settlement/day')
export class DayPlaceController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'Where a settlement stands in the signed day of the house',
    description: 'The day is sealed ten minutes after its end (UTC), over the settlements of all accounts.',
  })
  @ApiOkResponse({ type: DayPlaceAnswer })
  @ApiErrors(
    campaignErrors.notFound,
    settlementErrors.none,
    settlementErrors.notYet,
    settlementErrors.refused,
    settlementErrors.dayOpen,
  )
  async place(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<DayPlaceAnswer> {
    return { success: true, data: await this.queries.execute(new GetDayPlaceQuery(actor, requestId)) };
  }
}

/** The audit log against what was signed of it, for staff. */
@ApiTags('Admin: audit')
@ApiParam({ name: 'day', example: '2026-11-21' })
@Admin()
@Controller('v6/api/admin/audit/days/:day')
export class AuditDaysController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'Whether the audit log of a day is as it was signed',
    description: 'Reads the entries of the day and computes their root again.',
  })
  @ApiOkResponse({ type: AuditDayAnswer })
  @ApiErrors(settlementErrors.noDay)
  async check(@Param('day') day: string): Promise<AuditDayAnswer> {
    return { success: true, data: await this.queries.execute(new CheckAuditDayQuery(day)) };
  }
}
