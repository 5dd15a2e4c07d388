import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { type SecretWebhookData, webhookData } from '../http/webhook.dto.js';
import { assertMayChange } from '../event-types.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { newSecret } from '../webhook-secret.js';
import { webhookErrors } from '../webhooks.errors.js';

/** A new secret; the one before signs too for 24 h (reference/webhooks#signature). @throws AppError not_found */
export class RotateSecretCommand extends Command<SecretWebhookData> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(RotateSecretCommand)
export class RotateSecretHandler implements ICommandHandler<RotateSecretCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly endpoints: EndpointStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, id }: RotateSecretCommand): Promise<SecretWebhookData> {
    return inTransaction(this.dataSource, async (tx) => {
      const row = await this.endpoints.locked(tx, actor.id, id);
      if (!row) throw webhookErrors.notFound();
      assertMayChange(actor, row);
      const secret = newSecret();
      row.updatedAt = await this.endpoints.rotate(tx, row, secret);
      await this.audit.record(tx, { actor, action: 'webhook.rotate', subject: actor.username, details: { id } });
      return { ...webhookData(row, actor.timeZone), secret };
    });
  }
}
