import { randomUUID } from 'node:crypto';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type QueuedTemplateSend, TemplateQueue } from '../template-queue.js';
import { readTemplateRecipients } from '../template-request.js';
import { SendTemplateMessageCommand } from './send-template-message.command.js';

@CommandHandler(SendTemplateMessageCommand)
export class SendTemplateMessageHandler implements ICommandHandler<SendTemplateMessageCommand> {
  constructor(private readonly queue: TemplateQueue) {}

  async execute({ actor, body }: SendTemplateMessageCommand): Promise<QueuedTemplateSend> {
    return this.queue.send(actor.account, body, {
      channel: 'template',
      connections: ['official'],
      readRecipients: readTemplateRecipients,
      makeRequestId: () => randomUUID(),
      notQueued: 'messageNotQueued',
    });
  }
}
