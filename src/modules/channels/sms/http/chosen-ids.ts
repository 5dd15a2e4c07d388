import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../../kernel/app-error.js';
import type { DocumentedError } from '../../../../kernel/define-error.js';
import { ENVIRONMENT, type Environment } from '../../../../platform/config/index.js';
import { AddressLimits, RateCounters, tooMany } from '../../../../platform/security/index.js';
import { acceptanceErrors, FOREIGN_REQUEST_ID } from '../../../engine/index.js';

/** Errors of a request under an id that its caller chose. */
export const CHOSEN_ID_ERRORS: readonly DocumentedError[] = [
  tooMany.because('a caller-supplied id after too many of other accounts in a minute'),
  acceptanceErrors.requestIdTaken,
];

const NAME = 'foreign-request-id';
const WINDOW_SECONDS = 60;

/** The sender of a request under an id of its own choice. */
export interface Chooser {
  ip: string;
  /** null: the request only named the account, so that it must not use up the account's limit */
  accountId: number | null;
}

/**
 * Guards requests under ids that their callers choose. Ids are unique over all accounts, so a conflict reveals that
 * another account has the id: each counts as a miss of an open look-up does (OPEN_MISS_LIMIT a minute), per address and
 * per account, and beyond the limit nothing is looked up. Requests that leave the id to us are not concerned.
 */
@Injectable()
export class ChosenIds {
  private readonly limit: number;

  constructor(
    private readonly addresses: AddressLimits,
    private readonly counters: RateCounters,
    @Inject(ENVIRONMENT) { OPEN_MISS_LIMIT }: Environment,
  ) {
    this.limit = OPEN_MISS_LIMIT;
  }

  /**
   * @param id null = none was chosen
   * @throws AppError too_many beyond the limit, also for the guesses that were under way when it was reached
   */
  async guard<T>(id: string | null, chooser: Chooser, send: () => Promise<T>): Promise<T> {
    if (id === null) return send();
    await this.refuseBlocked(chooser);
    try {
      return await send();
    } catch (error) {
      if (error instanceof AppError && error.code === FOREIGN_REQUEST_ID) await this.count(chooser);
      throw error;
    }
  }

  private async refuseBlocked({ ip, accountId }: Chooser): Promise<void> {
    await this.addresses.refuseBlocked(NAME, ip, this.limit);
    const wait = accountId === null ? 0 : await this.counters.blocked(accountKey(accountId), this.limit);
    if (wait > 0) throw tooMany(wait);
  }

  private async count({ ip, accountId }: Chooser): Promise<void> {
    const counted = [this.addresses.count(NAME, ip, this.limit)];
    if (accountId !== null) counted.push(this.countAccount(accountId));
    await Promise.all(counted);
  }

  private async countAccount(accountId: number): Promise<void> {
    const judged = await this.counters.hit(accountKey(accountId), this.limit, WINDOW_SECONDS);
    if (!judged.allowed) throw tooMany(judged.retryAfterSeconds);
  }
}

const accountKey = (accountId: number): string => `${NAME}-account:${accountId}`;
