import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { AccountDirectory } from '../../accounts/index.js';
import { type PublicProfileRequestData, publicProfileRequestData } from '../http/profile-request.dto.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';

/** Branded requests of the direct clients of a parent account, the newest first; times in the parent's zone. */
export class LookUpProfileRequestsQuery extends Query<PublicProfileRequestData[]> {
  /** @param prefix of the username or the display name, in any case; '' = all */
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
    // Both the parent and its clients may close the look-up (reference/authentication#open-routes); either then
    // looks like an empty one.
    if (!parent?.publicLookup) return [];
    const requests = await this.store.ofClients(parent.id, prefix);
    return requests.map((request) => publicProfileRequestData(request, parent.timeZone));
  }
}
