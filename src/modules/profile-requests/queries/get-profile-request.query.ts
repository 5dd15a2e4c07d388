import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { type ProfileRequestDetail, profileRequestDetail } from '../http/profile-request.dto.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';
import { profileErrors } from '../profile-requests.errors.js';

/** One request of an account, with what became of it (reference/profile-requests#one). @throws AppError not_found */
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
