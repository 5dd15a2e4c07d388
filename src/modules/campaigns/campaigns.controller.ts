import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import {
  ApiErrors,
  fromForm,
  LargeJson,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
  type Warn,
  Warnings,
} from '../../platform/http/index.js';
import {
  type Actor,
  Authenticated,
  CurrentActor,
  Needs,
  SENDS,
  TestKeys,
  TestQuery,
  wantsTests,
} from '../accounts/index.js';
import {
  BULK_EXAMPLES,
  BULK_QUOTE_ERRORS,
  BulkBody,
  BulkQuoteResponse,
  isBulkBody,
  NO_BULK_BODY,
  QuoteBulkQuery,
} from '../channels/bulk/index.js';
import {
  CHANNEL_NAMES,
  CHANNEL_QUOTE_ERRORS,
  CHANNEL_RETRY_ERRORS,
  QUOTABLE_CHANNEL_NAMES,
  QUOTE_EXAMPLES,
} from '../channels/index.js';
import {
  isVoiceBody,
  QuoteVoiceQuery,
  VOICE_QUOTE_ERRORS,
  VoiceQuoteBody,
  VoiceQuoteResponse,
} from '../channels/voice/index.js';
import { creditErrors } from '../credits/index.js';
import { acceptanceErrors, Channels } from '../engine/index.js';
import { GUARD_ERRORS, guardErrors } from '../guard/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../idempotency/index.js';
import {
  FILTER_ERRORS,
  LISTED_STATES,
  readCampaignFilter,
  ROUTE_DESCRIPTION,
  SEARCH_DESCRIPTION,
  STATE_DESCRIPTION,
} from './campaign-filter.js';
import { ChangeCampaignCommand, RetryFailedCommand } from './campaigns.commands.js';
import {
  CampaignChangedResponse,
  type CampaignData,
  CampaignPageResponse,
  CampaignResponse,
  CampaignRetriedResponse,
  CAMPAIGNS,
  readInclude,
  REQUEST_ID,
  RetryBody,
  RetryQuoteResponse,
} from './campaigns.dto.js';
import { campaignErrors, quoteErrors } from './campaigns.errors.js';
import { GetCampaignQuery, ListCampaignsQuery, QuoteRetryQuery } from './campaigns.queries.js';
import { LASTING_KINDS } from '../providers/index.js';
import { QuoteBody, QuoteResponse } from './quote/quote.dto.js';
import { QuoteCampaignQuery } from './quote/quote.queries.js';

const PERSONALISED_EXAMPLES = Object.fromEntries(
  Object.entries(BULK_EXAMPLES).map(([name, example]) => [`personalised_${name}`, example]),
);

@ApiTags('Campaigns')
@Authenticated()
@TestKeys()
@Controller('v6/api/campaigns')
export class CampaignsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly channels: Channels,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Your campaigns, newest first' })
  @ApiQuery({ name: 'state', required: false, enum: [...LISTED_STATES], description: STATE_DESCRIPTION })
  @ApiQuery({ name: 'channel', required: false, enum: [...CHANNEL_NAMES] })
  @ApiQuery({ name: 'route', required: false, description: ROUTE_DESCRIPTION })
  @ApiQuery({ name: 'from', required: false, example: '2026-11-01', description: 'accepted then or later' })
  @ApiQuery({ name: 'to', required: false, example: '2026-11-30', description: 'accepted then or earlier' })
  @ApiQuery({ name: 'search', required: false, description: SEARCH_DESCRIPTION })
  @TestQuery()
  @ListQuery()
  @ApiOkResponse({ type: CampaignPageResponse })
  @ApiErrors(...FILTER_ERRORS, ...LIST_ERRORS)
  async list(
    @CurrentActor() { account }: Actor,
    @Query() query: Record<string, unknown>,
  ): Promise<Paged<CampaignData>> {
    const filter = {
      ...readCampaignFilter(query, account.timeZone, this.channels.names),
      isTest: wantsTests(query, account),
    };
    const page = readListPage(CAMPAIGNS, query);
    return paged(CAMPAIGNS, page, await this.queries.execute(new ListCampaignsQuery(account.id, filter, page)));
  }

  @Post('quote')
  @Needs('read', ...SENDS)
  @HttpCode(200)
  @LargeJson()
  @ApiOperation({
    summary: 'What a send would cost',
    description:
      'Costs nothing, sends nothing. Priced as the channel’s own send is, to the credit; with the body of a personalised send each recipient by its own text; with that of a voice send by the length of its audio, which is made and thrown away.',
  })
  @ApiExtraModels(QuoteResponse, BulkQuoteResponse, VoiceQuoteResponse, QuoteBody, BulkBody, VoiceQuoteBody)
  @ApiBody({
    schema: {
      oneOf: [
        { allOf: [{ $ref: getSchemaPath(QuoteBody) }, NO_BULK_BODY] },
        { $ref: getSchemaPath(BulkBody) },
        { $ref: getSchemaPath(VoiceQuoteBody) },
      ],
    },
    examples: { ...QUOTE_EXAMPLES, ...PERSONALISED_EXAMPLES },
  })
  @ApiOkResponse({
    schema: {
      oneOf: [QuoteResponse, BulkQuoteResponse, VoiceQuoteResponse].map((answer) => ({ $ref: getSchemaPath(answer) })),
    },
  })
  @ApiErrors(
    quoteErrors.channel.shown(QUOTABLE_CHANNEL_NAMES),
    quoteErrors.message,
    quoteErrors.contacts,
    quoteErrors.tooMany,
    ...CHANNEL_QUOTE_ERRORS,
    ...BULK_QUOTE_ERRORS,
    ...VOICE_QUOTE_ERRORS,
  )
  async quote(
    @CurrentActor() { account }: Actor,
    @Body() body: Record<string, unknown>,
    @Warnings() warn: Warn,
  ): Promise<QuoteResponse | BulkQuoteResponse | VoiceQuoteResponse> {
    if (isVoiceBody(body)) {
      return { success: true, data: await this.queries.execute(new QuoteVoiceQuery(account, body)) };
    }
    if (isBulkBody(body)) {
      const { data, hints } = await this.queries.execute(new QuoteBulkQuery(account, body));
      warn(...hints);
      return { success: true, data };
    }
    return { success: true, data: await this.queries.execute(new QuoteCampaignQuery(account, body)) };
  }
}

