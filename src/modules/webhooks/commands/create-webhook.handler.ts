import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { OutboundClient } from '../../../platform/outbound/index.js';
import { AuditLog } from '../../accounts/index.js';
import { CUSTOMER_EVENT_TYPES } from '../../customer-events/index.js';
import { readWebhook } from '../domain/webhook-form.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { newSecret } from '../webhook-secret.js';
import { type WebhookView, webhookView } from '../webhook.view.js';
import { webhookErrors } from '../webhooks.errors.js';
import { CreateWebhookCommand } from './create-webhook.command.js';

@CommandHandler(CreateWebhookCommand)
export class CreateWebhookHandler implements ICommandHandler<CreateWebhookCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly endpoints: EndpointStore,
    private readonly audit: AuditLog,
    private readonly outbound: OutboundClient,
  ) {}

  async execute({ actor, body }: CreateWebhookCommand): Promise<WebhookView & { secret: string }> {
    const read = readWebhook({ url: body.url ?? null, events: body.events ?? null }, CUSTOMER_EVENT_TYPES, (url) =>
      this.outbound.takesPlain(url),
    );
    if ('fault' in read) throw webhookErrors.fault(read.fault);
    const { url = '', events = [] } = read.fields;
    const secret = newSecret();
    const row = await inTransaction(this.dataSource, async (tx) => {
      const created = await this.endpoints.create(tx, actor.id, { url, events, secret });
      const details = { id: created.id, events };
      await this.audit.record(tx, { actor, action: 'webhook.create', subject: actor.username, details });
      return created;
    });
    return { ...webhookView(row, actor.timeZone), secret };
  }
}
