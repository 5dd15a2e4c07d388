import { Injectable } from '@nestjs/common';
import type { AppError } from '../../kernel/app-error.js';
import { type ChatAccount, ChatAccounts, type ChatConnection, MetaCloudClient } from '../providers/index.js';
import { businessProfileErrors } from './business-profile.errors.js';

/** The chat accounts whose profile can be reached. */
@Injectable()
export class ProfileAccounts {
  constructor(
    private readonly accounts: ChatAccounts,
    private readonly client: MetaCloudClient,
  ) {}

  /**
   * @param missing the error when there is no such connection: its text depends on the endpoint
   * @throws AppError the account's faults in the order of reference/business-profile#errors
   */
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