@ApiTags('Campaigns')
@ApiParam({ name: 'request_id', example: REQUEST_ID })
@Authenticated()
@ApiErrors(campaignErrors.notFound)
@TestKeys()
@Controller('v6/api/campaigns/:request_id')
export class CampaignController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'How a campaign stands' })
  @ApiOkResponse({ type: CampaignResponse })
  async show(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignResponse> {
    return { success: true, data: await this.queries.execute(new GetCampaignQuery(actor, requestId)) };
  }

  @Post('pause')
  @Needs(...SENDS)
  @HttpCode(200)
  @ApiOperation({ summary: 'Stop sending within two seconds; nothing is lost' })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors(campaignErrors.already)
  pause(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignChangedResponse> {
    return this.change(actor, requestId, 'pause');
  }

  @Post('resume')
  @Needs(...SENDS)
  @HttpCode(200)
  @ApiOperation({ summary: 'Go on with a paused campaign' })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors(campaignErrors.already)
  resume(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignChangedResponse> {
    return this.change(actor, requestId, 'resume');
  }

  @Post('cancel')
  @Needs(...SENDS)
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancel and refund what has not left' })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors(campaignErrors.already)
  cancel(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignChangedResponse> {
    return this.change(actor, requestId, 'cancel');
  }

  @Get('retry-failed')
  @ApiOperation({
    summary: 'What a retry of the failures would send to',
    description:
      'Costs nothing, sends nothing: how many failed for which reason, and the price of those that are retried.',
  })
  @ApiQuery({ name: 'include', required: false, enum: [...LASTING_KINDS], isArray: true, explode: false })
  @ApiOkResponse({ type: RetryQuoteResponse })
  @ApiErrors(
    campaignErrors.include.shown(LASTING_KINDS),
    campaignErrors.already.because('it has not begun'),
    acceptanceErrors.noRoute,
    ...CHANNEL_RETRY_ERRORS,
  )
  async quoteRetry(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @Query('include') include: unknown,
  ): Promise<RetryQuoteResponse> {
    const data = await this.queries.execute(new QuoteRetryQuery(actor, requestId, readInclude(include)));
    return { success: true, data };
  }

  @Post('retry-failed')
  @Needs(...SENDS)
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Send again to the recipients that failed',
    description:
      'Makes a campaign of its own, charged like a new send, of the FAILED recipients: not of those that failed for good or have left (`include` takes them all the same), of cancelled or unknown ones, and of none that an earlier retry of this campaign has. The campaign itself never changes.',
  })
  @ApiBody({ type: RetryBody, required: false })
  @ApiOkResponse({ type: CampaignRetriedResponse })
  @ApiErrors(
    campaignErrors.include.shown(LASTING_KINDS),
    campaignErrors.already.because('it has not begun'),
    acceptanceErrors.noRoute,
    acceptanceErrors.tooManyChains,
    ...CHANNEL_RETRY_ERRORS,
    campaignErrors.noneFailed,
    ...GUARD_ERRORS,
    guardErrors.calls,
    creditErrors.insufficient,
  )
  async retryFailed(
    @CurrentActor() actor: Actor,
    @Body() body: unknown,
    @Param('request_id') requestId: string,
    @IdempotencyKey('retry_failed') idempotent: IdempotentRequest | null,
  ): Promise<CampaignRetriedResponse> {
    const include = readInclude(fromForm(body, { lists: ['include'] })['include']);
    const command = new RetryFailedCommand(actor, requestId, include, idempotent);
    return { success: true, data: await this.commands.execute(command) };
  }

  private async change(
    actor: Actor,
    requestId: string,
    change: ChangeCampaignCommand['change'],
  ): Promise<CampaignChangedResponse> {
    const state = await this.commands.execute(new ChangeCampaignCommand(actor, requestId, change));
    return { success: true, data: { request_id: requestId, state } };
  }
}
