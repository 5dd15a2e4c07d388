import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { CHANNEL_RETRY_ERRORS } from '../../channels/index.js';
import { creditErrors } from '../../credits/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../../idempotency/index.js';
import { ChangeCampaignCommand } from '../commands/change-campaign.command.js';
import { RetryFailedCommand } from '../commands/retry-failed.command.js';
import { acceptanceErrors, type CampaignChange } from '../../engine/index.js';
import { campaignErrors } from '../campaigns.errors.js';
import { GetCampaignQuery } from '../queries/get-campaign.query.js';
import { CampaignResponse } from './campaign-detail.dto.js';
import { CampaignChangedResponse, CampaignRetriedResponse, REQUEST_ID } from './campaign.dto.js';

/** One campaign: how it stands, stopping it, sending again what failed. Staff see those of all accounts. */
@ApiTags('Campaigns')
@ApiParam({ name: 'request_id', example: REQUEST_ID })
@Authenticated()
@ApiErrors(campaignErrors.notFound)
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
  @HttpCode(200)
  @ApiOperation({ summary: 'Stop sending within two seconds; nothing is lost' })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors(campaignErrors.already)
  pause(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignChangedResponse> {
    return this.change(actor, requestId, 'pause');
  }

  @Post('resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'Go on with a paused campaign' })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors(campaignErrors.already)
  resume(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignChangedResponse> {
    return this.change(actor, requestId, 'resume');
  }

  @Post('cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancel and refund what has not left' })
  @ApiOkResponse({ type: CampaignChangedResponse })
  @ApiErrors(campaignErrors.already)
  cancel(@CurrentActor() actor: Actor, @Param('request_id') requestId: string): Promise<CampaignChangedResponse> {
    return this.change(actor, requestId, 'cancel');
  }

  @Post('retry-failed')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Send again to the recipients that failed',
    description:
      'Makes a campaign of its own, charged like a new send, of the FAILED recipients: not of suppressed, cancelled or unknown ones, and of none that an earlier retry of this campaign has. The campaign itself never changes.',
  })
  @ApiOkResponse({ type: CampaignRetriedResponse })
  @ApiErrors(
    campaignErrors.already.because('it has not begun'),
    acceptanceErrors.noRoute,
    acceptanceErrors.tooManyChains,
    ...CHANNEL_RETRY_ERRORS,
    campaignErrors.noneFailed,
    creditErrors.insufficient,
  )
  async retryFailed(
    @CurrentActor() actor: Actor,
    @Param('request_id') requestId: string,
    @IdempotencyKey('retry_failed') idempotent: IdempotentRequest | null,
  ): Promise<CampaignRetriedResponse> {
    return { success: true, data: await this.commands.execute(new RetryFailedCommand(actor, requestId, idempotent)) };
  }

  private async change(actor: Actor, requestId: string, change: CampaignChange): Promise<CampaignChangedResponse> {
    const state = await this.commands.execute(new ChangeCampaignCommand(actor, requestId, change));
    return { success: true, data: { request_id: requestId, state } };
  }
}
