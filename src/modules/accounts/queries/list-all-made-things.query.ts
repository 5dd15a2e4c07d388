import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityTarget } from 'typeorm';
import { assertOwner } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { type Gone, type MadeThing, shownToManager } from '../domain/made-thing.js';
import { MadeThings } from '../made-things.js';
import { ApiKeyEntity } from '../persistence/api-key.entity.js';
import { AssignedUserEntity } from '../persistence/assigned-user.entity.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';

/** By who made it. */
export interface AllMade {
  api_keys: MadeThing[];
  users: MadeThing[];
}

/** What all keys and people of an account made and what goes on when they end with its password. Throws 403, 404. */
export class ListAllMadeThingsQuery extends Query<AllMade> {
  /** @param username of an account that the actor manages; null = its own */
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
    if (username === null) assertOwner(actor);
    const account = username === null ? actor : await this.managed.find(actor, username);
    const of = async (kind: Gone['kind'], entity: EntityTarget<{ id: number; accountId: number }>) => {
      const rows = await this.dataSource.manager.find(entity, {
        where: { accountId: account.id },
        select: { id: true },
      });
      const made = await this.made.of({ account, kind, ids: rows.map(({ id }) => id) });
      return username === null ? made : made.map(shownToManager);
    };
    return { api_keys: await of('key', ApiKeyEntity), users: await of('person', AssignedUserEntity) };
  }
}
