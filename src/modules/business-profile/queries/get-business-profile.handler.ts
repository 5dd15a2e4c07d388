import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type BusinessProfile, BusinessProfileClient } from '../../providers/index.js';
import { businessProfileErrors } from '../business-profile.errors.js';
import { ProfileAccounts } from '../profile-accounts.js';
import { GetBusinessProfileQuery } from './get-business-profile.query.js';

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
