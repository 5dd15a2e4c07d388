import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { JsonObject } from '../../../kernel/json-values.js';
import { CSV_LINE_END, csvLine, textOrNull } from '../../../kernel/text.js';
import {
  AlsoTakes,
  ApiErrors,
  LargeJson,
  scheduleWarnings,
  streamText,
  type Warn,
  Warnings,
} from '../../../platform/http/index.js';
import { RateLimited } from '../../../platform/security/index.js';
import { type Actor, Authenticated, CurrentActor, Needs, SENDS, TestKeys } from '../../accounts/index.js';
import { creditErrors } from '../../credits/index.js';
import { GUARD_ERRORS } from '../../guard/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../../idempotency/index.js';
import { UsedRoutes } from '../broadcasts/index.js';
import { SendBulkCampaignCommand } from './bulk.commands.js';
import { BULK_EXAMPLES, BulkAnswer, BulkBody } from './bulk.dto.js';
import { BULK_ERRORS, BULK_QUOTE_ERRORS } from './bulk.errors.js';
import { SkippedRowsOfSendQuery } from './bulk.queries.js';

const SKIPPED = ['row', 'value', 'reason', 'message'];
const SKIPPED_EXAMPLE = [SKIPPED.join(','), '3,919812345678,duplicate,the person is in an earlier row', ''].join(
  CSV_LINE_END,
);

/** Campaigns with a text per recipient (reference/bulk#send). */
@ApiTags('Campaigns')
@Authenticated()
@TestKeys()
@Controller('v6/api/campaigns')
export class BulkController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly usedRoutes: UsedRoutes,
  ) {}

  @Post()
  @Needs(...SENDS)
  @HttpCode(202)
  @RateLimited('broadcast')
  @LargeJson()
  @Idempotent()
  @AlsoTakes('img2', 'document', 'media_with_caption')
  @ApiOperation({
    summary: 'Send a campaign with a text for each recipient',
    description:
      'SMS, unofficial chat and templates. Each recipient is priced, charged, refunded and reported by its own text; all of them are accepted, or none.',
  })
  @ApiBody({ type: BulkBody, examples: BULK_EXAMPLES })
  @ApiAcceptedResponse({ description: 'Charged and queued.', type: BulkAnswer })
  @ApiErrors(...BULK_ERRORS, ...GUARD_ERRORS, creditErrors.insufficient)
  async send(
    @Body() body: JsonObject,
    @CurrentActor() { account }: Actor,
    @IdempotencyKey('bulk_campaign') idempotent: IdempotentRequest | null,
    @Warnings() warn: Warn,
  ): Promise<BulkAnswer> {
    const command = new SendBulkCampaignCommand(account, body, idempotent);
    const { routeId, hints = [], ...data } = await this.commands.execute(command);
    warn(...hints);
    const hasDlt = textOrNull(body['dlt_template_id']) !== null;
    // `route` of a template send is a connection, not a requested route
    const isAsked = hasDlt || textOrNull(body['route']) !== null;
    warn(...scheduleWarnings(body['schedule_time'], account.timeZone));
    if (isAsked) warn(...(await this.usedRoutes.of(data.route, { routeId }, { field: 'route', hasDlt })));
    return { success: true, data };
  }

  @Post('skipped.csv')
  @Needs('read', ...SENDS)
  @HttpCode(200)
  @LargeJson()
  @AlsoTakes('img2', 'document', 'media_with_caption')
  @ApiOperation({
    summary: 'What a send leaves out, as a CSV file',
    description:
      'Takes the body of a send with `remove_duplicates` or `skip_invalid`. All rows, where the answers to the send and its quote name a hundred. Sends and stores nothing.',
  })
  @ApiBody({ type: BulkBody, examples: BULK_EXAMPLES })
  @ApiProduces('text/csv')
  @ApiOkResponse({
    description: 'The file.',
    content: { 'text/csv': { schema: { type: 'string' }, example: SKIPPED_EXAMPLE } },
  })
  @ApiErrors(...BULK_QUOTE_ERRORS)
  async skipped(
    @Body() body: JsonObject,
    @CurrentActor() { account }: Actor,
    @Res() response: Response,
  ): Promise<void> {
    const lines = await this.queries.execute(new SkippedRowsOfSendQuery(account, body));
    const frame = {
      contentType: 'text/csv; charset=utf-8; header=present',
      headers: { 'Content-Disposition': 'attachment; filename="skipped.csv"' },
      before: csvLine(SKIPPED),
      after: '',
    };
    await streamText(response, frame, lines);
  }
}
