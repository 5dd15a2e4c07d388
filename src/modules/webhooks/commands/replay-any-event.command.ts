import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AccountDirectory, AuditLog } from '../../accounts/index.js';
import { EventStore } from '../persistence/event-store.js';
import { webhookErrors } from '../webhooks.errors.js';

/**
 * Staff send an event of any account again, to its active endpoints that take the type.
 * @throws AppError not_found for an event that is unknown, or older than 30 days
 */
export class ReplayAnyEventCommand extends Command<number> {
  constructor(
    readonly actor: Account,
    readonly eventId: string,
  ) {
    super();
  }
}

@CommandHandler(ReplayAnyEventCommand)
export class ReplayAnyEventHandler implements ICommandHandler<ReplayAnyEventCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: EventStore,
    private readonly accounts: AccountDirectory,
    private readonly audit: AuditLog,
  ) {}

  /** @returns to how many endpoints it goes */
  async execute({ actor, eventId }: ReplayAnyEventCommand): Promise<number> {
    const event = await this.events.findAny(eventId);
    if (!event) throw webhookErrors.eventNotFound();
    const subject = (await this.accounts.byId(event.accountId))?.username ?? '';
    return inTransaction(this.dataSource, async (tx) => {
      const webhooks = await this.events.replay(tx, event);
      const details = { event_id: eventId, type: event.type, webhooks };
      await this.audit.record(tx, { actor, action: 'webhook.replay', subject, accountId: event.accountId, details });
      return webhooks;
    });
  }
}
