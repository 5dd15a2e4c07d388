import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { codePoints, textOrNull } from '../../kernel/text.js';
import {
  ApiErrors,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
  REVISION_ERRORS,
} from '../../platform/http/index.js';
import { type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { CHANNEL_NAMES } from '../channels/index.js';
import { Channels } from '../engine/index.js';
import {
  FILTER_ERRORS,
  LISTED_STATES,
  readCampaignFilter,
  ROUTE_DESCRIPTION,
  SEARCH_DESCRIPTION,
  STATE_DESCRIPTION,
} from './campaign-filter.js';
import { ChangeCampaignCommand } from './campaigns.commands.js';
import { CampaignChangedResponse, CAMPAIGNS } from './campaigns.dto.js';
import { campaignErrors, LONGEST_REASON } from './campaigns.errors.js';
import { ReviewCampaignQuery, ReviewCampaignsQuery } from './campaigns.queries.js';
import {
  DecisionRequest,
  RejectionRequest,
  type StaffCampaignAnswer,
  StaffCampaignOneAnswer,
  StaffCampaignPageAnswer,
} from './staff-campaigns.dto.js';

const NOT_FOUND = campaignErrors.notFound.because('no campaign of that id');
const DECISION_ERRORS = [
  NOT_FOUND,
  campaignErrors.already.because('it does not wait for approval'),
  ...REVISION_ERRORS,
];

@ApiTags('Admin: campaigns')
@Admin()
@Controller('v6/api/admin/campaigns')
export class CampaignsAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly channels: Channels,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Campaigns of all accounts, newest first',
    description:
      'Times are in the zone of the account that asks. The routes below /v6/api/campaigns take every campaign.',
  })
  @ApiQuery({
    name: 'state',
    required: false,
    enum: [...LISTED_STATES],
    example: 'pending_approval',
    description: STATE_DESCRIPTION,
  })
  @ApiQuery({ name: 'channel', required: false, enum: [...CHANNEL_NAMES] })
  @ApiQuery({ name: 'route', required: false, description: ROUTE_DESCRIPTION })
  @ApiQuery({ name: 'username', required: false, description: 'Only this account’s' })
  @ApiQuery({ name: 'from', required: false, example: '2026-11-01', description: 'Accepted then or later' })
  @ApiQuery({ name: 'to', required: false, example: '2026-11-30', description: 'Accepted then or earlier' })
  @ApiQuery({ name: 'search', required: false, description: SEARCH_DESCRIPTION })
  @ListQuery()
  @ApiOkResponse({ type: StaffCampaignPageAnswer })
  @ApiErrors(...FILTER_ERRORS, ...LIST_ERRORS)
  async list(
    @CurrentActor() { account }: Actor,
    @Query() query: Record<string, unknown>,
  ): Promise<Paged<StaffCampaignAnswer>> {
    const filter = readCampaignFilter(query, account.timeZone, this.channels.names);
    const page = readListPage(CAMPAIGNS, query);
    const list = new ReviewCampaignsQuery(textOrNull(query['username']), filter, page, account.timeZone);
    return paged(CAMPAIGNS, page, await this.queries.execute(list));
  }

  @Get(':request_id')
  @ApiParam({ name: 'request_id', example: 'VCAMP_20261121_A1B2C3D4' })
  @ApiOperation({
    summary: 'One campaign of any account',
    description: 'On voice with all that is heard in it and every number that can be reached by it.',
  })
  @ApiOkResponse({ type: StaffCampaignOneAnswer })
  @ApiErrors(NOT_FOUND)
  async show(
    @Param('request_id') requestId: string,
    @CurrentActor() { account }: Actor,
  ): Promise<StaffCampaignOneAnswer> {
    const query = new ReviewCampaignQuery(requestId, account.timeZone);
    return { success: true, data: await this.queries.execute(query) };
  }

  @Post(':request_id/approve')
  @HttpCode(200)
  @ApiParam({ name: 'request_id', example: 'VCAMP_20261121_A1B2C3D4' })
  @ApiOperation({ summary: 'Let a voice campaign begin', description: 'At once, or when it is scheduled.' })
  @ApiBody({ type: DecisionRequest, required: false, examples: { looked: { value: { revision: 1 } } } })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors(...DECISION_ERRORS)
  approve(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @Body() body: DecisionRequest,
  ): Promise<CampaignChangedResponse> {
    return this.decide(actor, requestId, 'approve', body);
  }

  @Post(':request_id/reject')
  @HttpCode(200)
  @ApiParam({ name: 'request_id', example: 'VCAMP_20261121_A1B2C3D4' })
  @ApiOperation({ summary: 'Refuse a voice campaign', description: 'No call is made; all credits go back.' })
  @ApiBody({
    type: RejectionRequest,
    required: false,
    examples: { looked: { value: { reason: 'The number in the menu is not yours', revision: 1 } } },
  })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors(campaignErrors.reasonTooLong, ...DECISION_ERRORS)
  reject(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @Body() body: RejectionRequest,
  ): Promise<CampaignChangedResponse> {
    const reason = textOrNull(body.reason)?.trim() ?? null;
    if (reason !== null && codePoints(reason) > LONGEST_REASON) throw campaignErrors.reasonTooLong();
    return this.decide(actor, requestId, 'reject', body, reason);
  }

  private async decide(
    actor: Actor,
    requestId: string,
    decision: 'approve' | 'reject',
    { revision }: DecisionRequest,
    reason: string | null = null,
  ): Promise<CampaignChangedResponse> {
    const change = new ChangeCampaignCommand(actor, requestId, decision, revision ?? null, reason);
    const state = await this.commands.execute(change);
    return { success: true, data: { request_id: requestId, state } };
  }
}
