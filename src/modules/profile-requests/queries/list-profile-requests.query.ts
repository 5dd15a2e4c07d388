import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { type ProfileRequestData, profileRequestData } from '../http/profile-request.dto.js';

/** An account's requests of every status, the newest first (reference/profile-requests#read). */
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
