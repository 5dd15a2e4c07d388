import { Controller, Get, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors, namingQueryFaults } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { actsAsStaff } from '../../campaigns/index.js';
import { voiceChannel } from '../../channels/voice/index.js';
import { reportErrors } from '../delivery-reports.errors.js';
import { OpenReportQuery } from '../queries/open-report.query.js';
import { fieldsOf, readIdentifier, readSelection } from './report-request.js';
import { headOf, streamReport } from './report-stream.js';
import { VoiceReportAnswer, voiceSummary } from './voice-report.dto.js';

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
  @ApiErrors(
    reportErrors.requestIdRequired,
    reportErrors.notFound.because('no voice campaign of this account has that id'),
    reportErrors.smsId,
    reportErrors.chatId,
    reportErrors.reportQuery,
    reportErrors.detailsQuery,
  )
  async read(@CurrentActor() actor: Actor, @Query() query: unknown, @Res() response: Response): Promise<void> {
    const fields = fieldsOf(query);
    const viewer = { accountId: actor.account.id, isStaff: actsAsStaff(actor) };
    const report = await namingQueryFaults(reportErrors.reportQuery, async () =>
      this.queries.execute(
        new OpenReportQuery(voiceChannel, readIdentifier(fields, {}), 'owner', viewer, readSelection(fields, {})),
      ),
    );
    const head = headOf(report, voiceSummary(report));
    await namingQueryFaults(reportErrors.detailsQuery, () => streamReport(response, head, report.records));
  }
}
