import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/index.js';
import { PasswordHasher } from '../../../platform/security/index.js';
import { Credentials, type PasswordProof } from '../authentication/credentials.js';
import { passwordChange } from '../domain/access-token.js';
import { assertUserManager, isStaff } from '../domain/account-policy.js';
import { assertPassword, readEmail } from '../domain/account-values.js';
import type { Account } from '../domain/account.js';
import { refuseLong } from '../domain/registration-form.js';
import type { AssignedUserEntity } from '../persistence/assigned-user.entity.js';
import { AssignedUsers } from '../persistence/assigned-users.js';
import { AuditLog } from '../persistence/audit-log.js';
import { LoginAddresses } from '../persistence/login-addresses.js';
import { NameCheck } from '../persistence/name-check.js';
import { NameClaims } from '../persistence/name-claims.js';

/** What to change of an assigned user; absent = keep. Texts as they came; null clears the e-mail. */
export interface AssignedUserChanges {
  firstname?: string;
  lastname?: string;
  email?: string | null;
  isActive?: boolean;
  password?: string;
}

/**
 * Change an assigned user; under an account of staff with the owner's password, as at creation. Inactive, or with a new
 * password, every token issued before is refused within 3 s.
 */
export class ChangeAssignedUserCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
    readonly changes: AssignedUserChanges,
    readonly proof: PasswordProof,
  ) {
    super();
  }
}

@CommandHandler(ChangeAssignedUserCommand)
export class ChangeAssignedUserHandler implements ICommandHandler<ChangeAssignedUserCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly users: AssignedUsers,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly loginAddresses: LoginAddresses,
    private readonly names: NameCheck,
    private readonly claims: NameClaims,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, id, changes, proof }: ChangeAssignedUserCommand): Promise<void> {
    assertUserManager(actor);
    const patch = readPatch(changes);
    const seen = await this.users.find(actor.id, id);
    // an e-mail that stands there is left alone, also by what comes between the look and the lock
    if (patch.email === seen.email) delete patch.email;
    if (patch.email) await this.names.checkEmail(patch.email);
    if (isStaff(actor.userType)) await this.credentials.proveActor(actor, proof);
    const passwordHash = changes.password === undefined ? null : await this.hasher.hash(changes.password);
    const claim = await this.claims.claim(patch.email ? [{ kind: 'email', value: patch.email }] : []);
    await inTransaction(this.dataSource, async (tx) => {
      await this.claims.end(tx, claim);
      const row = await this.users.lock(tx, actor.id, id);
      const at = now();
      const set = { passwordChangedAt: passwordChange(row, at), passwordSetAt: at };
      const secret = passwordHash === null ? {} : { passwordHash, ...set };
      const full = { ...patch, ...secret };
      if (Object.keys(full).length === 0) return;
      if (passwordHash !== null) await this.loginAddresses.forget(tx, row.id);
      await this.users.change(tx, row, full);
      const { isActive, ...rest } = patch;
      const details = {
        account: actor.username,
        ...rest,
        ...(isActive === undefined ? {} : { is_active: isActive }),
        ...(passwordHash === null ? {} : { password: 'changed' }),
      };
      await this.audit.record(tx, { actor, action: 'user.change', subject: row.username, details });
    });
    this.users.forget();
  }
}

/** @throws AppError 400 with the first value at fault, in the order of the fields */
function readPatch(changes: AssignedUserChanges): Partial<AssignedUserEntity> {
  const { firstname, lastname, email, isActive, password } = changes;
  if (firstname !== undefined) refuseLong('firstname', firstname);
  if (lastname !== undefined) refuseLong('lastname', lastname);
  const patch: Partial<AssignedUserEntity> = {
    ...(firstname === undefined ? {} : { firstname }),
    ...(lastname === undefined ? {} : { lastname }),
    ...(email === undefined ? {} : { email: readEmail(email) }),
    ...(isActive === undefined ? {} : { isActive }),
  };
  if (password !== undefined) assertPassword(password);
  return patch;
}
