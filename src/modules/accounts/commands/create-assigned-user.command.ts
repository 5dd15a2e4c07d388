import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { PasswordHasher } from '../../../platform/security/index.js';
import { Credentials, type PasswordProof } from '../authentication/credentials.js';
import { assertUserManager, isStaff } from '../domain/account-policy.js';
import { assertPassword, readEmail } from '../domain/account-values.js';
import type { Account } from '../domain/account.js';
import type { AssignedUser } from '../domain/assigned-user.js';
import { createdBy } from '../domain/maker.js';
import { identitiesOf } from '../domain/identity.js';
import { refuseLong } from '../domain/registration-form.js';
import { AssignedUsers } from '../persistence/assigned-users.js';
import { AuditLog } from '../persistence/audit-log.js';
import { NameCheck } from '../persistence/name-check.js';
import { NameClaims } from '../persistence/name-claims.js';

/** What an account gives for a person under it, in texts as they came. */
export interface AssignedUserDraft {
  username: string;
  password: string;
  firstname: string;
  lastname: string;
  email: string | null;
}

/**
 * Create an assigned user. Under an account of staff the person acts as staff, so it wants the owner's password: 400
 * `current_password is required`, 401, 429 as at login. Throws 403 `Permission denied`, 400 and 409 with the texts of
 * registration.
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
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly users: AssignedUsers,
    private readonly names: NameCheck,
    private readonly claims: NameClaims,
    private readonly credentials: Credentials,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditLog,
  ) {}

  /** Rights, values in the order of the fields, then the names against the database, as for accounts, then how many there are. */
  async execute({ actor, draft, proof }: CreateAssignedUserCommand): Promise<AssignedUser> {
    assertUserManager(actor);
    assertPassword(draft.password);
    refuseLong('firstname', draft.firstname);
    refuseLong('lastname', draft.lastname);
    const given = { username: draft.username.trim(), email: readEmail(draft.email), mobileNo: undefined };
    const { username, email } = await this.names.check(given);
    await this.users.assertRoom(actor.id);
    if (isStaff(actor.userType)) await this.credentials.proveActor(actor, proof);
    const passwordHash = await this.hasher.hash(draft.password);
    const { firstname, lastname } = draft;
    const claim = await this.claims.claim(identitiesOf({ username, email, mobileNo: null }));
    return inTransaction(this.dataSource, async (tx) => {
      await this.claims.end(tx, claim);
      const names = { username, email, firstname, lastname };
      const fields = { ...names, accountId: actor.id, passwordHash, createdBy: createdBy(actor) };
      const created = await this.users.create(tx, fields);
      const details = { account: actor.username, username, email, firstname, lastname };
      await this.audit.record(tx, { actor, action: 'user.create', subject: username, details });
      return created;
    });
  }
}
