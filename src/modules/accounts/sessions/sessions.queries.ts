import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { type Account, loginOf } from '../domain/account.js';
import { ManagedAccounts } from '../managed-accounts.store.js';
import { AssignedUserEntity } from '../tables.js';
import { type AccountSessionData, type SessionData, sessionData } from './sessions.dto.js';
import { idleMsOf, SessionStore } from './sessions.store.js';

/** Lists the sessions of the acting login, newest first. */
export class ListSessionsQuery extends Query<Listed<SessionData>> {
  constructor(
    readonly actor: Account,
    readonly isActive: boolean,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListSessionsQuery)
export class ListSessionsHandler implements IQueryHandler<ListSessionsQuery> {
  constructor(private readonly sessions: SessionStore) {}

  async execute({ actor, isActive, page }: ListSessionsQuery): Promise<Listed<SessionData>> {
    const active = isActive ? { idleMs: idleMsOf(actor) } : null;
    const listed = await this.sessions.part({ holderId: loginOf(actor).id }, page, active);
    return shown(listed, (row) => sessionData(row, actor, actor.session?.id ?? null));
  }
}

/** Lists the sessions of an account and its people for its managers. @throws AppError as `ManagedAccounts.row` */
export class ListAccountSessionsQuery extends Query<Listed<AccountSessionData>> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly isActive: boolean,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListAccountSessionsQuery)
export class ListAccountSessionsHandler implements IQueryHandler<ListAccountSessionsQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly sessions: SessionStore,
  ) {}

  async execute(query: ListAccountSessionsQuery): Promise<Listed<AccountSessionData>> {
    const { actor, username, isActive, page } = query;
    const owner = await this.managed.find(actor, username);
    const active = isActive ? { idleMs: idleMsOf(owner) } : null;
    const listed = await this.sessions.part({ accountId: owner.id }, page, active);
    const ids = [...new Set(listed.items.map(({ holderId }) => holderId))];
    const people = await this.dataSource.manager.findBy(AssignedUserEntity, { id: In(ids) });
    const names = new Map([[owner.id, owner.username], ...people.map(({ id, username: name }) => [id, name] as const)]);
    return shown(listed, (row) =>
      Object.assign(sessionData(row, owner, actor.session?.id ?? null), {
        user_id: row.holderId === owner.id ? null : row.holderId,
        username: names.get(row.holderId) ?? null,
      }),
    );
  }
}
