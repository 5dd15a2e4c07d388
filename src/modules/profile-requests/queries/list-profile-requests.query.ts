import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { type ProfileRequestView, profileRequestView } from './profile-request.view.js';

/** An account's requests of every status, the newest first (reference/profile-requests#read). */
export class ListProfileRequestsQuery extends Query<ProfileRequestView[]> {
  constructor(readonly account: Account) {
    super();
  }
}

@QueryHandler(ListProfileRequestsQuery)
export class ListProfileRequestsHandler implements IQueryHandler<ListProfileRequestsQuery> {
  constructor(private readonly store: ProfileRequestStore) {}

  async execute({ account }: ListProfileRequestsQuery): Promise<ProfileRequestView[]> {
    const requests = await this.store.ofAccount(account.id);
    return requests.map((request) => profileRequestView(request, account.username));
  }
}
