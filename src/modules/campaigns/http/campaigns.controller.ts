import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ApiErrors, paged, type Paged, readPage } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { CHANNEL_NAMES, QUOTE_EXAMPLES } from '../../channels/index.js';
import { CAMPAIGN_STATES, Channels } from '../../engine/index.js';
import type { CampaignView } from '../queries/campaign.view.js';
import { ListCampaignsQuery } from '../queries/list-campaigns.query.js';
import { QuoteCampaignQuery } from '../queries/quote-campaign.query.js';
import { QUOTE_ROWS } from './campaign-error-rows.js';
import { FILTER_ROWS, readCampaignFilter } from './campaign-filter.js';
import { CampaignPageResponse } from './campaign.response.js';
import { QuoteBody, QuoteResponse } from './contact.response.js';

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
  @ApiQuery({ name: 'search', required: false, description: 'part of broadcast_name or request_id, in any case' })
  @ApiQuery({ name: 'page', required: false, example: 1 })
  @ApiQuery({ name: 'limit', required: false, example: 50 })
  @ApiOkResponse({ type: CampaignPageResponse })
  @ApiErrors(FILTER_ROWS)
  async list(
    @CurrentActor() { account }: Actor,
    @Query() query: Record<string, unknown>,
  ): Promise<Paged<CampaignView>> {
    const filter = readCampaignFilter(query, account.timeZone, this.channels.names);
    const page = readPage(query);
    const { campaigns, total } = await this.queries.execute(
      new ListCampaignsQuery(account.id, filter, page.page, page.limit),
    );
    return paged(campaigns, page, total);
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
  @ApiErrors(QUOTE_ROWS)
  async quote(@CurrentActor() { account }: Actor, @Body() body: Record<string, unknown>): Promise<QuoteResponse> {
    return { success: true, data: await this.queries.execute(new QuoteCampaignQuery(account.id, body)) };
  }
}
