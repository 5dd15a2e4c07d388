import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { namedDateTime } from '../../../kernel/clock.js';
import { AccountDirectory } from '../../accounts/index.js';
import { ProfileRequestStore } from '../persistence/profile-request-store.js';

/**
 * A branded request as anybody may see it; the keys are literal, spelling included
 * (reference/profile-requests#public-look-up).
 */
export interface PublicProfileRequest {
  Username: string;
  'Display Name': string;
  Number: string | null;
  'Bussiness Number': string;
  'Current Status': string;
  'Created At': string;
  'Updated At': string;
}

/** Branded requests of the direct clients of a parent account, the newest first; times in the parent's zone. */
export class LookUpProfileRequestsQuery extends Query<PublicProfileRequest[]> {
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

  async execute({ parentUsername, prefix }: LookUpProfileRequestsQuery): Promise<PublicProfileRequest[]> {
    const parent = await this.accounts.byUsername(parentUsername);
    // Both the parent and its clients may close the look-up (reference/authentication#open-routes); neither is told
    // apart from an empty one.
    if (!parent?.publicLookup) return [];
    const requests = await this.store.ofClients(parent.id, prefix);
    return requests.map((request) => ({
      Username: request.username,
      'Display Name': request.verifiedName,
      Number: request.number,
      'Bussiness Number': request.numberForOtp,
      'Current Status': request.status,
      'Created At': namedDateTime(request.createdAt, parent.timeZone),
      'Updated At': namedDateTime(request.updatedAt, parent.timeZone),
    }));
  }
}
