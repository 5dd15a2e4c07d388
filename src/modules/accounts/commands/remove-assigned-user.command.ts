import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { assertUserManager } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { AssignedUsers } from '../persistence/assigned-users.js';
import { AuditLog } from '../persistence/audit-log.js';
import { LoginAddresses } from '../persistence/login-addresses.js';

/** Remove an assigned user: the tokens are refused within 3 s, the names are free again. Throws 403, 404. */
export class RemoveAssignedUserCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
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
  ) {}

  async execute({ actor, id }: RemoveAssignedUserCommand): Promise<void> {
    assertUserManager(actor);
    await inTransaction(this.dataSource, async (tx) => {
      const row = await this.users.lock(tx, actor.id, id);
      await this.users.remove(tx, row);
      await this.loginAddresses.forget(tx, row.id);
      const details = { account: actor.username, email: row.email };
      await this.audit.record(tx, { actor, action: 'user.remove', subject: row.username, details });
    });
    this.users.forget();
  }
}
