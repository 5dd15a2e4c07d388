import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { PasswordHasher } from '../../../platform/security/index.js';
import { Credentials, type PasswordProof } from '../authentication/credentials.js';
import { assertManager, assertMaySetParent, assertMaySetUserType, needsPassword } from '../domain/account-policy.js';
import { assertPassword, readEmail, readExpiresAt, readTimeZone } from '../domain/account-values.js';
import type { Account } from '../domain/account.js';
import { identitiesOf } from '../domain/identity.js';
import { createdBy } from '../domain/maker.js';
import { staffSettingsAfter } from '../domain/staff-settings.js';
import { refuseLong } from '../domain/registration-form.js';
import { AccountRegistrar } from '../persistence/account-registrar.js';
import { AuditLog } from '../persistence/audit-log.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';
import { NameCheck } from '../persistence/name-check.js';
import { NameClaims } from '../persistence/name-claims.js';

/** What a manager gives for a new account (reference/admin#accounts), in texts as they came. */
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
}

/**
 * Create an account from the admin API; it gets the same team, permissions and credits as a registered one. An
 * account of staff also wants the own password of the acting person, as a change of one does.
 */
export class CreateAccountCommand extends Command<Account> {
  constructor(
    readonly actor: Account,
    readonly draft: AccountDraft,
    readonly proof: PasswordProof,
  ) {
    super();
  }
}

/** The id of no account: the maker of an account is never the account itself. */
const NO_ACCOUNT = 0;

@CommandHandler(CreateAccountCommand)
export class CreateAccountHandler implements ICommandHandler<CreateAccountCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly managed: ManagedAccounts,
    private readonly names: NameCheck,
    private readonly claims: NameClaims,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly registrar: AccountRegistrar,
    private readonly audit: AuditLog,
  ) {}

  /** Rights first, then the values in the order of the fields, then the names against the database. */
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
    const expiresAt = readExpiresAt(draft.expiresAt, timeZone ?? this.environment.APP_TIME_ZONE);
    const mobileNo = draft.mobileNo ?? undefined;
    const names = await this.names.check({ username: draft.username.trim(), email, mobileNo }, userType);
    const parentId = actor.userType === 'reseller' ? actor.id : await this.managed.parentId(draft.parentUsername);

    if (needsPassword(null, userType)) await this.credentials.proveActor(actor, proof);
    const passwordHash = await this.hasher.hash(draft.password);
    const { firstname, lastname, isActive } = draft;
    const claim = await this.claims.claim(identitiesOf(names), userType);
    return inTransaction(this.dataSource, async (tx) => {
      await this.claims.end(tx, claim);
      if (parentId !== null) await this.managed.holdParent(tx, parentId);
      const input = { ...names, passwordHash, firstname, lastname, userType, parentId, isActive, expiresAt, timeZone };
      const chosen = Object.entries({ is_active: !isActive, expires_at: expiresAt, time_zone: timeZone });
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
