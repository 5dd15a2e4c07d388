import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { type CampaignChange, ChangeCampaign } from '../commands/change-campaign.command.js';
import { GetCampaign } from '../queries/get-campaign.query.js';
import { CampaignChangedResponse, CampaignResponse } from './campaign.response.js';

const NOT_FOUND = { status: 404, message: 'Campaign not found', reason: 'no such campaign of this account' };
const ALREADY = { status: 409, message: 'Campaign is already <state>', reason: 'the state does not allow it' };

/** An account's campaigns: how they stand, and stopping them. Staff see everybody's. */
@ApiTags('Campaigns')
@ApiParam({ name: 'request_id', example: 'GSMCAMP_20261121_A1B2C3' })
@Authenticated()
@Controller('v6/api/campaigns/:request_id')
export class CampaignsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'How a campaign stands' })
  @ApiOkResponse({ type: CampaignResponse })
  @ApiErrors([NOT_FOUND])
  async show(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignResponse> {
    return { success: true, data: await this.queries.execute(new GetCampaign(actor, requestId)) };
  }

  @Post('pause')
  @HttpCode(200)
  @ApiOperation({ summary: 'Stop sending within two seconds; nothing is lost' })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors([NOT_FOUND, ALREADY])
  pause(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignChangedResponse> {
    return this.change(actor, requestId, 'pause');
  }

  @Post('resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'Go on with a paused campaign' })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors([NOT_FOUND, ALREADY])
  resume(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignChangedResponse> {
    return this.change(actor, requestId, 'resume');
  }

  @Post('cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancel and refund what has not left' })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors([NOT_FOUND, ALREADY])
  cancel(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignChangedResponse> {
    return this.change(actor, requestId, 'cancel');
  }

  private async change(actor: Actor, requestId: string, change: CampaignChange): Promise<CampaignChangedResponse> {
    const state = await this.commands.execute(new ChangeCampaign(actor, requestId, change));
    return { success: true, data: { request_id: requestId, state } };
  }
}
