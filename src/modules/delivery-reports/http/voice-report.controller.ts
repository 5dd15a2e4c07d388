import { Controller, Get, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { clockTime, isoDate } from '../../../kernel/clock.js';
import { ApiErrors, namingQueryFaults } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { actsAsStaff } from '../../campaigns/index.js';
import { reportErrors } from '../delivery-reports.errors.js';
import { type OpenReport, OpenReportQuery } from '../queries/open-report.query.js';
import { fieldsOf, readIdentifier, readSelection } from './report-request.js';
import { streamReport } from './report-stream.js';
import { VOICE_REPORT_ERRORS, VoiceReportAnswer, type VoiceSummary } from './voice-report.dto.js';

/**
 * Delivery reports of voice campaigns (reference/delivery-reports#voicereport), streamed; for the owner and for staff.
 */
@ApiTags('Delivery reports')
@Authenticated()
@Controller('v6/api/voice')
export class VoiceReportController {
  constructor(private readonly queries: QueryBus) {}

  @Get('report')
  @ApiOperation({ summary: 'Delivery report of a voice campaign' })
  @ApiQuery({ name: 'request_id', example: 'VCAMP_20260501_A1B2C3D4' })
  @ApiQuery({ name: 'status', required: false, description: 'Only records of this status.', example: 'ANSWERED' })
  @ApiQuery({ name: 'page', required: false, type: Number })
  @ApiQuery({ name: 'limit', required: false, type: Number })
  @ApiOkResponse({ description: 'The report; all records unless a page is asked for.', type: VoiceReportAnswer })
  @ApiErrors(VOICE_REPORT_ERRORS)
  async read(@CurrentActor() actor: Actor, @Query() query: unknown, @Res() response: Response): Promise<void> {
    const fields = fieldsOf(query);
    const viewer = { accountId: actor.account.id, desk: actsAsStaff(actor) };
    const report = await namingQueryFaults(reportErrors.reportQuery, async () =>
      this.queries.execute(
        new OpenReportQuery('voice', readIdentifier(fields, {}), 'owner', viewer, readSelection(fields, {})),
      ),
    );
    const head = {
      request_id: report.campaign.requestId,
      summary: summaryOf(report),
      total_rows: report.campaign.totalRows,
      status_counts: report.statusCounts,
    };
    await namingQueryFaults(reportErrors.detailsQuery, () => streamReport(response, head, report.records));
  }
}

/**
 * Summary of reference/delivery-reports#voice-summary; times in the account's zone, those of acceptance when
 * unscheduled. Credits that were given back count as not used.
 */
function summaryOf({ campaign, account }: OpenReport): VoiceSummary {
  const at = campaign.scheduledAt ?? campaign.createdAt;
  return {
    requestid: campaign.requestId,
    username: account.username,
    deduction: String(campaign.unitCredits),
    total_credits_used: String(campaign.unitCredits * campaign.totalRows - campaign.refundedCredits),
    contacts: String(campaign.totalRows),
    broadcast_name: campaign.broadcastName,
    Date: isoDate(at, account.timeZone),
    Time: clockTime(at, account.timeZone),
  };
}
