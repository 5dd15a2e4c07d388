import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog, createdBy } from '../../accounts/index.js';
import { Channels } from '../../engine/index.js';
import { assertMayChange, eventTypesFor } from '../event-types.js';
import { webhookData, type WebhookData } from '../http/webhook.dto.js';
import { type RawWebhook, readWebhook } from '../domain/webhook-form.js';
import { EndpointStore } from '../persistence/endpoint-store.js';
import { WebhookUrls } from '../webhook-urls.js';
import { webhookErrors, webhookFault } from '../webhooks.errors.js';

/**
 * Another URL, other events, another status; what is absent stays. `active` revives a disabled endpoint.
 * @throws AppError not_found, invalid
 */
export class ChangeWebhookCommand extends Command<WebhookData> {
  constructor(
    readonly actor: Account,
    readonly id: number,
    readonly changes: RawWebhook,
  ) {
    super();
  }
}

@CommandHandler(ChangeWebhookCommand)
export class ChangeWebhookHandler implements ICommandHandler<ChangeWebhookCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly endpoints: EndpointStore,
    private readonly audit: AuditLog,
    private readonly urls: WebhookUrls,
    private readonly channels: Channels,
  ) {}

  async execute({ actor, id, changes: { url, events, status } }: ChangeWebhookCommand): Promise<WebhookData> {
    const known = await this.endpoints.find(actor.id, id);
    if (!known) throw webhookErrors.notFound();
    const read = readWebhook({ url, events, status }, eventTypesFor(this.channels, actor), (url) =>
      this.urls.takesPlain(url),
    );
    if ('fault' in read) throw webhookFault(read.fault, actor);
    const { fields } = read;
    // Names are looked up before anything is locked.
    if (fields.url !== undefined && fields.url !== known.url) await this.urls.assertOpen(fields.url, actor.id);
    if (Object.keys(fields).length === 0) return webhookData(known, actor.timeZone);
    return inTransaction(this.dataSource, async (tx) => {
      const row = await this.endpoints.locked(tx, actor.id, id);
      if (!row) throw webhookErrors.notFound();
      assertMayChange(actor, row);
      const changed = await this.endpoints.change(tx, row, fields, createdBy(actor));
      // A URL may carry a secret of the customer's.
      const details = { id, fields: Object.keys(fields), ...(fields.status && { status: fields.status }) };
      await this.audit.record(tx, { actor, action: 'webhook.change', subject: actor.username, details });
      return webhookData(changed, actor.timeZone);
    });
  }
}
