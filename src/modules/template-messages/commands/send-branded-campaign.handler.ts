import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { TEMPLATE_REQUEST_IDS } from '../template.offers.js';
import { type QueuedTemplateSend, TemplateQueue, type TemplateSendKind } from '../template-queue.js';
import { readBrandedRecipients } from '../template-request.js';
import { SendBrandedCampaignCommand } from './send-branded-campaign.command.js';

@CommandHandler(SendBrandedCampaignCommand)
export class SendBrandedCampaignHandler implements ICommandHandler<SendBrandedCampaignCommand> {
  constructor(private readonly queue: TemplateQueue) {}

  async execute({ actor, body, idempotent }: SendBrandedCampaignCommand): Promise<QueuedTemplateSend> {
    const kind: TemplateSendKind = {
      channel: 'branded',
      readRecipients: readBrandedRecipients,
      makeRequestId: TEMPLATE_REQUEST_IDS.branded,
      notQueued: 'campaignNotQueued',
      accountFirst: false,
    };
    return this.queue.send(actor.account, body, kind, idempotent);
  }
}
