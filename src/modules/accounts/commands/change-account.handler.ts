import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { PasswordHasher } from '../../../platform/security/index.js';
import { passwordChange } from '../domain/access-token.js';
import { accountErrors } from '../domain/account-errors.js';
import {
  assertMayChange,
  assertMayChangeSettings,
  assertMaySetParent,
  assertMaySetUserType,
  isStaff,
  SETTINGS,
} from '../domain/account-policy.js';
import { assertPassword, changedPermissions, readExpiresAt, readTimeZone } from '../domain/account-values.js';
import type { Account } from '../domain/account.js';
import { readPermissions } from '../domain/permissions.js';
import { AccountClosings } from '../account-closings.js';
import { AccountDirectory } from '../persistence/account-directory.js';
import { AccountEntity } from '../persistence/account.entity.js';
import { AuditLog } from '../persistence/audit-log.js';
import { LoginAddresses } from '../persistence/login-addresses.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';
import { auditedChanges } from './audited-changes.js';
import { type AccountChanges, ChangeAccountCommand } from './change-account.command.js';

@CommandHandler(ChangeAccountCommand)
export class ChangeAccountHandler implements ICommandHandler<ChangeAccountCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly managed: ManagedAccounts,
    private readonly directory: AccountDirectory,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditLog,
    private readonly closings: AccountClosings,
    private readonly loginAddresses: LoginAddresses,
  ) {}

  async execute({ actor, username, changes }: ChangeAccountCommand): Promise<void> {
    const target = await this.managed.row(actor, username);
    assertAllowed(actor, target, changes);
    const parentId =
      changes.parentUsername === undefined ? undefined : await this.managed.parentId(changes.parentUsername);
    if (parentId) await this.managed.assertNoCircle(target.id, parentId);
    if (changes.password !== undefined) assertPassword(changes.password);
    this.patch(target, changes); // faults are told before the slow hash
    const passwordHash = changes.password === undefined ? undefined : await this.hasher.hash(changes.password);

    await inTransaction(this.dataSource, async (tx) => {
      const row = await tx.findOne(AccountEntity, { where: { id: target.id }, lock: { mode: 'pessimistic_write' } });
      if (!row) throw accountErrors.notFound();
      assertAllowed(actor, row, changes); // what was true before the lock may no longer be
      const patch = this.patch(row, changes);
      if (parentId) {
        await this.managed.lockedNoCircle(tx, row.id, parentId);
        await this.managed.holdParent(tx, parentId);
      }
      const demoted = isStaff(row.userType) && patch.userType !== undefined && !isStaff(patch.userType);
      if (demoted) await this.managed.assertNoClients(tx, row.id);
      if (parentId !== undefined) patch.parentId = parentId;
      if (passwordHash !== undefined) {
        Object.assign(patch, { passwordHash, passwordChangedAt: passwordChange(row, now()) });
        await this.loginAddresses.forget(tx, row.id);
      }
      if (Object.keys(patch).length === 0) return;
      await this.update(tx, row, { ...patch, updatedAt: now() });
      if (row.isActive && patch.isActive === false) await this.closings.tell(tx, { accountId: row.id, actor });
      const details = auditedChanges(changes);
      await this.audit.record(tx, { actor, action: 'account.change', subject: row.username, details });
    });
    this.directory.forget(target.id);
  }

  /** @throws AppError 400 with the first value at fault */
  private patch(row: AccountEntity, changes: AccountChanges): Partial<AccountEntity> {
    const patch: Partial<AccountEntity> = {};
    const { isActive, requireToken, refundFailed, publicLookup, userType } = changes;
    const plain = { isActive, requireToken, refundFailed, publicLookup, userType };
    Object.assign(patch, Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)));
    if (changes.timeZone !== undefined) patch.timeZone = readTimeZone(changes.timeZone);
    if (changes.expiresAt !== undefined) {
      const zone = (patch.timeZone === undefined ? row.timeZone : patch.timeZone) ?? this.environment.APP_TIME_ZONE;
      patch.expiresAt = readExpiresAt(changes.expiresAt, zone);
    }
    if (changes.permissions !== undefined) {
      const before = readPermissions(JSON.parse(row.permissions) as Record<string, unknown>);
      patch.permissions = JSON.stringify(changedPermissions(before, changes.permissions));
    }
    return patch;
  }

  /**
   * The last super stays active and unexpired (decisions §4): after the change one must be left that is active and has
   * no expiry at all. All supers are held, so that two of them cannot close each other at the same moment.
   */
  private async update(tx: EntityManager, row: AccountEntity, patch: Partial<AccountEntity>): Promise<void> {
    const lasting = { userType: 'super', isActive: true, expiresAt: IsNull() };
    const guarded = row.userType === 'super' && row.isActive && row.expiresAt === null;
    if (guarded) await tx.query("UPDATE accounts SET held = held + 1 WHERE user_type = 'super' ORDER BY id");
    await tx.update(AccountEntity, { id: row.id }, patch);
    if (guarded && !(await tx.existsBy(AccountEntity, lasting))) throw accountErrors.forbidden();
  }
}

function assertAllowed(actor: Account, target: AccountEntity, changes: AccountChanges): void {
  assertMayChange(actor, target);
  if (changes.userType !== undefined) assertMaySetUserType(actor, target, changes.userType);
  if (changes.parentUsername !== undefined) assertMaySetParent(actor, changes.parentUsername);
  if (SETTINGS.some((field) => changes[field] !== undefined)) assertMayChangeSettings(actor);
}
