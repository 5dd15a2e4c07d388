import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, Like, Not } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { type Account, AuditLog, type MadeThing, type MadeThingListener, MadeThings } from '../../accounts/index.js';
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

  async madeBy(source: EntityManager, accountId: number, prefix: string): Promise<MadeThing[]> {
    const rows = await source.find(WebhookEndpointEntity, { where: ofMaker(accountId, prefix), take: MOST_WEBHOOKS });
    return rows.map(({ id, url, status }) => ({ kind: 'webhook', id, name: url, is_active: status === 'active' }));
  }

  async endMadeBy(tx: EntityManager, actor: Account, accountId: number, prefix: string): Promise<void> {
    const where = { ...ofMaker(accountId, prefix), status: 'active' };
    const rows = await tx.find(WebhookEndpointEntity, { where, take: MOST_WEBHOOKS });
    for (const { id } of rows) {
      const reason = DISABLED_REASONS.makerGone;
      const changes = { status: 'disabled', disabledReason: reason, updatedAt: now() };
      await tx.update(WebhookEndpointEntity, { id, status: 'active' }, changes);
      const details = { id, fields: ['status'], status: 'disabled', reason };
      const subject = actor.username;
      await this.audit.record(tx, { actor, action: 'webhook.change', subject, accountId, details });
    }
  }
}

const ofMaker = (accountId: number, prefix: string) => ({
  accountId,
  slot: Not(IsNull()),
  createdBy: Like(`${prefix}%`),
});
