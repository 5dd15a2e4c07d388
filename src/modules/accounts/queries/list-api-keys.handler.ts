import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { assertOwner } from '../domain/account-policy.js';
import { ApiKeyEntity } from '../persistence/api-key.entity.js';
import { type ApiKeyView, apiKeyView } from './api-key.view.js';
import { ListApiKeysQuery } from './list-api-keys.query.js';

@QueryHandler(ListApiKeysQuery)
export class ListApiKeysHandler implements IQueryHandler<ListApiKeysQuery> {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  async execute({ actor, page, limit }: ListApiKeysQuery): Promise<{ keys: ApiKeyView[]; total: number }> {
    assertOwner(actor);
    const [rows, total] = await this.keys.findAndCount({
      where: { accountId: actor.id },
      order: { id: 'DESC' },
      skip: (page - 1) * limit,
      take: limit,
    });
    return { keys: rows.map((row) => apiKeyView(row, actor.timeZone)), total };
  }
}
