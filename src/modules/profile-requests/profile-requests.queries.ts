import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Listed, Page } from '../../kernel/lists.js';
import { type Account, AccountDirectory } from '../accounts/index.js';
import type { ProfileStatus } from './profile-request.js';
import {
  profileRequestData,
  type ProfileRequestData,
  profileRequestDetail,
  type ProfileRequestDetail,
  publicProfileRequestData,
  type PublicProfileRequestData,
  reviewedProfileRequestData,
  type ReviewedProfileRequestData,
} from './profile-requests.dto.js';
import { profileErrors } from './profile-requests.errors.js';
import { ProfileRequestStore } from './profile-requests.store.js';

/** One request of an account (reference/profile-requests#one). @throws AppError not_found */
export class GetProfileRequestQuery extends Query<ProfileRequestDetail> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(GetProfileRequestQuery)
export class GetProfileRequestHandler implements IQueryHandler<GetProfileRequestQuery> {
  constructor(private readonly store: ProfileRequestStore) {}

  async execute({ account, id }: GetProfileRequestQuery): Promise<ProfileRequestDetail> {
    const request = await this.store.find(account.id, id);
    if (!request) throw profileErrors.notFound();
    return profileRequestDetail(request, account.username, account.timeZone);
  }
}

/** An account's requests, newest first (reference/profile-requests#read). */
export class ListProfileRequestsQuery extends Query<ProfileRequestData[]> {
  constructor(readonly account: Account) {
    super();
  }
}

@QueryHandler(ListProfileRequestsQuery)
export class ListProfileRequestsHandler implements IQueryHandler<ListProfileRequestsQuery> {
  constructor(private readonly store: ProfileRequestStore) {}

  async execute({ account }: ListProfileRequestsQuery): Promise<ProfileRequestData[]> {
    const requests = await this.store.ofAccount(account.id);
    return requests.map((request) => profileRequestData(request, account.username));
  }
}

/** Branded requests of a parent's direct clients, newest first; times in the parent's zone. */
export class LookUpProfileRequestsQuery extends Query<PublicProfileRequestData[]> {
  /** @param prefix of username or display name, case-insensitive; '' = all */
  constructor(
    readonly parentUsername: string,
    readonly prefix: string,
  ) {
    super();
  }
}

@QueryHandler(LookUpProfileRequestsQuery)
export class LookUpProfileRequestsHandler implements IQueryHandler<LookUpProfileRequestsQuery> {
  constructor(
    private readonly store: ProfileRequestStore,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ parentUsername, prefix }: LookUpProfileRequestsQuery): Promise<PublicProfileRequestData[]> {
    const parent = await this.accounts.byUsername(parentUsername);
    // Parent and clients may close the look-up (reference/authentication#open-routes); closed looks like empty.
    if (!parent?.publicLookup) return [];
    const requests = await this.store.ofClients(parent.id, prefix);
    return requests.map((request) => publicProfileRequestData(request, parent.timeZone));
  }
}

/** Requests of all accounts, newest first, or one of them; times in `timeZone`. */
export class ReviewProfileRequestsQuery extends Query<Listed<ReviewedProfileRequestData>> {
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
