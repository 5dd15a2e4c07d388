import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog, createdBy } from '../../accounts/index.js';
import { Channels } from '../../engine/index.js';
import { eventTypesFor } from '../event-types.js';
import { type SecretWebhookData, webhookData } from '../http/webhook.dto.js';
import { type RawWebhook, readWebhook } from '../domain/webhook-form.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { newSecret } from '../webhook-secret.js';
import { WebhookUrls } from '../webhook-urls.js';
import { webhookFault } from '../webhooks.errors.js';

/**
 * A new endpoint of the acting account. The answer and that of a rotation are the only places where the secret stands.
 * @throws AppError invalid for the body, conflict when the account has ten
 */
export class CreateWebhookCommand extends Command<SecretWebhookData> {
  constructor(
    readonly actor: Account,
    readonly body: RawWebhook,
  ) {
    super();
  }
}

@CommandHandler(CreateWebhookCommand)
export class CreateWebhookHandler implements ICommandHandler<CreateWebhookCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly endpoints: EndpointStore,
    private readonly audit: AuditLog,
    private readonly urls: WebhookUrls,
    private readonly channels: Channels,
  ) {}

  async execute({ actor, body }: CreateWebhookCommand): Promise<SecretWebhookData> {
    const read = readWebhook(
      { url: body.url ?? null, events: body.events ?? null },
      eventTypesFor(this.channels, actor),
      (url) => this.urls.takesPlain(url),
    );
    if ('fault' in read) throw webhookFault(read.fault, actor);
    const { url = '', events = [] } = read.fields;
    await this.urls.assertOpen(url, actor.id);
    const secret = newSecret();
    const row = await inTransaction(this.dataSource, async (tx) => {
      const created = await this.endpoints.create(tx, actor.id, { url, events, secret, createdBy: createdBy(actor) });
      const details = { id: created.id, events };
      await this.audit.record(tx, { actor, action: 'webhook.create', subject: actor.username, details });
      return created;
    });
    return { ...webhookData(row, actor.timeZone), secret };
  }
}
