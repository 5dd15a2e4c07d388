import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type BusinessProfile, BusinessProfileClient, type ChatConnection } from '../../providers/index.js';
import { businessProfileErrors } from '../business-profile.errors.js';
import { ProfileAccounts } from '../profile-accounts.js';

/**
 * The profile as the provider has it at this moment.
 * @throws AppError the rows of reference/business-profile#errors in their order
 */
export class GetBusinessProfileQuery extends Query<BusinessProfile> {
  constructor(
    readonly accountId: number,
    readonly connection: ChatConnection,
  ) {
    super();
  }
}

@QueryHandler(GetBusinessProfileQuery)
export class GetBusinessProfileHandler implements IQueryHandler<GetBusinessProfileQuery> {
  constructor(
    private readonly accounts: ProfileAccounts,
    private readonly profiles: BusinessProfileClient,
  ) {}

  async execute({ accountId, connection }: GetBusinessProfileQuery): Promise<BusinessProfile> {
    const account = await this.accounts.reachable(accountId, connection, businessProfileErrors.noAccount);
    return this.profiles.read(account);
  }
}
