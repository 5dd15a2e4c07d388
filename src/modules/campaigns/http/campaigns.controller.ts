import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import {
  ApiErrors,
  LargeJson,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
  type Warn,
  Warnings,
} from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { CHANNEL_NAMES, CHANNEL_QUOTE_ERRORS, QUOTABLE_CHANNEL_NAMES, QUOTE_EXAMPLES } from '../../channels/index.js';
import {
  BULK_QUOTE_ERRORS,
  BULK_EXAMPLES,
  BulkBody,
  BulkQuoteResponse,
  isBulkBody,
  NO_BULK_BODY,
  QuoteBulkQuery,
} from '../../channels/bulk/index.js';
import {
  isVoiceBody,
  QuoteVoiceQuery,
  VOICE_QUOTE_ERRORS,
  VoiceQuoteBody,
  VoiceQuoteResponse,
} from '../../channels/voice/index.js';
import { Channels } from '../../engine/index.js';
import { quoteErrors } from '../campaigns.errors.js';
import { ListCampaignsQuery } from '../queries/list-campaigns.query.js';
import { QuoteCampaignQuery } from '../queries/quote-campaign.query.js';
import {
  FILTER_ERRORS,
  LISTED_STATES,
  readCampaignFilter,
  ROUTE_DESCRIPTION,
  SEARCH_DESCRIPTION,
  STATE_DESCRIPTION,
} from './campaign-filter.js';
import { type CampaignData, CampaignPageResponse, CAMPAIGNS } from './campaign.dto.js';
import { QuoteBody, QuoteResponse } from './quote.dto.js';

const PERSONALISED_EXAMPLES = Object.fromEntries(
  Object.entries(BULK_EXAMPLES).map(([name, example]) => [`personalised_${name}`, example]),
);

/** An account's campaigns as a list, and what a send would cost. */
@ApiTags('Campaigns')
@Authenticated()
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
  @ListQuery()
  @ApiOkResponse({ type: CampaignPageResponse })
  @ApiErrors(...FILTER_ERRORS, ...LIST_ERRORS)
  async list(
    @CurrentActor() { account }: Actor,
    @Query() query: Record<string, unknown>,
  ): Promise<Paged<CampaignData>> {
    const filter = readCampaignFilter(query, account.timeZone, this.channels.names);
    const page = readListPage(CAMPAIGNS, query);
    return paged(CAMPAIGNS, page, await this.queries.execute(new ListCampaignsQuery(account.id, filter, page)));
  }

  @Post('quote')
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
      return { success: true, data: await this.queries.execute(new QuoteVoiceQuery(account.id, body)) };
    }
    if (isBulkBody(body)) {
      const { data, hints } = await this.queries.execute(new QuoteBulkQuery(account, body));
      warn(...hints);
      return { success: true, data };
    }
    return { success: true, data: await this.queries.execute(new QuoteCampaignQuery(account.id, body)) };
  }
}
