import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { EventStore } from '../persistence/event-store.js';
import { webhookErrors } from '../webhooks.errors.js';
import { ReplayEventCommand } from './replay-event.command.js';

@CommandHandler(ReplayEventCommand)
export class ReplayEventHandler implements ICommandHandler<ReplayEventCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: EventStore,
  ) {}

  /** @returns to how many endpoints it goes */
  async execute({ actor, eventId }: ReplayEventCommand): Promise<number> {
    const event = await this.events.find(actor.id, eventId);
    if (!event) throw webhookErrors.eventNotFound();
    return inTransaction(this.dataSource, (tx) => this.events.replay(tx, event));
  }
}
