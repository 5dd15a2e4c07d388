import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import type { Account } from '../accounts/index.js';
import { KeywordStore, type StoredKeyword } from './keywords/keywords.store.js';
import { suppressionData, type SuppressionData } from './suppressions.dto.js';
import { SuppressionStore } from './suppressions.store.js';

/** An account's stop list, by number; times in the account's zone. */
export class ListSuppressionsQuery extends Query<Listed<SuppressionData>> {
  constructor(
    readonly account: Account,
    /** spellings of one number; null = all */
    readonly numbers: readonly string[] | null,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListSuppressionsQuery)
export class ListSuppressionsHandler implements IQueryHandler<ListSuppressionsQuery> {
  constructor(private readonly store: SuppressionStore) {}

  async execute({ account, numbers, page }: ListSuppressionsQuery): Promise<Listed<SuppressionData>> {
    return shown(await this.store.part(account.id, numbers, page), (entry) => suppressionData(entry, account.timeZone));
  }
}

/** An account's keywords, by word. */
export class ListKeywordsQuery extends Query<StoredKeyword[]> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(ListKeywordsQuery)
export class ListKeywordsHandler implements IQueryHandler<ListKeywordsQuery> {
  constructor(private readonly store: KeywordStore) {}

  execute({ accountId }: ListKeywordsQuery): Promise<StoredKeyword[]> {
    return this.store.list(accountId);
  }
}
