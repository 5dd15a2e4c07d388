import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { fieldErrors } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { PasswordHasher } from '../../platform/security/index.js';
import { countryGuess } from '../numbers/index.js';
import { rateErrors, RatePlans } from '../rates/index.js';
import { NOTHING_ENDED, PasswordChanges } from './access/made-things.js';
import {
  type AccountChanges,
  assertPassword,
  auditedChanges,
  changedFields,
  readCountry,
  readEmail,
  readExpiresAt,
  readTimeZone,
} from './account-changes.js';
import { AccountClosings } from './account-closings.js';
import { AccountDirectory } from './accounts.store.js';
import { Credentials, type PasswordProof } from './authentication/credentials.js';
import {
  assertManager,
  assertMayChange,
  assertMayChangeSettings,
  assertMaySetParent,
  assertMaySetUserType,
  assertNotStaffs,
  assertOfHouse,
  giversAfter,
  isStaff,
  needsPassword,
  SETTINGS,
  staffSettingsAfter,
} from './domain/account-policy.js';
import { accountErrors } from './domain/account.errors.js';
import { type Account, createdBy } from './domain/account.js';
import { identitiesOf } from './domain/identity.js';
import { refuseLong } from './domain/registration.js';
import { assertRight } from './domain/rights.js';
import { passwordChange } from './domain/tokens.js';
import { AuditLog } from './logs/logs.store.js';
import { ManagedAccounts } from './managed-accounts.store.js';
import { NameCheck, NameClaims } from './names.store.js';
import { AccountRegistrar } from './registration.store.js';
import { AccountEntity } from './tables.js';

export interface AccountDraft {
  username: string;
  password: string;
  firstname: string;
  lastname: string;
  email: string | null;
  mobileNo: string | null;
  userType: string | null;
  parentUsername: string | null;
  expiresAt: string | null;
  isActive: boolean;
  timeZone: string | null;
  /** null = that of the time zone */
  country: string | null;
}

/** Creates an account with the defaults of registration; a staff account requires the acting person's own password. */
export class CreateAccountCommand extends Command<Account> {
  constructor(
    readonly actor: Account,
    readonly draft: AccountDraft,
    readonly proof: PasswordProof,
  ) {
    super();
  }
}

const NO_ACCOUNT = 0;

@CommandHandler(CreateAccountCommand)
export class CreateAccountHandler implements ICommandHandler<CreateAccountCommand> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly managed: ManagedAccounts,
    private readonly names: NameCheck,
    private readonly claims: NameClaims,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly registrar: AccountRegistrar,
    private readonly audit: AuditLog,
  ) {}

  /** Validation order: permissions, values in field order, names in the database. */
  async execute({ actor, draft, proof }: CreateAccountCommand): Promise<Account> {
    const userType = draft.userType ?? 'client';
    assertManager(actor);
    assertMaySetUserType(actor, null, userType);
    if (draft.parentUsername !== null) assertMaySetParent(actor, draft.parentUsername);

    assertPassword(draft.password);
    refuseLong('firstname', draft.firstname);
    refuseLong('lastname', draft.lastname);
    const email = readEmail(draft.email);
    const timeZone = readTimeZone(draft.timeZone);
    const country = readCountry(draft.country);
    const countryCode = country ?? countryGuess(null, timeZone ?? this.environment.APP_TIME_ZONE);
    const expiresAt = readExpiresAt(draft.expiresAt, timeZone ?? this.environment.APP_TIME_ZONE);
    const mobileNo = draft.mobileNo ?? undefined;
    const names = await this.names.check({ username: draft.username.trim(), email, mobileNo }, userType);
    const parentId = actor.userType === 'reseller' ? actor.id : await this.managed.parentId(draft.parentUsername);

    if (needsPassword(null, userType)) await this.credentials.proveActor(actor, proof);
    const passwordHash = await this.hasher.hash(draft.password);
    const { firstname, lastname, isActive } = draft;
    return this.claims.naming(identitiesOf(names), userType, async (tx) => {
      if (parentId !== null) await this.managed.holdParent(tx, parentId);
      const own = { firstname, lastname, userType, parentId, isActive, expiresAt, timeZone, countryCode };
      const input = { ...names, passwordHash, ...own };
      const chosen = Object.entries({ is_active: !isActive, expires_at: expiresAt, time_zone: timeZone, country });
      const fields = chosen.flatMap(([name, value]) => (value ? [name] : []));
      const staffs = staffSettingsAfter(actor, { setByStaff: [], staffExpiresAt: null }, fields, input);
      const account = await this.registrar.create(tx, { ...input, ...staffs, createdBy: createdBy(actor, NO_ACCOUNT) });
      const details = {
        username: names.username,
        email: names.email,
        mobile_no: names.mobileNo,
        user_type: userType,
        parent_username: actor.userType === 'reseller' ? actor.username : draft.parentUsername,
        is_active: isActive,
        expires_at: draft.expiresAt,
        time_zone: timeZone,
        country: countryCode,
      };
      await this.audit.record(tx, {
        actor,
        action: 'account.create',
        subject: account.username,
        accountId: account.id,
        details,
      });
      return account;
    });
  }
}

