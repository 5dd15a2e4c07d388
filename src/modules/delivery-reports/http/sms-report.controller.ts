import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { DocumentedError } from '../../../kernel/define-error.js';
import {
  AlsoTakes,
  ApiErrors,
  bodyErrors,
  ExactAnswer,
  fromForm,
  namingQueryFaults,
} from '../../../platform/http/index.js';
import { clientIp } from '../../../platform/security/index.js';
import { AccessTokens, Open, OpenMisses } from '../../accounts/index.js';
import { smsChannel } from '../../channels/sms/index.js';
import { reportErrors } from '../delivery-reports.errors.js';
import { type OpenReport, OpenReportQuery } from '../queries/open-report.query.js';
import { type Fields, fieldsOf, readIdentifier, readSelection } from './report-request.js';
import { headOf, streamReport } from './report-stream.js';
import { REPORT_EXAMPLES, SmsReportAnswer, SmsReportBody, smsSummary } from './sms-report.dto.js';

const REPORT_ERRORS: readonly DocumentedError[] = [
  reportErrors.requestIdRequired,
  reportErrors.notFound.because('no SMS campaign of that id, or its account demands its own token'),
  reportErrors.voiceId,
  reportErrors.chatId,
  reportErrors.reportQuery,
  reportErrors.detailsQuery,
];

/** Delivery reports of SMS campaigns (reference/delivery-reports#getgsmreportphp), streamed. */
@ApiTags('Delivery reports')
@Open('knowing the request id is enough; an account or the operator may demand its token')
@Controller('webhook/api')
export class SmsReportController {
  constructor(
    private readonly queries: QueryBus,
    private readonly tokens: AccessTokens,
    private readonly misses: OpenMisses,
  ) {}

  @Get('getGSMreport.php')
  @ApiOperation({ summary: 'Delivery report of an SMS campaign' })
  @ApiQuery({ name: 'request_id', required: false, example: 'GSMCAMP_20260501_A1B2C3' })
  @ApiQuery({ name: 'status', required: false, description: 'Only records of this status.', example: 'DELIVERED' })
  @ApiQuery({ name: 'page', required: false, type: Number })
  @ApiQuery({ name: 'limit', required: false, type: Number })
  @ApiOkResponse({ description: 'The report; all records unless a page is asked for.', type: SmsReportAnswer })
  // a GET shows no body in the document, but one is read
  @ApiErrors(
    bodyErrors.tooLarge.because('body over 64 KB'),
    bodyErrors.compressed,
    bodyErrors.tooSlow,
    bodyErrors.malformedJson,
    ...REPORT_ERRORS,
  )
  read(
    @Query() query: unknown,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer(query, body, request, response);
  }

  @Post('getGSMreport.php')
  @ExactAnswer()
  @AlsoTakes('requestid', 'provider_message_id', 'providermessageid', 'providerMessageId')
  @HttpCode(200)
  @ApiOperation({ summary: 'Delivery report of an SMS campaign, identifier in the body' })
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiBody({ type: SmsReportBody, required: false, examples: REPORT_EXAMPLES })
  @ApiOkResponse({ description: 'The report; all records unless a page is asked for.', type: SmsReportAnswer })
  @ApiErrors(...REPORT_ERRORS)
  readByBody(
    @Query() query: unknown,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer(query, body, request, response);
  }

  private async answer(query: unknown, body: unknown, request: Request, response: Response): Promise<void> {
    const fields = fieldsOf(query);
    const form = fieldsOf(fromForm(body));
    const report = await namingQueryFaults(reportErrors.reportQuery, () =>
      this.misses.guard(clientIp(request), () => this.open(fields, form, request)),
    );
    const head = headOf(report, smsSummary(report));
    await namingQueryFaults(reportErrors.detailsQuery, () => streamReport(response, head, report.records));
  }

  private async open(query: Fields, body: Fields, request: Request): Promise<OpenReport> {
    const requestId = readIdentifier(query, body);
    const viewer = { accountId: (await this.tokens.bearerOf(request))?.id ?? null };
    return this.queries.execute(
      new OpenReportQuery(smsChannel, requestId, 'anyone', viewer, readSelection(query, body)),
    );
  }
}
