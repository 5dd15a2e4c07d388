import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { Credentials, type PasswordProof } from '../authentication/credentials.js';
import { assertUserManager, isStaff } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { NOTHING_ENDED } from '../domain/made-thing.js';
import { MadeThings } from '../made-things.js';
import { AssignedUsers } from '../persistence/assigned-users.js';
import { AuditLog } from '../persistence/audit-log.js';
import { LoginAddresses } from '../persistence/login-addresses.js';

/**
 * Remove an assigned user: the tokens are refused within 3 s, the names are free again. What the person made may end with
 * it, which under an account of staff wants the owner's password, as at creation. Throws 403, 404.
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
    assertUserManager(actor);
    if (revoke && isStaff(actor.userType)) await this.credentials.proveActor(actor, proof);
    const ended = await inTransaction(this.dataSource, async (tx) => {
      const row = await this.users.lock(tx, actor.id, id);
      await this.users.remove(tx, row);
      await this.loginAddresses.forget(tx, row.id);
      const details = { account: actor.username, email: row.email, revoke };
      await this.audit.record(tx, { actor, action: 'user.remove', subject: row.username, details });
      return revoke ? this.made.end(tx, actor, { account: actor, kind: 'person', ids: [id] }) : NOTHING_ENDED;
    });
    this.users.forget();
    await this.made.finish(actor, ended);
  }
}
