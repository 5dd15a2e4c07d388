import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/index.js';
import { PasswordHasher } from '../../../platform/security/index.js';
import { assertPassword, readEmail } from '../account-changes.js';
import { LoginAddresses } from '../authentication/authentication.store.js';
import { Credentials, type PasswordProof } from '../authentication/credentials.js';
import { assertManager, isStaff } from '../domain/account-policy.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, type AssignedUser, createdBy } from '../domain/account.js';
import { identitiesOf } from '../domain/identity.js';
import { refuseLong } from '../domain/registration.js';
import { assertMayGive, isLower, type PersonRole } from '../domain/rights.js';
import { passwordChange } from '../domain/tokens.js';
import { AuditLog } from '../logs/logs.store.js';
import { NameCheck, NameClaims } from '../names.store.js';
import type { AssignedUserEntity } from '../tables.js';
import { MadeThings, NONE, NOTHING_ENDED, PasswordChanges } from './made-things.js';
import { AssignedUsers } from './users.store.js';

export interface AssignedUserDraft {
  username: string;
  password: string;
  firstname: string;
  lastname: string;
  email: string | null;
  /** absent = manager */
  role?: PersonRole;
}

/**
 * Creates an assigned user; under a staff account the owner must prove the password. @throws AppError 400 `current_password is
 * required` and registration errors, 401, 403 `Permission denied`, 409, 429
 */
export class CreateAssignedUserCommand extends Command<AssignedUser> {
  constructor(
    readonly actor: Account,
    readonly draft: AssignedUserDraft,
    readonly proof: PasswordProof,
  ) {
    super();
  }
}

@CommandHandler(CreateAssignedUserCommand)
export class CreateAssignedUserHandler implements ICommandHandler<CreateAssignedUserCommand> {
  constructor(
    private readonly users: AssignedUsers,
    private readonly names: NameCheck,
    private readonly claims: NameClaims,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditLog,
  ) {}

  /** Validation order: permissions, values in field order, names in the database, then the number of users. */
  async execute({ actor, draft, proof }: CreateAssignedUserCommand): Promise<AssignedUser> {
    assertManager(actor);
    if (draft.role !== undefined) assertMayGive(actor, draft.role);
    assertPassword(draft.password);
    refuseLong('firstname', draft.firstname);
    refuseLong('lastname', draft.lastname);
    const given = { username: draft.username.trim(), email: readEmail(draft.email), mobileNo: undefined };
    const { username, email } = await this.names.check(given);
    await this.users.assertRoom(actor.id);
    if (isStaff(actor.userType)) await this.credentials.proveActor(actor, proof);
    const passwordHash = await this.hasher.hash(draft.password);
    const { firstname, lastname, role = 'manager' } = draft;
    return this.claims.naming(identitiesOf({ username, email, mobileNo: null }), undefined, async (tx) => {
      const names = { username, email, firstname, lastname };
      const fields = { ...names, role, accountId: actor.id, passwordHash, createdBy: createdBy(actor) };
      const created = await this.users.create(tx, fields);
      const details = { account: actor.username, username, email, firstname, lastname, role };
      await this.audit.record(tx, { actor, action: 'user.create', subject: username, details });
      return created;
    });
  }
}

/** Absent keeps a value; null clears the e-mail. */
export interface AssignedUserChanges {
  firstname?: string;
  lastname?: string;
  email?: string | null;
  isActive?: boolean;
  role?: PersonRole;
  password?: string;
}

