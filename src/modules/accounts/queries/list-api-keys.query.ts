import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { inListedOrder, listKeys } from '../../../platform/database/index.js';
import { assertOwner } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { ApiKeyEntity } from '../persistence/api-key.entity.js';
import { type ApiKeyAnswerData, apiKeyData } from '../http/api-key.dto.js';

/** A part of an account's API keys, newest first. Throws 403 `Permission denied` for an assigned user. */
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
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async execute({ actor, page }: ListApiKeysQuery): Promise<Listed<ApiKeyAnswerData>> {
    assertOwner(actor);
    const ranges = [{ where: 'account_id = ?', values: [actor.id] }];
    const list = { table: 'api_keys', index: 'ix_api_keys_account', key: 'id', order: 'DESC', ranges } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(ApiKeyEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      (row) => apiKeyData(row, actor.timeZone),
    );
  }
}
