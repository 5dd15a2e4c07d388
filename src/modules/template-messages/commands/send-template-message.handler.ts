import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { TEMPLATE_REQUEST_IDS } from '../template.offers.js';
import { type QueuedTemplateSend, TemplateQueue, type TemplateSendKind } from '../template-queue.js';
import { readTemplateRecipients } from '../template-request.js';
import { SendTemplateMessageCommand } from './send-template-message.command.js';

@CommandHandler(SendTemplateMessageCommand)
export class SendTemplateMessageHandler implements ICommandHandler<SendTemplateMessageCommand> {
  constructor(private readonly queue: TemplateQueue) {}

  async execute({ actor, body, idempotent, overSession }: SendTemplateMessageCommand): Promise<QueuedTemplateSend> {
    const kind: TemplateSendKind = {
      channel: 'template',
      readRecipients: readTemplateRecipients,
      makeRequestId: TEMPLATE_REQUEST_IDS.template,
      notQueued: 'messageNotQueued',
      accountFirst: overSession,
    };
    return this.queue.send(actor.account, body, kind, idempotent);
  }
}