/** Changes an assigned user (password proof as at creation). A deactivation or new password ends older tokens within 3 s. */
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
    private readonly users: AssignedUsers,
    private readonly credentials: Credentials,
    private readonly passwords: PasswordChanges,
    private readonly names: NameCheck,
    private readonly claims: NameClaims,
    private readonly audit: AuditLog,
    private readonly made: MadeThings,
  ) {}

  async execute({ actor, id, changes, proof }: ChangeAssignedUserCommand): Promise<void> {
    assertManager(actor);
    const patch = readPatch(changes);
    if (changes.role !== undefined) assertMayGive(actor, changes.role);
    const isOwn = actor.assignedUser?.id === id;
    if (isOwn && (changes.role !== undefined || changes.isActive === false)) throw accountErrors.notYourself();
    const seen = await this.users.find(actor.id, id);
    // an unchanged e-mail is not written, even if it changes between the read and the lock
    if (patch.email === seen.email) delete patch.email;
    if (patch.email) await this.names.checkEmail(patch.email);
    if (isStaff(actor.userType)) await this.credentials.proveActor(actor, proof);
    const passwordHash = changes.password === undefined ? null : await this.passwords.hash(changes.password);
    const identities = patch.email ? [{ kind: 'email' as const, value: patch.email }] : [];
    await this.claims.naming(identities, undefined, async (tx) => {
      const row = await this.users.lock(tx, actor.id, id);
      const at = now();
      const by = isOwn ? null : createdBy(actor);
      const set = { passwordChangedAt: passwordChange(row, at), passwordSetAt: at, passwordSetBy: by };
      const secret = passwordHash === null ? {} : { passwordHash, ...set };
      const full = {
        ...patch,
        ...secret,
        ...(passwordHash !== null && row.isInvited && { isInvited: false, isActive: true }),
      };
      if (Object.keys(full).length === 0) return;
      if (passwordHash !== null) await this.passwords.revoke(tx, actor, { account: actor, bearerId: row.id }, NONE);
      await this.users.change(tx, row, full);
      if (patch.isActive === false) await this.made.endBeyond(tx, actor, id, null);
      else if (patch.role !== undefined && isLower(patch.role, row.role))
        await this.made.endBeyond(tx, actor, id, patch.role);
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
    const concerned = { ...actor, assignedUser: { username: seen.username, email: seen.email } };
    if (passwordHash === null) await this.made.finish(actor, NOTHING_ENDED);
    else await this.passwords.finish(actor, NOTHING_ENDED, concerned, 'account');
  }
}

/** @throws AppError 400 for the first invalid value, in field order */
function readPatch(changes: AssignedUserChanges): Partial<AssignedUserEntity> {
  const { firstname, lastname, email, isActive, role, password } = changes;
  if (firstname !== undefined) refuseLong('firstname', firstname);
  if (lastname !== undefined) refuseLong('lastname', lastname);
  const patch: Partial<AssignedUserEntity> = {
    ...(firstname === undefined ? {} : { firstname }),
    ...(lastname === undefined ? {} : { lastname }),
    ...(email === undefined ? {} : { email: readEmail(email) }),
    ...(isActive === undefined ? {} : { isActive }),
    ...(role === undefined ? {} : { role }),
  };
  if (password !== undefined) assertPassword(password);
  return patch;
}

/**
 * Removes an assigned user; what it made ends with it. @param revoke closes accounts of staff that it made too, with a password
 * proof. @throws AppError 403, 404
 */
export class RemoveAssignedUserCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
    readonly revoke: boolean,
    readonly proof: PasswordProof,
  ) {
    super();
  }
}

@CommandHandler(RemoveAssignedUserCommand)
export class RemoveAssignedUserHandler implements ICommandHandler<RemoveAssignedUserCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly users: AssignedUsers,
    private readonly loginAddresses: LoginAddresses,
    private readonly audit: AuditLog,
    private readonly credentials: Credentials,
    private readonly made: MadeThings,
  ) {}

  async execute({ actor, id, revoke, proof }: RemoveAssignedUserCommand): Promise<void> {
    assertManager(actor);
    if (actor.assignedUser?.id === id) throw accountErrors.notYourself();
    if (revoke && isStaff(actor.userType)) await this.credentials.proveActor(actor, proof);
    const ended = await inTransaction(this.dataSource, async (tx) => {
      const row = await this.users.lock(tx, actor.id, id);
      await this.users.remove(tx, row);
      await this.loginAddresses.forget(tx, row.id);
      const details = { account: actor.username, email: row.email, revoke };
      await this.audit.record(tx, { actor, action: 'user.remove', subject: row.username, details });
      if (revoke) return this.made.end(tx, actor, { account: actor, kind: 'person', ids: [id] });
      await this.made.endBeyond(tx, actor, id, null);
      return NOTHING_ENDED;
    });
    this.users.forget();
    await this.made.finish(actor, ended);
  }
}
