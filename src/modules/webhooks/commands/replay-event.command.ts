import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { EventStore } from '../persistence/event-store.js';
import { webhookErrors } from '../webhooks.errors.js';

/**
 * Sends an event again to every active endpoint of the account that takes its type, under the same `webhook-id`.
 * @throws AppError not_found for an event that is unknown, another account's, or older than 30 days
 */
export class ReplayEventCommand extends Command<number> {
  constructor(
    readonly actor: Account,
    readonly eventId: string,
  ) {
    super();
  }
}

@CommandHandler(ReplayEventCommand)
export class ReplayEventHandler implements ICommandHandler<ReplayEventCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: EventStore,
    private readonly audit: AuditLog,
  ) {}

  /** @returns to how many endpoints it goes */
  async execute({ actor, eventId }: ReplayEventCommand): Promise<number> {
    const event = await this.events.find(actor.id, eventId);
    if (!event) throw webhookErrors.eventNotFound();
    return inTransaction(this.dataSource, async (tx) => {
      const webhooks = await this.events.replay(tx, event);
      const details = { event_id: eventId, type: event.type, webhooks };
      await this.audit.record(tx, { actor, action: 'webhook.replay', subject: actor.username, details });
      return webhooks;
    });
  }
}
