import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import type { IdempotentRequest } from '../../idempotency/index.js';
import { templateMessageErrors } from './template-messages.errors.js';
import { type QueuedTemplateSend, TemplateQueue, type TemplateSendKind } from './template-queue.js';
import { readBrandedRecipients, readTemplateRecipients } from './template-request.js';
import { brandedChannel, templateChannel } from './template.channels.js';

/**
 * Sends an approved template to many over the branded connection, else the official one; drops invalid numbers.
 * @throws AppError rows of reference/template-messages#errors, in order; `failed` `Failed to queue template campaign`
 */
export class SendBrandedCampaignCommand extends Command<QueuedTemplateSend> {
  constructor(
    readonly actor: Actor,
    readonly body: unknown,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

@CommandHandler(SendBrandedCampaignCommand)
export class SendBrandedCampaignHandler implements ICommandHandler<SendBrandedCampaignCommand> {
  constructor(private readonly queue: TemplateQueue) {}

  async execute({ actor, body, idempotent }: SendBrandedCampaignCommand): Promise<QueuedTemplateSend> {
    const kind: TemplateSendKind = {
      channel: brandedChannel,
      readRecipients: readBrandedRecipients,
      notQueued: templateMessageErrors.campaignNotQueued,
      accountFirst: false,
    };
    return this.queue.send(actor.account, body, kind, idempotent);
  }
}

/**
 * Sends an approved template to up to 30,000 recipients (reference/template-messages#fields) over the official connection.
 * Takes the unvalidated body, because a v6 session message of type template is the same request.
 * @param overSession the session endpoint reports a missing chat account before all faults of the body
 * @throws AppError rows of reference/template-messages#errors, in order; `failed` `Failed to queue template message`
 */
export class SendTemplateMessageCommand extends Command<QueuedTemplateSend> {
  constructor(
    readonly actor: Actor,
    readonly body: unknown,
    readonly idempotent: IdempotentRequest | null,
    readonly overSession = false,
  ) {
    super();
  }
}

@CommandHandler(SendTemplateMessageCommand)
export class SendTemplateMessageHandler implements ICommandHandler<SendTemplateMessageCommand> {
  constructor(private readonly queue: TemplateQueue) {}

  async execute({ actor, body, idempotent, overSession }: SendTemplateMessageCommand): Promise<QueuedTemplateSend> {
    const kind: TemplateSendKind = {
      channel: templateChannel,
      readRecipients: readTemplateRecipients,
      notQueued: templateMessageErrors.messageNotQueued,
      accountFirst: overSession,
    };
    return this.queue.send(actor.account, body, kind, idempotent);
  }
}
