import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AccountDirectory } from '../../accounts/index.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { type ReviewedProfileRequest, reviewedProfileRequest } from './profile-request.view.js';
import { ReviewProfileRequestsQuery } from './review-profile-requests.query.js';

@QueryHandler(ReviewProfileRequestsQuery)
export class ReviewProfileRequestsHandler implements IQueryHandler<ReviewProfileRequestsQuery> {
  constructor(
    private readonly store: ProfileRequestStore,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute(query: ReviewProfileRequestsQuery): Promise<{ requests: ReviewedProfileRequest[]; total: number }> {
    const { requests, total } = await this.store.review(query.wanted ?? {}, query.page, query.limit);
    const views = requests.map(async (request) => {
      const account = await this.accounts.byId(request.accountId);
      return reviewedProfileRequest(request, account?.username ?? '', query.timeZone);
    });
    return { requests: await Promise.all(views), total };
  }
}
