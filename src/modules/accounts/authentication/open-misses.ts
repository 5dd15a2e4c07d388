import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { RateCounters, tooMany } from '../../../platform/security/index.js';

const WINDOW_SECONDS = 60;

/**
 * Guards open look-ups against guessing: 60 misses a minute per address over all of them (OPEN_MISS_LIMIT, decisions
 * §5): reports, templates, public look-ups and usernames in bodies. What is found costs nothing.
 */
@Injectable()
export class OpenMisses {
  private readonly limit: number;

  constructor(
    private readonly counters: RateCounters,
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
  async refuseBlocked(ip: string): Promise<void> {
    const wait = await this.counters.blocked(keyOf(ip), this.limit);
    if (wait > 0) throw tooMany(wait);
  }

  /** Counts a miss. @throws AppError too_many when it is one too many */
  async count(ip: string): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.counters.hit(keyOf(ip), this.limit, WINDOW_SECONDS);
    if (!allowed) throw tooMany(retryAfterSeconds);
  }
}

const keyOf = (ip: string): string => `open-miss:${ip}`;
