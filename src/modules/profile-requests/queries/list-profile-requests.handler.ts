import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { ListProfileRequestsQuery } from './list-profile-requests.query.js';
import { profileRequestView, type ProfileRequestView } from './profile-request.view.js';

@QueryHandler(ListProfileRequestsQuery)
export class ListProfileRequestsHandler implements IQueryHandler<ListProfileRequestsQuery> {
  constructor(private readonly store: ProfileRequestStore) {}

  async execute({ account }: ListProfileRequestsQuery): Promise<ProfileRequestView[]> {
    const requests = await this.store.ofAccount(account.id);
    return requests.map((request) => profileRequestView(request, account.username));
  }
}
