import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { accountErrors } from '../domain/account.errors.js';
import { assertOwner, assertUserManager } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { type MadeThing, shownToManager } from '../domain/made-thing.js';
import { MadeThings } from '../made-things.js';
import { ApiKeyEntity } from '../persistence/api-key.entity.js';
import { AssignedUserEntity } from '../persistence/assigned-user.entity.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';

/** What a person or a key of the account made and what goes on when it is removed. Throws 403, 404. */
export class ListMadeThingsQuery extends Query<MadeThing[]> {
  /** @param username of an account that the actor manages, for one of its keys; null = its own */
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
    if (username === null) (kind === 'person' ? assertUserManager : assertOwner)(actor);
    const account = username === null ? actor : await this.managed.find(actor, username);
    const [entity, missing] =
      kind === 'person'
        ? ([AssignedUserEntity, accountErrors.userNotFound] as const)
        : ([ApiKeyEntity, accountErrors.apiKeyNotFound] as const);
    if (!(await this.dataSource.manager.existsBy(entity, { id, accountId: account.id }))) throw missing();
    const made = await this.made.of({ account, kind, ids: [id] });
    return username === null ? made : made.map(shownToManager);
  }
}
