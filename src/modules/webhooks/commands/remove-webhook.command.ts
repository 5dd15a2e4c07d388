import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { assertMayChange } from '../event-types.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { webhookErrors } from '../webhooks.errors.js';

/** It gets nothing any more. @throws AppError not_found */
export class RemoveWebhookCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(RemoveWebhookCommand)
export class RemoveWebhookHandler implements ICommandHandler<RemoveWebhookCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly endpoints: EndpointStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, id }: RemoveWebhookCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const row = await this.endpoints.locked(tx, actor.id, id);
      if (!row) throw webhookErrors.notFound();
      assertMayChange(actor, row);
      await this.endpoints.remove(tx, id);
      await this.audit.record(tx, { actor, action: 'webhook.remove', subject: actor.username, details: { id } });
    });
  }
}
