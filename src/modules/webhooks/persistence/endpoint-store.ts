import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { duplicateKeyName } from '../../../platform/database/index.js';
import { Sealer } from '../../../platform/security/index.js';
import { DISABLED_REASONS, OVERLAP_MS } from '../domain/webhook.js';
import type { WebhookFields } from '../domain/webhook-form.js';
import { webhookErrors } from '../webhooks.errors.js';
import { EndpointMoments } from './endpoint-moments.js';
import { WebhookEndpointEntity } from './webhook.entities.js';

const SLOT_KEY = /\buq_webhook_endpoints_slot$/;

/** Endpoints as their owners see and change them. */
@Injectable()
export class EndpointStore {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sealer: Sealer,
    private readonly moments: EndpointMoments,
  ) {}

  /** The account's, the oldest first; a removed one is no longer there. */
  ofAccount(accountId: number): Promise<WebhookEndpointEntity[]> {
    return this.dataSource
      .getRepository(WebhookEndpointEntity)
      .find({ where: { accountId, slot: Not(IsNull()) }, order: { id: 'ASC' } });
  }

  find(accountId: number, id: number): Promise<WebhookEndpointEntity | null> {
    return this.dataSource.getRepository(WebhookEndpointEntity).findOneBy({ id, accountId, slot: Not(IsNull()) });
  }

  locked(tx: EntityManager, accountId: number, id: number): Promise<WebhookEndpointEntity | null> {
    return tx.findOne(WebhookEndpointEntity, {
      where: { id, accountId, slot: Not(IsNull()) },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** What signs now, the newest first (reference/webhooks#signature). */
  secretsOf({ secret, previousSecret, previousUntil }: WebhookEndpointEntity): string[] {
    const signsToo = previousSecret !== null && previousUntil !== null && previousUntil > now();
    return [secret, ...(signsToo ? [previousSecret] : [])].map((sealed) => this.sealer.open(sealed));
  }

  /**
   * The unique key of the places decides, however many ask at once.
   * @throws AppError conflict when the account has `WEBHOOKS_PER_ACCOUNT` already
   */
  async create(
    tx: EntityManager,
    accountId: number,
    fields: { url: string; events: readonly string[]; secret: string; createdBy: string },
  ): Promise<WebhookEndpointEntity> {
    const most = this.environment.WEBHOOKS_PER_ACCOUNT;
    for (;;) {
      const rows = await tx.findBy(WebhookEndpointEntity, { accountId, slot: Not(IsNull()) });
      const taken = new Set(rows.map(({ slot }) => slot));
      const slot = Array.from({ length: most }, (_, index) => index + 1).find((place) => !taken.has(place));
      if (slot === undefined) throw webhookErrors.tooMany(most);
      const at = now();
      const row = tx.create(WebhookEndpointEntity, {
        accountId,
        slot,
        url: fields.url,
        events: fields.events.join(','),
        status: 'active',
        disabledReason: null,
        secret: this.sealer.seal(fields.secret),
        previousSecret: null,
        previousUntil: null,
        failingSince: null,
        heldUntil: null,
        fence: 0,
        leaseUntil: null,
        nextDueAt: null,
        createdBy: fields.createdBy,
        createdAt: at,
        updatedAt: at,
      });
      try {
        await tx.insert(WebhookEndpointEntity, row);
        return row;
      } catch (error) {
        // Another request has just taken this place.
        if (!SLOT_KEY.test(duplicateKeyName(error) ?? '')) throw error;
      }
    }
  }

  /**
   * Fields that were given; `active`, or another URL, forgets the failures of before (reference/webhooks#own-routes).
   */
  async change(
    tx: EntityManager,
    row: WebhookEndpointEntity,
    fields: WebhookFields,
    by: string,
  ): Promise<WebhookEndpointEntity> {
    const { url = row.url, events, status } = fields;
    const changed: Partial<WebhookEndpointEntity> = { url, events: events?.join(',') ?? row.events, updatedAt: now() };
    if (url !== row.url) changed.createdBy = by;
    if (status === 'active' || url !== row.url) Object.assign(changed, { failingSince: null, heldUntil: null });
    if (status === 'active') {
      Object.assign(changed, { status, disabledReason: null });
    } else if (status === 'disabled' && row.status !== 'disabled') {
      Object.assign(changed, { status, disabledReason: DISABLED_REASONS.byOwner });
    }
    await tx.update(WebhookEndpointEntity, { id: row.id }, changed);
    // What waited for it may leave now.
    await this.moments.advance(tx, [{ id: row.id, isAwaited: false }]);
    return Object.assign(row, changed);
  }

  /** A new secret; the one before it signs too for a day. @returns when */
  async rotate(tx: EntityManager, row: WebhookEndpointEntity, secret: string): Promise<Date> {
    const at = now();
    await tx.update(
      WebhookEndpointEntity,
      { id: row.id },
      {
        secret: this.sealer.seal(secret),
        previousSecret: row.secret,
        previousUntil: new Date(at.getTime() + OVERLAP_MS),
        updatedAt: at,
      },
    );
    return at;
  }

  /** It gets nothing any more; the sweeper takes its rows. */
  async remove(tx: EntityManager, id: number): Promise<void> {
    await tx.update(WebhookEndpointEntity, { id }, { status: 'removed', slot: null, updatedAt: now() });
  }
}
