import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { assertOwner } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { type ApiKeyAnswerData, apiKeyData } from '../http/api-key.dto.js';
import { ApiKeyStore } from '../persistence/api-key-store.js';

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
  constructor(private readonly keys: ApiKeyStore) {}

  async execute({ actor, page }: ListApiKeysQuery): Promise<Listed<ApiKeyAnswerData>> {
    assertOwner(actor);
    return shown(await this.keys.part(actor.id, page), (row) => apiKeyData(row, actor.timeZone));
  }
}
