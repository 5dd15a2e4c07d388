import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AppError } from '../../../kernel/app-error.js';
import { RelayBell } from '../../../platform/queues/index.js';
import { campaignOf } from '../campaign-access.js';
import type { CampaignState } from '../domain/campaign.js';
import { CampaignReader } from '../persistence/campaign-reader.js';
import { CampaignStates } from '../persistence/campaign-states.js';
import { ChangeCampaign } from './change-campaign.command.js';

@CommandHandler(ChangeCampaign)
export class ChangeCampaignHandler implements ICommandHandler<ChangeCampaign> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly states: CampaignStates,
    private readonly bell: RelayBell,
  ) {}

  async execute({ actor, requestId, change }: ChangeCampaign): Promise<CampaignState> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    const moved = await this.states[change](campaign.id);
    const state = (await this.reader.byId(campaign.id))?.state ?? campaign.state;
    if (!moved) throw new AppError('conflict', 'wrong_state', `Campaign is already ${state}`);
    this.bell.ring();
    return state;
  }
}
