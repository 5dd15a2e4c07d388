import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Listed, Page } from '../../../kernel/lists.js';
import { AccountDirectory } from '../../accounts/index.js';
import type { ProfileStatus } from '../domain/profile-request.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { type ReviewedProfileRequestData, reviewedProfileRequestData } from '../http/profile-request.dto.js';

/** Requests of all accounts, the newest first, or one of them. */
export class ReviewProfileRequestsQuery extends Query<Listed<ReviewedProfileRequestData>> {
  /** @param wanted null = of every status; times in `timeZone`, that of staff */
  constructor(
    readonly wanted: { status: ProfileStatus } | { id: number } | null,
    readonly timeZone: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ReviewProfileRequestsQuery)
export class ReviewProfileRequestsHandler implements IQueryHandler<ReviewProfileRequestsQuery> {
  constructor(
    private readonly store: ProfileRequestStore,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute(query: ReviewProfileRequestsQuery): Promise<Listed<ReviewedProfileRequestData>> {
    const listed = await this.store.review(query.wanted, query.page);
    const views = listed.items.map(async (request) => {
      const account = await this.accounts.byId(request.accountId);
      return reviewedProfileRequestData(request, account?.username ?? '', query.timeZone);
    });
    return { ...listed, items: await Promise.all(views) };
  }
}
