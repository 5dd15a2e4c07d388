import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { RateCounters, tooMany } from '../../../platform/security/index.js';
import { openMissKey } from './body-username.js';

const WINDOW_SECONDS = 60;

/**
 * Guards an open look-up against guessing: 60 misses (404) a minute per address over all open look-ups
 * (OPEN_MISS_LIMIT, decisions §5). What is found costs nothing.
 */
@Injectable()
export class OpenMisses {
  constructor(
    private readonly counters: RateCounters,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Runs a look-up for an address and counts its miss.
   * @throws AppError too_many beyond the limit, also for the guesses that were under way when it was reached
   */
  async guard<T>(ip: string, lookUp: () => Promise<T>): Promise<T> {
    const limit = this.environment.OPEN_MISS_LIMIT;
    const wait = await this.counters.blocked(openMissKey(ip), limit);
    if (wait > 0) throw tooMany(wait);
    try {
      return await lookUp();
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') {
        const { allowed, retryAfterSeconds } = await this.counters.hit(openMissKey(ip), limit, WINDOW_SECONDS);
        if (!allowed) throw tooMany(retryAfterSeconds);
      }
      throw error;
    }
  }
}
