import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import type { Account } from '../domain/account.js';
import { type ApiKeyAnswerData, apiKeyData } from '../http/api-key.dto.js';
import { ApiKeyStore } from '../persistence/api-key-store.js';
import { ManagedAccounts } from '../persistence/managed-accounts.js';

/** A part of the API keys of an account, for its managers. Throws as `ManagedAccounts.row`. */
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
