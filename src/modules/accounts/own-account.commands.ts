import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { inTransaction } from '../../platform/database/index.js';
import { BalanceAlerts, type BalanceThresholds } from '../credits/index.js';
import { GrantedAccess, type GrantedAccessView, type Revocations } from './access/granted-access.js';
import { AssignedUsers } from './access/users.store.js';
import { accountPatch, assertPassword, auditedChanges, changedFields, readIpRanges } from './account-changes.js';
import { AccountDirectory, AccountStore } from './accounts.store.js';
import { LoginAddresses } from './authentication/authentication.store.js';
import { Credentials } from './authentication/credentials.js';
import { assertOwnSetting } from './domain/account-policy.js';
import { accountErrors } from './domain/account.errors.js';
import type { Account, NumberCheckMode } from './domain/account.js';
import { assertRight } from './domain/rights.js';
import { passwordChange } from './domain/tokens.js';
import { AuditLog } from './logs/logs.store.js';
import { AccountEntity, AssignedUserEntity } from './tables.js';
import { PasswordChanges } from './access/made-things.js';

/** Changes the acting person's password and ends older tokens. @throws AppError 400, 401 `Invalid credentials`, 429 */
export class ChangePasswordCommand extends Command<GrantedAccessView> {
  constructor(
    readonly actor: Account,
    readonly current: string,
    readonly next: string,
    readonly ip: string,
    readonly revocations: Revocations & { created: boolean },
  ) {
    super();
  }
}

@CommandHandler(ChangePasswordCommand)
export class ChangePasswordHandler implements ICommandHandler<ChangePasswordCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: AccountDirectory,
    private readonly users: AssignedUsers,
    private readonly credentials: Credentials,
    private readonly passwords: PasswordChanges,
    private readonly loginAddresses: LoginAddresses,
    private readonly audit: AuditLog,
    private readonly access: GrantedAccess,
  ) {}

  /** Of concurrent changes one wins; the others fail, because their current password is outdated. */
  async execute({ actor, current, next, ip, revocations }: ChangePasswordCommand): Promise<GrantedAccessView> {
    if (revocations.apiKeys !== false || revocations.users !== false) assertRight(actor, 'account');
    assertPassword(next);
    const before = await this.bearer(this.dataSource.manager, actor);
    await this.credentials.prove(before.id, current, before.passwordHash, ip);
    const passwordHash = await this.passwords.hash(next);
    const ended = await inTransaction(this.dataSource, async (tx) => {
      const row = await this.bearer(tx, actor, true);
      if (row.passwordHash !== before.passwordHash) throw accountErrors.invalidCredentials();
      const at = now();
      const entity = actor.assignedUser ? AssignedUserEntity : AccountEntity;
      // who set the password of an account before may know this one too; a person's own one is its own
      const own = actor.assignedUser ? { passwordSetBy: null } : {};
      const patch = { passwordHash, passwordChangedAt: passwordChange(row, at), ...own, updatedAt: at };
      await tx.update<AccountEntity | AssignedUserEntity>(entity, { id: row.id }, patch);
      const action = actor.assignedUser ? 'user.password' : 'account.password';
      await this.audit.record(tx, { actor, action, subject: row.username, details: {} });
      return this.passwords.revoke(tx, actor, { account: actor, bearerId: row.id }, revocations);
    });
    await this.loginAddresses.remember(before.id, ip);
    if (actor.assignedUser) this.users.forget();
    else this.directory.forget(actor.id);
    await this.passwords.finish(actor, ended, actor);
    if (actor.assignedUser) return { api_keys: [], users: [] };
    return this.access.of(actor.id, actor.timeZone);
  }

  private async bearer(
    source: EntityManager,
    actor: Account,
    locked = false,
  ): Promise<AccountEntity | AssignedUserEntity> {
    const id = actor.assignedUser?.id ?? actor.id;
    const entity = actor.assignedUser ? AssignedUserEntity : AccountEntity;
    const row = await source.findOne<AccountEntity | AssignedUserEntity>(entity, {
      where: { id },
      ...(locked ? { lock: { mode: 'pessimistic_write' as const } } : {}),
    });
    if (!row) throw accountErrors.invalidToken(); // removed a moment ago
    return row;
  }
}

