import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { accountErrors } from '../domain/account.errors.js';
import { assertOwner, assertUserManager } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { type MadeThing, MadeThings } from '../made-things.js';
import { ApiKeyEntity } from '../persistence/api-key.entity.js';
import { AssignedUserEntity } from '../persistence/assigned-user.entity.js';

/** What a person or a key of the account made and what goes on when it is removed. Throws 403, 404. */
export class ListMadeThingsQuery extends Query<MadeThing[]> {
  constructor(
    readonly actor: Account,
    readonly kind: 'person' | 'key',
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(ListMadeThingsQuery)
export class ListMadeThingsHandler implements IQueryHandler<ListMadeThingsQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly made: MadeThings,
  ) {}

  async execute({ actor, kind, id }: ListMadeThingsQuery): Promise<MadeThing[]> {
    const own = { id, accountId: actor.id };
    if (kind === 'person') {
      assertUserManager(actor);
      const isThere = await this.dataSource.manager.existsBy(AssignedUserEntity, own);
      if (!isThere) throw accountErrors.userNotFound();
    } else {
      assertOwner(actor);
      if (!(await this.dataSource.manager.existsBy(ApiKeyEntity, own))) throw accountErrors.apiKeyNotFound();
    }
    return this.made.of({ accountId: actor.id, kind, id });
  }
}
