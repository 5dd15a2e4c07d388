import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, loginOf } from '../domain/account.js';
import { AuditLog } from '../logs/logs.store.js';
import { ManagedAccounts } from '../managed-accounts.store.js';
import { AssignedUserEntity } from '../tables.js';
import { SessionStore } from './sessions.store.js';

/** Ends a session of the acting login. @throws AppError 404 for another login's, or one that is over */
export class EndSessionCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(EndSessionCommand)
export class EndSessionHandler implements ICommandHandler<EndSessionCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sessions: SessionStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, id }: EndSessionCommand): Promise<void> {
    const { id: holderId, username: subject } = loginOf(actor);
    await inTransaction(this.dataSource, async (tx) => {
      const ended = await this.sessions.endOne(tx, { holderId }, id, 'ended');
      if (!ended) throw accountErrors.sessionNotFound();
      const details = { id, device: ended.device };
      await this.audit.record(tx, { actor, action: 'session.end', subject, details });
    });
    this.sessions.forget();
  }
}

/** Ends the sessions of the acting login, all or all but its own. A token without a session ends itself too. */
export class EndSessionsCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly includesOwn: boolean,
  ) {
    super();
  }
}

@CommandHandler(EndSessionsCommand)
export class EndSessionsHandler implements ICommandHandler<EndSessionsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sessions: SessionStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, includesOwn }: EndSessionsCommand): Promise<void> {
    const { id: holderId, username: subject } = loginOf(actor);
    const except = includesOwn ? null : (actor.session?.id ?? null);
    await inTransaction(this.dataSource, async (tx) => {
      const sessions = await this.sessions.endAll(tx, holderId, 'ended', except);
      await this.audit.record(tx, { actor, action: 'session.end_all', subject, details: { sessions } });
    });
    this.sessions.forget();
  }
}

/** Ends a session of a managed account or of a person under it. @throws AppError as `ManagedAccounts.changeable`; 404 */
export class EndAccountSessionCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(EndAccountSessionCommand)
export class EndAccountSessionHandler implements ICommandHandler<EndAccountSessionCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly sessions: SessionStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, username, id }: EndAccountSessionCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const owner = await this.managed.changeable(actor, username, tx);
      const ended = await this.sessions.endOne(tx, { accountId: owner.id }, id, 'staff');
      if (!ended) throw accountErrors.sessionNotFound();
      const entry = { actor, action: 'session.end', subject: username, accountId: owner.id };
      await this.audit.record(tx, { ...entry, details: { id, device: ended.device } });
    });
    this.sessions.forget();
  }
}

/** Ends every session of a managed account's own login, or of one person under it (`userId`). @throws AppError as above */
export class EndAccountSessionsCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly userId: number | null,
  ) {
    super();
  }
}

@CommandHandler(EndAccountSessionsCommand)
export class EndAccountSessionsHandler implements ICommandHandler<EndAccountSessionsCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly sessions: SessionStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, username, userId }: EndAccountSessionsCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const owner = await this.managed.changeable(actor, username, tx);
      const isPerson = userId !== null;
      if (isPerson && !(await tx.existsBy(AssignedUserEntity, { id: userId, accountId: owner.id })))
        throw accountErrors.userNotFound();
      const sessions = await this.sessions.endAll(tx, userId ?? owner.id, 'staff');
      const entry = { actor, action: 'session.end_all', subject: username, accountId: owner.id };
      await this.audit.record(tx, { ...entry, details: { sessions, user_id: userId } });
    });
    this.sessions.forget();
  }
}
