import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, Not } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import {
  type Account,
  AuditLog,
  type Gone,
  isMadeBy,
  type MadeThing,
  type MadeThingListener,
  MadeThings,
} from '../../accounts/index.js';
import { DISABLED_REASONS, MOST_WEBHOOKS } from '../domain/webhook.js';
import { WebhookEndpointEntity } from './webhook.entities.js';

/** Webhooks that a person or a key made: shown before it is removed, and disabled with it where that is wished. */
@Injectable()
export class MadeWebhooks implements MadeThingListener {
  constructor(
    private readonly audit: AuditLog,
    made: MadeThings,
  ) {
    made.register(this);
  }

  async madeBy(source: EntityManager, gone: Gone): Promise<MadeThing[]> {
    const rows = await this.rows(source, gone);
    return rows.map(({ id, url, status }) => ({ kind: 'webhook', id, name: url, is_active: status === 'active' }));
  }

  async endMadeBy(tx: EntityManager, actor: Account, gone: Gone): Promise<void> {
    const rows = await this.rows(tx, gone);
    const active = rows.filter(({ status }) => status === 'active');
    for (const { id } of active) {
      const reason = DISABLED_REASONS.makerGone;
      const changes = { status: 'disabled', disabledReason: reason, updatedAt: now() };
      await tx.update(WebhookEndpointEntity, { id, status: 'active' }, changes);
      const details = { id, fields: ['status'], status: 'disabled', reason };
      const { id: accountId, username: subject } = gone.account;
      await this.audit.record(tx, { actor, action: 'webhook.change', subject, accountId, details });
    }
  }

  /** An account has few webhooks: all are read, and those of other makers left out. */
  private async rows(source: EntityManager, gone: Gone): Promise<WebhookEndpointEntity[]> {
    const where = { accountId: gone.account.id, slot: Not(IsNull()) };
    const rows = await source.find(WebhookEndpointEntity, { where, order: { id: 'ASC' }, take: MOST_WEBHOOKS });
    return rows.filter(({ createdBy }) => isMadeBy(gone, createdBy));
  }
}