/** Absent fields keep their value. */
export interface SecurityChoice {
  requireToken?: boolean;
  protectReports?: boolean;
  bodyUsernameAddresses?: readonly string[];
}

/**
 * Sets the owner's rules for requests without a token (reference/accounts#security); the stricter of these and staff's applies.
 * @throws AppError 400 for invalid addresses, 403 `Permission denied` for an assigned user
 */
export class ChooseSecurityCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly choice: SecurityChoice,
  ) {
    super();
  }
}

@CommandHandler(ChooseSecurityCommand)
export class ChooseSecurityHandler implements ICommandHandler<ChooseSecurityCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: AccountDirectory,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, choice }: ChooseSecurityCommand): Promise<void> {
    const { requireToken, protectReports, bodyUsernameAddresses: texts } = choice;
    const addresses = texts && readIpRanges('body_username_addresses', texts);
    await inTransaction(this.dataSource, async (tx) => {
      const at = now();
      await tx.update(
        AccountEntity,
        { id: actor.id },
        {
          ...(requireToken !== undefined && { ownRequireToken: requireToken }),
          ...(protectReports !== undefined && { protectReports }),
          ...(addresses && { bodyUsernameIps: addresses.length === 0 ? null : JSON.stringify(addresses) }),
          securityChosenAt: at,
          updatedAt: at,
        },
      );
      const details = {
        ...(requireToken !== undefined && { own_require_token: requireToken }),
        ...(protectReports !== undefined && { protect_reports: protectReports }),
        ...(addresses && { body_username_addresses: addresses }),
      };
      await this.audit.record(tx, { actor, action: 'account.security', subject: actor.username, details });
    });
    this.directory.forget(actor.id);
  }
}

/** Absent fields keep their value. */
export interface SettingsChoice {
  numberCheck?: NumberCheckMode;
  /** ISO 3166; null = not known */
  country?: string | null;
  strictNumbers?: boolean;
  /** IANA name */
  timeZone?: string;
}

/**
 * Sets how numbers are read and checked (reference/numbers#country), and the time zone. Returns what holds then.
 * @throws AppError 400 `country is invalid`, `time_zone is invalid`; 403: set by staff
 */
export class ChooseSettingsCommand extends Command<Required<SettingsChoice>> {
  constructor(
    readonly actor: Account,
    readonly choice: SettingsChoice,
  ) {
    super();
  }
}

@CommandHandler(ChooseSettingsCommand)
export class ChooseSettingsHandler implements ICommandHandler<ChooseSettingsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: AccountDirectory,
    private readonly store: AccountStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, choice }: ChooseSettingsCommand): Promise<Required<SettingsChoice>> {
    const chosen = await inTransaction(this.dataSource, async (tx) => {
      const row = await this.store.lockById(tx, actor.id);
      if (!row) throw accountErrors.invalidToken(); // removed a moment ago
      for (const field of changedFields(choice)) assertOwnSetting(row, field);
      const patch = accountPatch(row, choice, actor.timeZone);
      // the answer to the question of the first page, also when it is "none"
      if (choice.country !== undefined) patch.countryChosen = true;
      await tx.update(AccountEntity, { id: actor.id }, { ...patch, updatedAt: now() });
      const details = auditedChanges(choice);
      await this.audit.record(tx, { actor, action: 'account.change', subject: actor.username, details });
      const { numberCheck, country, strictNumbers, timeZone } = this.store.toAccount(Object.assign(row, patch));
      return { numberCheck, country, strictNumbers, timeZone };
    });
    this.directory.forget(actor.id);
    return chosen;
  }
}

/** Sets thresholds in credits for balance alerts (reference/credits#alerts). */
export class SetBalanceAlertsCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly thresholds: BalanceThresholds,
  ) {
    super();
  }
}

@CommandHandler(SetBalanceAlertsCommand)
export class SetBalanceAlertsHandler implements ICommandHandler<SetBalanceAlertsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly alerts: BalanceAlerts,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, thresholds }: SetBalanceAlertsCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      await this.alerts.set(tx, actor.id, thresholds);
      const entry = { actor, action: 'balance_alerts.set', subject: actor.username, details: { ...thresholds } };
      await this.audit.record(tx, entry);
    });
  }
}