/**
 * Changes an account; a new password ends older tokens. Changes of staff, or to staff, require the acting person's password.
 * @throws AppError 400 `current_password is required`, 401 `Invalid credentials`, 429 as at login
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
    private readonly managed: ManagedAccounts,
    private readonly directory: AccountDirectory,
    private readonly passwords: PasswordChanges,
    private readonly audit: AuditLog,
    private readonly closings: AccountClosings,
    private readonly credentials: Credentials,
    private readonly plans: RatePlans,
  ) {}

  async execute({ actor, username, changes, proof }: ChangeAccountCommand): Promise<void> {
    const target = await this.managed.row(actor, username);
    assertAllowed(actor, target, changes);
    const parentId =
      changes.parentUsername === undefined ? undefined : await this.managed.parentId(changes.parentUsername);
    if (parentId) await this.managed.assertNoCircle(target.id, parentId);
    if (changes.password !== undefined) assertPassword(changes.password);
    // report errors before the slow hash
    const { expiresAt } = this.managed.patchOf(target, changes);
    assertNotStaffs(actor, target, changedFields(changes), expiresAt);
    if (needsPassword(target, changes.userType)) await this.credentials.proveActor(actor, proof);
    const passwordHash = changes.password === undefined ? undefined : await this.passwords.hash(changes.password);

    let ended = NOTHING_ENDED;
    const closing = { accountId: target.id, actor };
    if (changes.isActive && !target.isActive) await this.closings.finish(closing);
    await inTransaction(this.dataSource, async (tx) => {
      const row = await tx.findOne(AccountEntity, { where: { id: target.id }, lock: { mode: 'pessimistic_write' } });
      if (!row) throw accountErrors.notFound();
      assertAllowed(actor, row, changes); // check again under the lock
      const patch = this.managed.patchOf(row, changes);
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
        const { revokeApiKeys: apiKeys = false, revokeUsers: users = false, revokeCreated: created = false } = changes;
        const changed = { account: row, bearerId: row.id };
        ended = await this.passwords.revoke(tx, actor, changed, { apiKeys, users, created });
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
    await this.passwords.finish(actor, ended, passwordHash === undefined ? null : target);
    if (changes.ratePlan !== undefined) this.plans.forget();
    if (changes.isActive === false) await this.closings.finish(closing);
  }
}

function assertAllowed(actor: Account, target: AccountEntity, changes: AccountChanges): void {
  assertMayChange(actor, target);
  // people of a super account could otherwise change what only its owner may
  if (target.id === actor.id) assertRight(actor, 'account');
  if (changes.userType !== undefined) assertMaySetUserType(actor, target, changes.userType);
  if (changes.parentUsername !== undefined) assertMaySetParent(actor, changes.parentUsername);
  const { ratePlan, allowedRoutes, releasedFields } = changes;
  if ([ratePlan, allowedRoutes, releasedFields].some((value) => value !== undefined)) assertOfHouse(actor);
  if (SETTINGS.some((field) => changes[field] !== undefined)) assertMayChangeSettings(actor);
}
