import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { CHANNEL_NAMES, CHANNEL_QUOTE_ERRORS, QUOTABLE_CHANNEL_NAMES, QUOTE_EXAMPLES } from '../../channels/index.js';
import { CAMPAIGN_STATES, Channels } from '../../engine/index.js';
import { quoteErrors } from '../campaigns.errors.js';
import { ListCampaignsQuery } from '../queries/list-campaigns.query.js';
import { QuoteCampaignQuery } from '../queries/quote-campaign.query.js';
import { FILTER_ERRORS, readCampaignFilter, SEARCH_DESCRIPTION } from './campaign-filter.js';
import { type CampaignData, CampaignPageResponse, CAMPAIGNS } from './campaign.dto.js';
import { QuoteBody, QuoteResponse } from './quote.dto.js';

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
  @ApiQuery({ name: 'state', required: false, enum: [...CAMPAIGN_STATES] })
  @ApiQuery({ name: 'channel', required: false, enum: [...CHANNEL_NAMES] })
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
  @ApiOperation({
    summary: 'What a send would cost',
    description: 'Costs nothing, sends nothing. Priced as the channel’s own send is, to the credit.',
  })
  @ApiBody({
    type: QuoteBody,
    examples: QUOTE_EXAMPLES,
  })
  @ApiOkResponse({ type: QuoteResponse })
  @ApiErrors(
    quoteErrors.channel.shown(QUOTABLE_CHANNEL_NAMES),
    quoteErrors.message,
    quoteErrors.contacts,
    ...CHANNEL_QUOTE_ERRORS,
  )
  async quote(@CurrentActor() { account }: Actor, @Body() body: Record<string, unknown>): Promise<QuoteResponse> {
    return { success: true, data: await this.queries.execute(new QuoteCampaignQuery(account.id, body)) };
  }
}
