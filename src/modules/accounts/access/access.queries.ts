import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityTarget } from 'typeorm';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { OpenMisses } from '../authentication/guards.js';
import { assertManager } from '../domain/account-policy.js';
import { accountErrors } from '../domain/account.errors.js';
import type { Account } from '../domain/account.js';
import { ManagedAccounts } from '../managed-accounts.store.js';
import { ApiKeyEntity, AssignedUserEntity } from '../tables.js';
import { type ApiKeyAnswerData, apiKeyData } from './api-keys.dto.js';
import { ApiKeyStore, ApiKeyUses } from './api-keys.store.js';
import { type Gone, type MadeThing, MadeThings, shownToManager } from './made-things.js';
import { type LinkView, linkView } from './links.dto.js';
import { OneTimeLinks } from './one-time-links.store.js';
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
  constructor(
    private readonly users: AssignedUsers,
    private readonly links: OneTimeLinks,
  ) {}

  async execute({ actor, id }: FindAssignedUserQuery): Promise<UserAnswerData> {
    assertManager(actor);
    return userData(await this.users.find(actor.id, id), actor.timeZone, await this.links.ends([id]));
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
  constructor(
    private readonly users: AssignedUsers,
    private readonly links: OneTimeLinks,
  ) {}

  async execute({ actor, page }: ListAssignedUsersQuery): Promise<Listed<UserAnswerData>> {
    assertManager(actor);
    const part = await this.users.part(actor.id, page);
    const ends = await this.links.ends(part.items.map(({ id }) => id));
    return shown(part, (row) => userData(row, actor.timeZone, ends));
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
    private readonly links: OneTimeLinks,
  ) {}

  async execute({ actor, username, page }: ListManagedUsersQuery): Promise<Listed<UserAnswerData>> {
    const { id, timeZone } = await this.managed.find(actor, username);
    const part = await this.users.part(id, page);
    const ends = await this.links.ends(part.items.map((row) => row.id));
    return shown(part, (row) => userData(row, timeZone, ends));
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
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly uses: ApiKeyUses,
  ) {}

  async execute({ actor, page }: ListApiKeysQuery): Promise<Listed<ApiKeyAnswerData>> {
    const part = await this.keys.part(actor.id, page);
    const uses = await this.uses.of(part.items);
    return shown(part, (row) => apiKeyData(row, actor.timeZone, uses));
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
    private readonly uses: ApiKeyUses,
  ) {}

  async execute({ actor, username, page }: ListManagedApiKeysQuery): Promise<Listed<ApiKeyAnswerData>> {
    const { id, timeZone } = await this.managed.find(actor, username);
    const part = await this.keys.part(id, page);
    const uses = await this.uses.of(part.items);
    return shown(part, (row) => apiKeyData(row, timeZone, uses));
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

/**
 * Shows what a link is for, to who has it. One indexed look-up for an unknown one. @throws AppError 404 `This link is not valid`,
 * 429 for an address with too many unknown links
 */
export class ShowLinkQuery extends Query<LinkView> {
  constructor(
    readonly token: string,
    readonly ip: string,
  ) {
    super();
  }
}

@QueryHandler(ShowLinkQuery)
export class ShowLinkHandler implements IQueryHandler<ShowLinkQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly links: OneTimeLinks,
    private readonly misses: OpenMisses,
  ) {}

  async execute({ token, ip }: ShowLinkQuery): Promise<LinkView> {
    return linkView(await this.misses.guard(ip, () => this.links.open(this.dataSource.manager, token)));
  }
}
