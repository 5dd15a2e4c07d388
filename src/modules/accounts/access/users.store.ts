import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import type { Listed, Page } from '../../../kernel/lists.js';
import { TtlCache, GroupCommit, ONE_TICK } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { inListedOrder, listKeys } from '../../../platform/database/index.js';
import { assertWithin } from '../../quotas/index.js';
import { accountErrors } from '../domain/account.errors.js';
import type { AssignedUser, NewAssignedUser } from '../domain/account.js';
import { identitiesOf } from '../domain/identity.js';
import { NameCheck, NameClaims } from '../names.store.js';
import { isLower } from '../domain/rights.js';
import { type EndReason, SessionStore } from '../sessions/sessions.store.js';
import { LoginFactorEntity, RecoveryCodeEntity } from '../factors/tables.js';
import { AssignedUserEntity, LoginIdentityEntity, OneTimeLinkEntity } from '../tables.js';

/** Maximum delay until a change on another instance takes effect (reference/authentication#tokens). */
const KEPT_MS = 3_000;

/** Stores assigned users, with a short-lived cache for token checks. */
@Injectable()
export class AssignedUsers {
  private readonly cache = new TtlCache<number, AssignedUser | null>(KEPT_MS);
  private readonly reads = new GroupCommit<number, AssignedUser | null>((ids) => this.found(ids), ONE_TICK);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly names: NameCheck,
    private readonly claims: NameClaims,
    private readonly sessions: SessionStore,
  ) {}

  /** Returns null for a removed user; cached for 3 s. */
  byId(id: number): Promise<AssignedUser | null> {
    return this.cache.get(id, () => this.reads.add(id));
  }

  /** Call after the commit of a change: also its ended sessions end here at once. */
  forget(): void {
    this.cache.clear();
    this.sessions.forget();
  }

  async part(accountId: number, page: Page): Promise<Listed<AssignedUserEntity>> {
    const ranges = [{ where: 'account_id = ?', values: [accountId] }];
    const list = {
      table: 'assigned_users',
      index: 'ix_assigned_users_account',
      key: 'id',
      order: 'DESC',
      ranges,
    } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(AssignedUserEntity).findBy({ id: In(ids.items) });
    return inListedOrder(ids, rows, ({ id }) => id);
  }

  /** @throws AppError conflict: a name is taken, or the account has `USERS_PER_ACCOUNT` users */
  async create(tx: EntityManager, user: NewAssignedUser): Promise<AssignedUser> {
    const identities = identitiesOf({ ...user, mobileNo: null });
    return this.names.claim(tx, identities, async () => {
      const at = now();
      const passwordChangedAt = new Date(Math.floor(at.getTime() / 1000) * 1000);
      const stamps = { passwordChangedAt, passwordSetAt: at, createdAt: at, updatedAt: at };
      const row = tx.create(AssignedUserEntity, {
        ...user,
        ...stamps,
        id: newId(),
        isActive: !user.isInvited,
        isInvited: user.isInvited ?? false,
        role: user.role ?? 'manager',
        createdBy: user.createdBy ?? null,
        passwordSetBy: user.isInvited ? null : (user.createdBy ?? null),
      });
      const holder = { accountId: user.accountId, assignedUserId: row.id };
      await tx.insert(
        LoginIdentityEntity,
        identities.map((identity) => ({ ...identity, ...holder })),
      );
      await tx.insert(AssignedUserEntity, row);
      const quota = { accountId: user.accountId, kind: 'users', most: this.environment.USERS_PER_ACCOUNT } as const;
      await assertWithin(tx, quota, AssignedUserEntity, accountErrors.tooManyUsers);
      return toAssignedUser(row);
    });
  }

  /** An early check; `create` decides. @throws AppError conflict */
  async assertRoom(accountId: number): Promise<void> {
    const { USERS_PER_ACCOUNT: most } = this.environment;
    const there = await this.dataSource.manager.countBy(AssignedUserEntity, { accountId });
    if (there >= most) throw accountErrors.tooManyUsers(most);
  }

  /** Reads the row uncached. @throws AppError not_found for a foreign id */
  async find(accountId: number, id: number): Promise<AssignedUserEntity> {
    const row = await this.dataSource.manager.findOneBy(AssignedUserEntity, { id, accountId });
    if (!row) throw accountErrors.userNotFound();
    return row;
  }

  /** Reads the row uncached; null for a removed user. */
  rowById(id: number): Promise<AssignedUserEntity | null> {
    return this.dataSource.manager.findOneBy(AssignedUserEntity, { id });
  }

  /** Locks the row. @throws AppError not_found for a foreign id */
  async lock(tx: EntityManager, accountId: number, id: number): Promise<AssignedUserEntity> {
    const row = await tx.findOne(AssignedUserEntity, { where: { id, accountId }, lock: { mode: 'pessimistic_write' } });
    if (!row) throw accountErrors.userNotFound();
    return row;
  }

  /** Changes a locked row; claims a new e-mail and releases the old one; ends the sessions of who loses something. */
  async change(tx: EntityManager, row: AssignedUserEntity, patch: Partial<AssignedUserEntity>): Promise<void> {
    if (patch.email !== undefined && patch.email !== row.email) await this.moveEmail(tx, row, patch.email);
    await tx.update(AssignedUserEntity, { id: row.id }, { ...patch, updatedAt: now() });
    const reason = lossOf(row, patch);
    if (reason !== null) await this.sessions.end(tx, { holderId: row.id }, reason);
  }

  /** Removes a locked row and releases its names. */
  async remove(tx: EntityManager, row: AssignedUserEntity): Promise<void> {
    await tx.delete(LoginIdentityEntity, { assignedUserId: row.id });
    await tx.delete(OneTimeLinkEntity, { subjectId: row.id });
    await tx.delete(AssignedUserEntity, { id: row.id });
    await tx.delete(LoginFactorEntity, { holderId: row.id });
    await tx.delete(RecoveryCodeEntity, { holderId: row.id });
    await this.sessions.end(tx, { holderId: row.id }, 'removed');
    await this.claims.giveUp(tx, identitiesOf({ username: row.username, email: row.email, mobileNo: null }));
  }

  private async found(ids: readonly number[]): Promise<(AssignedUser | null)[]> {
    const rows = await this.dataSource.manager.findBy(AssignedUserEntity, { id: In(ids) });
    const byId = new Map(rows.map((row) => [row.id, toAssignedUser(row)]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  private async moveEmail(tx: EntityManager, row: AssignedUserEntity, email: string | null): Promise<void> {
    await tx.delete(LoginIdentityEntity, { kind: 'email', assignedUserId: row.id });
    if (row.email !== null) await this.claims.giveUp(tx, [{ kind: 'email', value: row.email }]);
    if (email === null) return;
    const identity = { kind: 'email' as const, value: email };
    const holder = { accountId: row.accountId, assignedUserId: row.id };
    await this.names.claim(tx, [identity], async () => {
      await tx.insert(LoginIdentityEntity, { ...identity, ...holder });
    });
  }
}

/** Why a change ends the sessions; null = it does not. */
function lossOf(row: AssignedUserEntity, patch: Partial<AssignedUserEntity>): EndReason | null {
  if (patch.isActive === false) return 'closed';
  if (patch.passwordHash !== undefined) return 'password';
  return patch.role !== undefined && isLower(patch.role, row.role) ? 'role' : null;
}

export const toAssignedUser = (row: AssignedUserEntity): AssignedUser => ({
  id: row.id,
  accountId: row.accountId,
  username: row.username,
  email: row.email,
  firstname: row.firstname,
  lastname: row.lastname,
  isActive: row.isActive,
  role: row.role,
  hasSecondFactor: row.secondFactor,
  passwordChangedAt: row.passwordChangedAt,
});
