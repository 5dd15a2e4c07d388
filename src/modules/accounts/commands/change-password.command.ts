import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/index.js';
import { PasswordHasher } from '../../../platform/security/index.js';
import { Credentials } from '../authentication/credentials.js';
import { passwordChange } from '../domain/access-token.js';
import { accountErrors } from '../domain/account.errors.js';
import { assertOwner } from '../domain/account-policy.js';
import { assertPassword } from '../domain/account-values.js';
import type { Account } from '../domain/account.js';
import { AccountDirectory } from '../persistence/account-directory.js';
import { AccountEntity } from '../persistence/account.entity.js';
import { AssignedUserEntity } from '../persistence/assigned-user.entity.js';
import { AssignedUsers } from '../persistence/assigned-users.js';
import { AuditLog } from '../persistence/audit-log.js';
import { LoginAddresses } from '../persistence/login-addresses.js';
import { MadeThings } from '../made-things.js';
import { GrantedAccess, type GrantedAccessView, type Revocations } from './granted-access.js';

/**
 * Change the own password: the account's, or the assigned user's who acts for it. Every token issued before is refused.
 * Throws 400 with a rule of reference/authentication#passwords, 401 `Invalid credentials`, 429 beyond a limit of login
 * failures.
 */
export class ChangePasswordCommand extends Command<GrantedAccessView> {
  /**
   * Answers who may still act for the account; an assigned user is shown none and may end none (403 `Permission denied`).
   * @param ip the client's address: wrong passwords count against it, as at login
   */
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
    private readonly hasher: PasswordHasher,
    private readonly loginAddresses: LoginAddresses,
    private readonly audit: AuditLog,
    private readonly access: GrantedAccess,
    private readonly made: MadeThings,
  ) {}

  /** Of changes at the same moment one wins: for the others the current password is no longer what they say. */
  async execute({ actor, current, next, ip, revocations }: ChangePasswordCommand): Promise<GrantedAccessView> {
    if (revocations.apiKeys !== false || revocations.users !== false) assertOwner(actor);
    assertPassword(next);
    const before = await this.bearer(this.dataSource.manager, actor);
    await this.credentials.prove(before.id, current, before.passwordHash, ip);
    const passwordHash = await this.hasher.hash(next);
    const ended = await inTransaction(this.dataSource, async (tx) => {
      const row = await this.bearer(tx, actor, true);
      if (row.passwordHash !== before.passwordHash) throw accountErrors.invalidCredentials();
      const at = now();
      const entity = actor.assignedUser ? AssignedUserEntity : AccountEntity;
      const patch = { passwordHash, passwordChangedAt: passwordChange(row, at), updatedAt: at };
      await tx.update<AccountEntity | AssignedUserEntity>(entity, { id: row.id }, patch);
      await this.loginAddresses.forget(tx, row.id);
      const action = actor.assignedUser ? 'user.password' : 'account.password';
      await this.audit.record(tx, { actor, action, subject: row.username, details: {} });
      return this.made.revoke(tx, actor, actor, revocations);
    });
    await this.loginAddresses.remember(before.id, ip);
    if (actor.assignedUser) this.users.forget();
    else this.directory.forget(actor.id);
    if (actor.assignedUser) return { api_keys: [], users: [] };
    await this.made.finish(actor, ended);
    return this.access.of(actor.id, actor.timeZone);
  }

  /** The row whose password it is, never from a cache. */
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
