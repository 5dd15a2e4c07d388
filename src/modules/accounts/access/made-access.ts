import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { LoginAddresses } from '../authentication/authentication.store.js';
import { UNKNOWN_HASH } from '../authentication/credentials.js';
import type { Account } from '../domain/account.js';
import { SCOPES } from '../domain/rights.js';
import { passwordChange } from '../domain/tokens.js';
import { AuditLog } from '../logs/logs.store.js';
import { ApiKeyEntity, AssignedUserEntity } from '../tables.js';
import { ApiKeyStore, scopesOf } from './api-keys.store.js';
import { type Gone, isBeyond, isMadeBy, type MadeThing, type MadeThingListener, MadeThings } from './made-things.js';
import { OneTimeLinks } from './one-time-links.store.js';
import { AssignedUsers } from './users.store.js';

const MOST_KEYS = 10_000;

/** Lists the API keys that a person made, and revokes them with the person, or those beyond the rights of a lower role. */
@Injectable()
export class MadeKeys implements MadeThingListener {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly audit: AuditLog,
    private readonly made: MadeThings,
  ) {
    made.register(this);
  }

  async madeBy(source: EntityManager, gone: Gone): Promise<MadeThing[]> {
    const rows = await this.rows(source, gone);
    return rows.map(({ id, name, prefix }) => ({ kind: 'key', id, name: name ?? prefix, is_active: true }));
  }

  async endMadeBy(tx: EntityManager, actor: Account, gone: Gone): Promise<void> {
    const { id: accountId, username: subject } = gone.account;
    const ids: number[] = [];
    for (const row of await this.rows(tx, gone)) {
      if (!isBeyond(gone, ...(scopesOf(row) ?? [...SCOPES, 'account' as const]))) continue;
      const { id, name, prefix } = await this.keys.revoke(tx, accountId, row.id);
      const details = { id, name, prefix, reason: 'its maker lost the right' };
      await this.audit.record(tx, { actor, action: 'api_key.revoke', subject, accountId, details });
      ids.push(id);
    }
    await this.made.endParts(tx, actor, { ...gone, kind: 'key', ids });
  }

  private async rows(source: EntityManager, gone: Gone): Promise<ApiKeyEntity[]> {
    const where = { accountId: gone.account.id };
    const rows = await source.find(ApiKeyEntity, { where, order: { id: 'ASC' }, take: MOST_KEYS });
    return rows.filter(({ createdBy }) => isMadeBy(gone, createdBy));
  }
}

const MOST_PEOPLE = 10_000;

/** People whose password another person gave them and still knows: it ends with its giver, as do invitations and links. */
@Injectable()
export class MadePeople implements MadeThingListener {
  constructor(
    private readonly users: AssignedUsers,
    private readonly links: OneTimeLinks,
    private readonly loginAddresses: LoginAddresses,
    private readonly audit: AuditLog,
    made: MadeThings,
  ) {
    made.register(this);
  }

  async madeBy(source: EntityManager, gone: Gone): Promise<MadeThing[]> {
    const rows = await this.rows(source, gone);
    return rows.map(({ id, username, isActive }) => ({ kind: 'person', id, name: username, is_active: isActive }));
  }

  /** The owner sets a new password, or makes a link. The acting person keeps its own. */
  async endMadeBy(tx: EntityManager, actor: Account, gone: Gone): Promise<void> {
    if (gone.kind !== 'person' || !isBeyond(gone, 'account')) return;
    const { id: accountId, username: account } = gone.account;
    for (const row of await this.rows(tx, gone)) {
      if (row.id === actor.assignedUser?.id) continue;
      const passwordChangedAt = passwordChange(row, now());
      await this.users.change(tx, row, { passwordHash: UNKNOWN_HASH, passwordChangedAt, passwordSetBy: null });
      await this.loginAddresses.forget(tx, row.id);
      const details = { account, password: 'ended', reason: 'the person who set it lost the right' };
      await this.audit.record(tx, { actor, action: 'user.change', subject: row.username, accountId, details });
    }
    for (const id of gone.ids) await this.links.withdrawMadeBy(tx, id);
  }

  private async rows(source: EntityManager, gone: Gone): Promise<AssignedUserEntity[]> {
    const where = { accountId: gone.account.id };
    const rows = await source.find(AssignedUserEntity, { where, order: { id: 'ASC' }, take: MOST_PEOPLE });
    return rows.filter(({ passwordSetBy }) => isMadeBy(gone, passwordSetBy));
  }
}
