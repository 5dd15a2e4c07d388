import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Account } from '../domain/account.js';
import { SCOPES } from '../domain/rights.js';
import { AuditLog } from '../logs/logs.store.js';
import { ApiKeyEntity } from '../tables.js';
import { ApiKeyStore, scopesOf } from './api-keys.store.js';
import { type Gone, isBeyond, isMadeBy, type MadeThing, type MadeThingListener, MadeThings } from './made-things.js';

const MOST_KEYS = 10_000;

/** Lists the API keys that a person made, and revokes them with the person, or those beyond the rights of a lower role. */
@Injectable()
export class MadeKeys implements MadeThingListener {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly audit: AuditLog,
    made: MadeThings,
  ) {
    made.register(this);
  }

  async madeBy(source: EntityManager, gone: Gone): Promise<MadeThing[]> {
    const rows = await this.rows(source, gone);
    return rows.map(({ id, name, prefix }) => ({ kind: 'key', id, name: name ?? prefix, is_active: true }));
  }

  async endMadeBy(tx: EntityManager, actor: Account, gone: Gone): Promise<void> {
    const { id: accountId, username: subject } = gone.account;
    for (const row of await this.rows(tx, gone)) {
      if (!isBeyond(gone, ...(scopesOf(row) ?? [...SCOPES, 'account' as const]))) continue;
      const { id, name, prefix } = await this.keys.revoke(tx, accountId, row.id);
      const details = { id, name, prefix, reason: 'its maker lost the right' };
      await this.audit.record(tx, { actor, action: 'api_key.revoke', subject, accountId, details });
    }
  }

  private async rows(source: EntityManager, gone: Gone): Promise<ApiKeyEntity[]> {
    const where = { accountId: gone.account.id };
    const rows = await source.find(ApiKeyEntity, { where, order: { id: 'ASC' }, take: MOST_KEYS });
    return rows.filter(({ createdBy }) => isMadeBy(gone, createdBy));
  }
}
