import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { AccountNotices } from '../../notices/index.js';
import { assertManager } from '../domain/account-policy.js';
import { type Account, loginOf } from '../domain/account.js';
import { AuditLog } from '../logs/logs.store.js';
import { SessionStore } from '../sessions/sessions.store.js';
import { OneTimeLinks } from './one-time-links.store.js';
import { AssignedUsers } from './users.store.js';

/** Ends every session of a person within 3 s everywhere, and the links that the person made. @throws AppError 403, 404 */
export class SignOutCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(SignOutCommand)
export class SignOutHandler implements ICommandHandler<SignOutCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly users: AssignedUsers,
    private readonly sessions: SessionStore,
    private readonly links: OneTimeLinks,
    private readonly audit: AuditLog,
    private readonly notices: AccountNotices,
  ) {}

  async execute({ actor, id }: SignOutCommand): Promise<void> {
    assertManager(actor);
    const person = await this.users.find(actor.id, id);
    await inTransaction(this.dataSource, async (tx) => {
      const sessions = await this.sessions.endAll(tx, id, 'ended');
      await this.links.withdrawMadeBy(tx, id);
      const details = { account: actor.username, sessions };
      await this.audit.record(tx, { actor, action: 'user.sign_out', subject: person.username, details });
    });
    this.sessions.forget();
    const by = loginOf(actor).username;
    await this.notices.notify({ ...actor, assignedUser: person }, { type: 'sessions.ended', by });
  }
}
