import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { AccountDirectory } from '../../accounts/index.js';
import type { ProfileStatus } from '../domain/profile-request.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { type ReviewedProfileRequestData, reviewedProfileRequestData } from '../http/profile-request.dto.js';

/** Requests of all accounts, the newest first, or one of them. */
export class ReviewProfileRequestsQuery extends Query<{ requests: ReviewedProfileRequestData[]; total: number }> {
  /** @param wanted null = of every status; times in `timeZone`, that of staff */
  constructor(
    readonly wanted: { status: ProfileStatus } | { id: number } | null,
    readonly timeZone: string,
    readonly page: number,
    readonly limit: number,
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

  async execute(query: ReviewProfileRequestsQuery): Promise<{ requests: ReviewedProfileRequestData[]; total: number }> {
    const { requests, total } = await this.store.review(query.wanted ?? {}, query.page, query.limit);
    const views = requests.map(async (request) => {
      const account = await this.accounts.byId(request.accountId);
      return reviewedProfileRequestData(request, account?.username ?? '', query.timeZone);
    });
    return { requests: await Promise.all(views), total };
  }
}
