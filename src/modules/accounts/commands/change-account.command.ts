import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { PasswordHasher } from '../../../platform/security/index.js';
import { rateErrors, RatePlans, Rates } from '../../rates/index.js';
import { AccountClosings } from '../account-closings.js';
import { Credentials, type PasswordProof } from '../authentication/credentials.js';
import { passwordChange } from '../domain/access-token.js';
import { accountErrors } from '../domain/account.errors.js';
import {
  assertMayChange,
  assertMayChangeSettings,
  assertMaySetParent,
  assertMaySetUserType,
  assertOfHouse,
  assertOwner,
  isStaff,
  needsPassword,
  SETTINGS,
} from '../domain/account-policy.js';
import { assertPassword } from '../domain/account-values.js';
import type { Account } from '../domain/account.js';
import { NOTHING_ENDED } from '../domain/made-thing.js';
import { giversAfter } from '../domain/right-givers.js';
import { assertNotStaffs, staffSettingsAfter } from '../domain/staff-settings.js';
import { MadeThings } from '../made-things.js';
import { AccountDirectory } from '../persistence/account-directory.js';
import { AccountEntity } from '../persistence/account.entity.js';
import { AuditLog } from '../persistence/audit-log.js';
import { LoginAddresses } from '../persistence/login-addresses.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';
import { type AccountChanges, accountPatch, auditedChanges, changedFields } from './account-changes.js';

/**
 * Change an account from the admin API. A new password ends every token issued before it. A change of an account
 * of staff, or to one, also wants the own password of the acting person: 400 `current_password is required`, 401
 * `Invalid credentials`, 429 as at login.
 */
export class ChangeAccountCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly changes: AccountChanges,
    readonly proof: PasswordProof,
  ) {
    super();
  }
}

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
    private readonly credentials: Credentials,
    private readonly made: MadeThings,
    private readonly plans: RatePlans,
    private readonly rates: Rates,
  ) {}

  async execute({ actor, username, changes, proof }: ChangeAccountCommand): Promise<void> {
    const target = await this.managed.row(actor, username);
    assertAllowed(actor, target, changes);
    const parentId =
      changes.parentUsername === undefined ? undefined : await this.managed.parentId(changes.parentUsername);
    if (parentId) await this.managed.assertNoCircle(target.id, parentId);
    if (changes.password !== undefined) assertPassword(changes.password);
    // faults are answered before the slow hash
    const { expiresAt } = accountPatch(target, changes, this.environment.APP_TIME_ZONE);
    assertNotStaffs(actor, target, changedFields(changes), expiresAt);
    if (needsPassword(target, changes.userType)) await this.credentials.proveActor(actor, proof);
    const passwordHash = changes.password === undefined ? undefined : await this.hasher.hash(changes.password);

    let ended = NOTHING_ENDED;
    const closing = { accountId: target.id, actor };
    if (changes.isActive && !target.isActive) await this.closings.finish(closing);
    await inTransaction(this.dataSource, async (tx) => {
      const row = await tx.findOne(AccountEntity, { where: { id: target.id }, lock: { mode: 'pessimistic_write' } });
      if (!row) throw accountErrors.notFound();
      assertAllowed(actor, row, changes); // what was true before the lock may no longer be
      const patch = accountPatch(row, changes, this.environment.APP_TIME_ZONE);
      const fields = changedFields(changes);
      assertNotStaffs(actor, row, fields, patch.expiresAt);
      const after = {
        isActive: patch.isActive ?? row.isActive,
        expiresAt: patch.expiresAt === undefined ? row.expiresAt : patch.expiresAt,
      };
      Object.assign(patch, staffSettingsAfter(actor, row, fields, after, changes.releasedFields));
      if (needsPassword(row) && !needsPassword(target, changes.userType))
        // became staff meanwhile
        throw fieldErrors.required('current_password');
      if (parentId) {
        await this.managed.lockedNoCircle(tx, row.id, parentId);
        await this.managed.holdParent(tx, parentId);
      }
      const demoted = isStaff(row.userType) && patch.userType !== undefined && !isStaff(patch.userType);
      if (demoted) await this.managed.assertNoClients(tx, row.id);
      if (parentId !== undefined) patch.parentId = parentId;
      const passwordAt = passwordHash === undefined ? null : now();
      Object.assign(patch, giversAfter(actor, row, { userType: patch.userType, passwordAt }));
      if (passwordAt !== null) {
        Object.assign(patch, { passwordHash, passwordChangedAt: passwordChange(row, passwordAt) });
        await this.loginAddresses.forget(tx, row.id);
        const { revokeApiKeys: apiKeys = false, revokeUsers: users = false, revokeCreated: created = false } = changes;
        ended = await this.made.revoke(tx, actor, row, { apiKeys, users, created });
      }
      if (Object.values(changes).every((value) => value === undefined)) return;
      if (patch.ratePlan && !(await this.plans.give(tx, patch.ratePlan))) throw rateErrors.unknown();
      await this.managed.update(tx, row, { ...patch, updatedAt: now() });
      const details = auditedChanges(changes);
      await this.audit.record(tx, {
        actor,
        action: 'account.change',
        subject: row.username,
        accountId: row.id,
        details,
      });
    });
    this.directory.forget(target.id);
    await this.made.finish(actor, ended);
    if (changes.ratePlan !== undefined) this.rates.forget();
    if (changes.isActive === false) await this.closings.finish(closing);
  }
}

function assertAllowed(actor: Account, target: AccountEntity, changes: AccountChanges): void {
  assertMayChange(actor, target);
  // a person under the account would keep the account beyond its own removal
  if (changes.password !== undefined && target.id === actor.id) assertOwner(actor);
  if (changes.userType !== undefined) assertMaySetUserType(actor, target, changes.userType);
  if (changes.parentUsername !== undefined) assertMaySetParent(actor, changes.parentUsername);
  const { ratePlan, allowedRoutes, releasedFields } = changes;
  if ([ratePlan, allowedRoutes, releasedFields].some((value) => value !== undefined)) assertOfHouse(actor);
  if (SETTINGS.some((field) => changes[field] !== undefined)) assertMayChangeSettings(actor);
}
