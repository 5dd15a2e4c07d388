import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { assertOwner } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { ApiKeyEntity } from '../persistence/api-key.entity.js';
import { type ApiKeyAnswerData, apiKeyData } from '../http/api-key.dto.js';

/** A page of an account's API keys, newest first. Throws 403 `Permission denied` for an assigned user. */
export class ListApiKeysQuery extends Query<{ keys: ApiKeyAnswerData[]; total: number }> {
  constructor(
    readonly actor: Account,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListApiKeysQuery)
export class ListApiKeysHandler implements IQueryHandler<ListApiKeysQuery> {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  async execute({ actor, page, limit }: ListApiKeysQuery): Promise<{ keys: ApiKeyAnswerData[]; total: number }> {
    assertOwner(actor);
    const [rows, total] = await this.keys.findAndCount({
      where: { accountId: actor.id },
      order: { id: 'DESC' },
      skip: (page - 1) * limit,
      take: limit,
    });
    return { keys: rows.map((row) => apiKeyData(row, actor.timeZone)), total };
  }
}
