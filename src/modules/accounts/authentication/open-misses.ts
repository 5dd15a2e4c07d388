import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { AddressLimits } from '../../../platform/security/index.js';

const NAME = 'open-miss';

/**
 * Guards open look-ups against guessing: 60 misses a minute per address over all of them (OPEN_MISS_LIMIT,
 * reference/requests#limits): reports, templates, public look-ups and usernames in bodies. What is found costs nothing.
 */
@Injectable()
export class OpenMisses {
  private readonly limit: number;

  constructor(
    private readonly addresses: AddressLimits,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.limit = environment.OPEN_MISS_LIMIT;
  }

  /**
   * Runs a look-up for an address and counts its miss (404).
   * @throws AppError too_many beyond the limit, also for the guesses that were under way when it was reached
   */
  async guard<T>(ip: string, lookUp: () => Promise<T>): Promise<T> {
    await this.refuseBlocked(ip);
    try {
      return await lookUp();
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') await this.count(ip);
      throw error;
    }
  }

  /** @throws AppError too_many for an address that has used up its misses */
  refuseBlocked(ip: string): Promise<void> {
    return this.addresses.refuseBlocked(NAME, ip, this.limit);
  }

  /** Counts a miss. @throws AppError too_many when it is one too many */
  count(ip: string): Promise<void> {
    return this.addresses.count(NAME, ip, this.limit);
  }
}
