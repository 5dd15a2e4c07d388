import { Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { AppError } from '../../kernel/errors.js';
import {
  type BusinessProfile,
  BusinessProfileClient,
  type ChatAccount,
  ChatAccounts,
  type ChatConnection,
  MetaCloudClient,
} from '../providers/index.js';
import { businessProfileErrors } from './business-profile.errors.js';

@Injectable()
export class ProfileAccounts {
  constructor(
    private readonly accounts: ChatAccounts,
    private readonly client: MetaCloudClient,
  ) {}

  /** @param missing error for a missing connection @throws AppError in the order of reference/business-profile#errors */
  async reachable(accountId: number, connection: ChatConnection, missing: () => AppError): Promise<ChatAccount> {
    const account = await this.accounts.find(accountId, connection);
    if (!account) throw missing();
    if (!account.token) throw businessProfileErrors.credentials();
    if (account.provider === 'other') throw businessProfileErrors.unsupported();
    if (this.client.phoneNumberId(account) === null) throw businessProfileErrors.phoneNumberId();
    if (account.provider === 'reseller' && !account.bmid) throw businessProfileErrors.bmid();
    return account;
  }
}

/** The provider's current profile. @throws AppError as reference/business-profile#errors */
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
