import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { now } from '../../../kernel/clock.js';
import { newRequestId } from '../../../kernel/request-id.js';
import { type QueuedTemplateSend, TemplateQueue } from '../template-queue.js';
import { readBrandedRecipients } from '../template-request.js';
import { SendBrandedCampaignCommand } from './send-branded-campaign.command.js';

const ID_PREFIX = 'WCAMP';

@CommandHandler(SendBrandedCampaignCommand)
export class SendBrandedCampaignHandler implements ICommandHandler<SendBrandedCampaignCommand> {
  constructor(private readonly queue: TemplateQueue) {}

  async execute({ actor, body }: SendBrandedCampaignCommand): Promise<QueuedTemplateSend> {
    return this.queue.send(actor.account, body, {
      channel: 'branded',
      connections: ['branded', 'official'],
      readRecipients: readBrandedRecipients,
      makeRequestId: (zone) => newRequestId(ID_PREFIX, 8, now(), zone),
      notQueued: 'campaignNotQueued',
    });
  }
}
