import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import { OutboundClient } from '../../platform/outbound/index.js';
import { type Account, AuditLog, createdBy } from '../accounts/index.js';
import { Channels } from '../engine/index.js';
import { EndpointStore } from './endpoints.store.js';
import { assertMayChange, eventTypesFor } from './events.js';
import { newSecret, type RawWebhook, readWebhook } from './webhook.js';
import { type SecretWebhookData, webhookData, type WebhookData } from './webhooks.dto.js';
import { webhookErrors, webhookFault, webhookFaults } from './webhooks.errors.js';

// Longest wait for DNS at registration; an unresolved address is checked at each try.
const NAME_PATIENCE_MS = 2_000;

/** Validates addresses that owners register (reference/webhooks#addresses). */
@Injectable()
export class WebhookUrls {
  constructor(private readonly outbound: OutboundClient) {}

  /** False for a plain URL that needs TLS, decided without DNS. */
  takesPlain(url: string): boolean {
    return this.outbound.takesPlain(url);
  }

  /** Throws AppError invalid for an address that no try would call. */
  async assertOpen(url: string, accountId: number): Promise<void> {
    const refusal = await this.outbound.refusal({
      url,
      customer: accountId,
      tlsOutside: true,
      patienceMs: NAME_PATIENCE_MS,
    });
    if (refusal === 'refused') throw webhookFaults.urlClosed();
    if (refusal === 'unencrypted') throw webhookFaults.urlUnencrypted();
  }
}

/** Creates an endpoint; only this answer and a rotation show the secret. Throws AppError invalid, conflict (quota). */
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

/** Changes URL, events or status; absent fields stay, `active` re-enables an endpoint. Throws AppError not_found, invalid. */
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
    // DNS before any lock.
    if (fields.url !== undefined && fields.url !== known.url) await this.urls.assertOpen(fields.url, actor.id);
    if (Object.keys(fields).length === 0) return webhookData(known, actor.timeZone);
    return inTransaction(this.dataSource, async (tx) => {
      const row = await this.endpoints.locked(tx, actor.id, id);
      if (!row) throw webhookErrors.notFound();
      assertMayChange(actor, row);
      const changed = await this.endpoints.change(tx, row, fields, createdBy(actor));
      // Only names: a URL may contain the customer's secret.
      const details = { id, fields: Object.keys(fields), ...(fields.status && { status: fields.status }) };
      await this.audit.record(tx, { actor, action: 'webhook.change', subject: actor.username, details });
      return webhookData(changed, actor.timeZone);
    });
  }
}

/** Removes an endpoint. Throws AppError not_found. */
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

/** Makes a new secret; the previous one also signs for 24 h (reference/webhooks#signature). Throws AppError not_found. */
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
