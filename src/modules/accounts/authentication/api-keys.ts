import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { AddressLimits, isInIpRanges } from '../../../platform/security/index.js';
import type { Account } from '../domain/account.js';
import { isApiKey } from '../domain/api-key.js';
import { AccountDirectory } from '../persistence/account-directory.js';
import { ApiKeyStore } from '../persistence/api-key-store.js';

/** Knows whom an API key lets act, and from where (reference/authentication#api-keys). */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly store: ApiKeyStore,
    private readonly directory: AccountDirectory,
    private readonly addresses: AddressLimits,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * The account of a key, usable or not. Nothing is counted.
   * @param ip the client's address: a key with a list counts from there only
   * @returns null for a key that is unknown, revoked, or used from elsewhere
   */
  async find(key: string, ip: string): Promise<Account | null> {
    if (!isApiKey(key)) return null;
    const stored = await this.store.find(key);
    if (!stored) return null;
    if (stored.allowedIps.length > 0 && !isInIpRanges(ip, stored.allowedIps)) return null;
    const account = await this.directory.byId(stored.accountId);
    if (account && this.directory.usable(account)) this.store.touch(stored);
    return account && { ...account, apiKey: { id: stored.id, name: stored.name, prefix: stored.prefix } };
  }

  /**
   * The acting account of a key. Misses count per address (IP_FAILURE_LIMIT a minute). 256 bits cannot be guessed, so a
   * good key is never refused for the misses of others behind its address.
   * @returns null for a key that is not valid now
   * @throws AppError too_many instead, beyond the limit
   */
  async authenticate(key: string, ip: string): Promise<Account | null> {
    const account = await this.find(key, ip);
    if (account && this.directory.usable(account)) return account;
    await this.addresses.count('api-key-misses', ip, this.environment.IP_FAILURE_LIMIT);
    return null;
  }
}
