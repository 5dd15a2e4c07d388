import type { ServerResponse } from 'node:http';
import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { DocumentedError } from '../../kernel/errors.js';
import { objectOrEmpty } from '../../kernel/json-values.js';
import { readText, type ReadText } from '../../kernel/text.js';
import {
  AlsoTakes,
  ApiErrors,
  bodyErrors,
  ExactAnswer,
  fromForm,
  namingQueryFaults,
  READER_PATIENCE_MS,
  readPage,
  streamTexts,
  TEST_WARNING,
  type Warn,
  Warnings,
} from '../../platform/http/index.js';
import { clientIp } from '../../platform/security/index.js';
import {
  AccessTokens,
  type Actor,
  Authenticated,
  CurrentActor,
  isTesting,
  Open,
  OpenMisses,
  TestKeys,
} from '../accounts/index.js';
import { actsAsStaff, type RecordSelection } from '../campaigns/index.js';
import { smsChannel } from '../channels/sms/index.js';
import { voiceChannel } from '../channels/voice/index.js';
import {
  REPORT_EXAMPLES,
  SmsReportAnswer,
  SmsReportBody,
  smsSummary,
  VoiceReportAnswer,
  voiceSummary,
} from './delivery-reports.dto.js';
import { reportErrors } from './delivery-reports.errors.js';
import { type OpenReport, OpenReportQuery } from './delivery-reports.queries.js';

/** Identifier names in the order of reference/delivery-reports#identifier; `BODY_ALIAS` counts in a body only. */
const ALIASES = ['request_id', 'requestid', 'provider_message_id', 'providermessageid'] as const;
const BODY_ALIAS = 'providerMessageId';

type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields => objectOrEmpty(value);

/** The first identifier that is not empty, query before body (reference/delivery-reports#identifier). @throws invalid */
export function readIdentifier(query: Fields, body: Fields): string {
  const candidates: ReadText[] = ALIASES.flatMap((name) => [readText(query[name]), readText(body[name])]);
  const first = [...candidates, readText(body[BODY_ALIAS])].find((read) => read.kind !== 'empty');
  if (first?.kind !== 'text') throw reportErrors.requestIdRequired();
  return first.value;
}

/** Reads the selection of records from query or body, clamping odd values (reference/delivery-reports#selection). */
export function readSelection(query: Fields, body: Fields): RecordSelection {
  const given = (name: string): string | undefined => {
    const read = [readText(query[name]), readText(body[name])].find(({ kind }) => kind !== 'empty');
    return read && (read.kind === 'text' ? read.value : '');
  };
  const [status, page, limit] = [given('status'), given('page'), given('limit')];
  return {
    ...(status !== undefined && { status }),
    ...((page !== undefined || limit !== undefined) && { page: readPage({ page, limit }) }),
  };
}

export interface ReportHead<Summary extends object> {
  request_id: string;
  summary: Summary;
  total_rows: number;
  status_counts: Record<string, number>;
}

/** @param summary of the campaign's channel */
const headOf = <Summary extends object>(
  { campaign, statusCounts }: OpenReport,
  summary: Summary,
): ReportHead<Summary> => ({
  request_id: campaign.requestId,
  summary,
  total_rows: campaign.totalRows,
  status_counts: statusCounts,
});

/** Streams the JSON report, with one chunk in memory. @throws as `streamTexts` */
export function streamReport<Summary extends object>(
  response: ServerResponse,
  head: ReportHead<Summary>,
  records: AsyncIterable<string>,
  patienceMs = READER_PATIENCE_MS,
): Promise<void> {
  const { request_id, ...data } = head;
  const opening = JSON.stringify({ success: true, request_id, data }).slice(0, -2);
  return streamTexts(response, { before: `${opening},"records":[`, after: ']}}' }, records, patienceMs);
}

const REPORT_ERRORS: readonly DocumentedError[] = [
  reportErrors.requestIdRequired,
  reportErrors.notFound.because('no SMS campaign of that id, or its account demands its own token'),
  reportErrors.voiceId,
  reportErrors.chatId,
  reportErrors.reportQuery,
  reportErrors.detailsQuery,
];

/** Delivery reports of SMS campaigns (reference/delivery-reports#getgsmreportphp). */
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
  @ExactAnswer()
  @ApiOperation({ summary: 'Delivery report of an SMS campaign' })
  @ApiQuery({ name: 'request_id', required: false, example: 'GSMCAMP_20260501_A1B2C3' })
  @ApiQuery({ name: 'status', required: false, description: 'Only records of this status.', example: 'DELIVERED' })
  @ApiQuery({ name: 'page', required: false, type: Number })
  @ApiQuery({ name: 'limit', required: false, type: Number })
  @ApiOkResponse({ description: 'The report; all records unless a page is asked for.', type: SmsReportAnswer })
  // the document shows no body for GET, but one is read
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
    @Warnings() warn: Warn,
  ): Promise<void> {
    return this.answer([query, body], request, response, warn);
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
    @Warnings() warn: Warn,
  ): Promise<void> {
    return this.answer([query, body], request, response, warn);
  }

  private async answer(
    [query, body]: readonly [unknown, unknown],
    request: Request,
    response: Response,
    warn: Warn,
  ): Promise<void> {
    const fields = fieldsOf(query);
    const form = fieldsOf(fromForm(body));
    const report = await namingQueryFaults(reportErrors.reportQuery, () =>
      this.misses.guard(clientIp(request), () => this.open(fields, form, request)),
    );
    if (report.campaign.isTest) warn(TEST_WARNING);
    const head = headOf(report, smsSummary(report));
    await namingQueryFaults(reportErrors.detailsQuery, () => streamReport(response, head, report.records));
  }

  private async open(query: Fields, body: Fields, request: Request): Promise<OpenReport> {
    const requestId = readIdentifier(query, body);
    const bearer = await this.tokens.bearerOf(request);
    const viewer = { accountId: bearer?.id ?? null, testsOnly: bearer !== null && isTesting(bearer) };
    return this.queries.execute(
      new OpenReportQuery(smsChannel, requestId, 'anyone', viewer, readSelection(query, body)),
    );
  }
}

/** Delivery reports of voice campaigns (reference/delivery-reports#voicereport), for the owner and staff. */
@ApiTags('Delivery reports')
@Authenticated()
@TestKeys()
@Controller('v6/api/voice')
export class VoiceReportController {
  constructor(private readonly queries: QueryBus) {}

  @Get('report')
  @ExactAnswer()
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
  async read(
    @CurrentActor() actor: Actor,
    @Query() query: unknown,
    @Res() response: Response,
    @Warnings() warn: Warn,
  ): Promise<void> {
    const fields = fieldsOf(query);
    const { account } = actor;
    const viewer = { accountId: account.id, isStaff: actsAsStaff(actor), testsOnly: isTesting(account) };
    const report = await namingQueryFaults(reportErrors.reportQuery, async () =>
      this.queries.execute(
        new OpenReportQuery(voiceChannel, readIdentifier(fields, {}), 'owner', viewer, readSelection(fields, {})),
      ),
    );
    if (report.campaign.isTest) warn(TEST_WARNING);
    const head = headOf(report, voiceSummary(report));
    await namingQueryFaults(reportErrors.detailsQuery, () => streamReport(response, head, report.records));
  }
}
