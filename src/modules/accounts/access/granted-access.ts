import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Account } from '../domain/account.js';
import { AuditLog } from '../logs/logs.store.js';
import { ApiKeyEntity, AssignedUserEntity } from '../tables.js';
import { type ApiKeyAnswerData, apiKeyData } from './api-keys.dto.js';
import { ApiKeyStore } from './api-keys.store.js';
import { type UserAnswerData, userData } from './users.dto.js';
import { AssignedUsers } from './users.store.js';

/** true = all, or the listed ids. */
export type Chosen = boolean | number[];

/** Keys and people that a password change also revokes. */
export interface Revocations {
  apiKeys: Chosen;
  /** set inactive; their names stay taken */
  users: Chosen;
}

export type Revoked = Record<keyof Revocations, number[]>;

export interface GrantedAccessView {
  api_keys: ApiKeyAnswerData[];
  users: UserAnswerData[];
}

/** Keys and people outlive a password change, so the change lists them and can revoke them. */
@Injectable()
export class GrantedAccess {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly keys: ApiKeyStore,
    private readonly users: AssignedUsers,
    private readonly audit: AuditLog,
  ) {}

  /** Joins the password change; call `forget` after the commit. Returns the ended ids. @throws AppError not_found */
  async revoke(
    tx: EntityManager,
    actor: Account,
    account: Pick<Account, 'id' | 'username'>,
    wanted: Revocations,
  ): Promise<Revoked> {
    const keyIds = await idsOf(wanted.apiKeys, () => tx.find(ApiKeyEntity, { where: { accountId: account.id } }));
    for (const id of keyIds) {
      const { name, prefix } = await this.keys.revoke(tx, account.id, id);
      const record = { actor, action: 'api_key.revoke', subject: account.username, accountId: account.id };
      await this.audit.record(tx, { ...record, details: { id, name, prefix } });
    }
    const active = { accountId: account.id, isActive: true };
    const userIds = await idsOf(wanted.users, () => tx.find(AssignedUserEntity, { where: active }));
    for (const id of userIds) {
      const row = await this.users.lock(tx, account.id, id);
      await this.users.change(tx, row, { isActive: false });
      const details = { account: account.username, is_active: false };
      await this.audit.record(tx, {
        actor,
        action: 'user.change',
        subject: row.username,
        accountId: account.id,
        details,
      });
    }
    return { apiKeys: keyIds, users: userIds };
  }

  /** Those who are inactive too: what they made may still be active. */
  async allUsers(tx: EntityManager, accountId: number): Promise<number[]> {
    return idsOf(true, () => tx.find(AssignedUserEntity, { where: { accountId } }));
  }

  forget(): void {
    this.keys.forget();
    this.users.forget();
  }

  /** Newest first; both lists are bounded. */
  async of(accountId: number, zone: string): Promise<GrantedAccessView> {
    const all = { where: { accountId }, order: { id: 'DESC' as const } };
    const [keys, users] = await Promise.all([
      this.dataSource.manager.find(ApiKeyEntity, all),
      this.dataSource.manager.find(AssignedUserEntity, all),
    ]);
    return {
      api_keys: keys.map((row) => apiKeyData(row, zone)),
      users: users.map((row) => userData(row, zone)),
    };
  }
}

async function idsOf(chosen: Chosen, all: () => Promise<{ id: number }[]>): Promise<number[]> {
  if (typeof chosen !== 'boolean') return [...new Set(chosen)].sort((a, b) => a - b);
  return chosen ? (await all()).map(({ id }) => id).sort((a, b) => a - b) : [];
}
