import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityTarget } from 'typeorm';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { assertManager } from '../domain/account-policy.js';
import { accountErrors } from '../domain/account.errors.js';
import type { Account } from '../domain/account.js';
import { ManagedAccounts } from '../managed-accounts.store.js';
import { ApiKeyEntity, AssignedUserEntity } from '../tables.js';
import { type ApiKeyAnswerData, apiKeyData } from './api-keys.dto.js';
import { ApiKeyStore } from './api-keys.store.js';
import { type Gone, type MadeThing, MadeThings, shownToManager } from './made-things.js';
import { type UserAnswerData, userData } from './users.dto.js';
import { AssignedUsers } from './users.store.js';

/** Returns an assigned user of the account. @throws AppError 403 `Permission denied`, 404 `User not found` */
export class FindAssignedUserQuery extends Query<UserAnswerData> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(FindAssignedUserQuery)
export class FindAssignedUserHandler implements IQueryHandler<FindAssignedUserQuery> {
  constructor(private readonly users: AssignedUsers) {}

  async execute({ actor, id }: FindAssignedUserQuery): Promise<UserAnswerData> {
    assertManager(actor);
    return userData(await this.users.find(actor.id, id), actor.timeZone);
  }
}

/** Lists an account's users, newest first. @throws AppError 403 `Permission denied` (see `assertManager`) */
export class ListAssignedUsersQuery extends Query<Listed<UserAnswerData>> {
  constructor(
    readonly actor: Account,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListAssignedUsersQuery)
export class ListAssignedUsersHandler implements IQueryHandler<ListAssignedUsersQuery> {
  constructor(private readonly users: AssignedUsers) {}

  async execute({ actor, page }: ListAssignedUsersQuery): Promise<Listed<UserAnswerData>> {
    assertManager(actor);
    return shown(await this.users.part(actor.id, page), (row) => userData(row, actor.timeZone));
  }
}

/** Lists an account's users for its managers. @throws AppError as `ManagedAccounts.row` */
export class ListManagedUsersQuery extends Query<Listed<UserAnswerData>> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListManagedUsersQuery)
export class ListManagedUsersHandler implements IQueryHandler<ListManagedUsersQuery> {
  constructor(
    private readonly managed: ManagedAccounts,
    private readonly users: AssignedUsers,
  ) {}

  async execute({ actor, username, page }: ListManagedUsersQuery): Promise<Listed<UserAnswerData>> {
    const { id, timeZone } = await this.managed.find(actor, username);
    return shown(await this.users.part(id, page), (row) => userData(row, timeZone));
  }
}

/** Lists an account's API keys, newest first. */
export class ListApiKeysQuery extends Query<Listed<ApiKeyAnswerData>> {
  constructor(
    readonly actor: Account,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListApiKeysQuery)
export class ListApiKeysHandler implements IQueryHandler<ListApiKeysQuery> {
  constructor(private readonly keys: ApiKeyStore) {}

  async execute({ actor, page }: ListApiKeysQuery): Promise<Listed<ApiKeyAnswerData>> {
    return shown(await this.keys.part(actor.id, page), (row) => apiKeyData(row, actor.timeZone));
  }
}

/** Lists an account's API keys for its managers. @throws AppError as `ManagedAccounts.row` */
export class ListManagedApiKeysQuery extends Query<Listed<ApiKeyAnswerData>> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListManagedApiKeysQuery)
export class ListManagedApiKeysHandler implements IQueryHandler<ListManagedApiKeysQuery> {
  constructor(
    private readonly managed: ManagedAccounts,
    private readonly keys: ApiKeyStore,
  ) {}

  async execute({ actor, username, page }: ListManagedApiKeysQuery): Promise<Listed<ApiKeyAnswerData>> {
    const { id, timeZone } = await this.managed.find(actor, username);
    return shown(await this.keys.part(id, page), (row) => apiKeyData(row, timeZone));
  }
}

/** Lists what a person or API key made and what outlives its maker. @throws AppError 403, 404 */
export class ListMadeThingsQuery extends Query<MadeThing[]> {
  constructor(
    readonly actor: Account,
    readonly kind: 'person' | 'key',
    readonly id: number,
    readonly username: string | null = null,
  ) {
    super();
  }
}

@QueryHandler(ListMadeThingsQuery)
export class ListMadeThingsHandler implements IQueryHandler<ListMadeThingsQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly made: MadeThings,
  ) {}

  async execute({ actor, kind, id, username }: ListMadeThingsQuery): Promise<MadeThing[]> {
    if (username === null && kind === 'person') assertManager(actor);
    const account = username === null ? actor : await this.managed.find(actor, username);
    const [entity, missing] =
      kind === 'person'
        ? ([AssignedUserEntity, accountErrors.userNotFound] as const)
        : ([ApiKeyEntity, accountErrors.apiKeyNotFound] as const);
    if (!(await this.dataSource.manager.existsBy(entity, { id, accountId: account.id }))) throw missing();
    const made = await this.made.of(actor, { account, kind, ids: [id] });
    return username === null ? made : made.map(shownToManager);
  }
}

export interface AllMade {
  api_keys: MadeThing[];
  users: MadeThing[];
}

/** Lists what an account's keys and people made, and a password change can end. @throws AppError 403, 404 */
export class ListAllMadeThingsQuery extends Query<AllMade> {
  constructor(
    readonly actor: Account,
    readonly username: string | null = null,
  ) {
    super();
  }
}

@QueryHandler(ListAllMadeThingsQuery)
export class ListAllMadeThingsHandler implements IQueryHandler<ListAllMadeThingsQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly managed: ManagedAccounts,
    private readonly made: MadeThings,
  ) {}

  async execute({ actor, username }: ListAllMadeThingsQuery): Promise<AllMade> {
    const account = username === null ? actor : await this.managed.find(actor, username);
    const of = async (kind: Gone['kind'], entity: EntityTarget<{ id: number; accountId: number }>) => {
      const rows = await this.dataSource.manager.find(entity, {
        where: { accountId: account.id },
        select: { id: true },
      });
      const made = await this.made.of(actor, { account, kind, ids: rows.map(({ id }) => id) });
      return username === null ? made : made.map(shownToManager);
    };
    return { api_keys: await of('key', ApiKeyEntity), users: await of('person', AssignedUserEntity) };
  }
}
