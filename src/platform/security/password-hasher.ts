import { availableParallelism } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { Semaphore } from '../concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { tooMany } from './too-many.js';

const COST = 10;
/** bcrypt ignores what comes after. */
const MOST_BYTES = 72;
const PATIENCE_SECONDS = 10;
/** Threads of libuv's pool that are left to everything else. */
const SPARE_THREADS = 2;

/** Passwords at once: as many as cores, but never so many that nothing of libuv's pool is left. */
export const hashesAtOnce = (cores: number, poolSize: number): number =>
  Math.max(1, Math.min(cores, poolSize - SPARE_THREADS));

/**
 * bcrypt with cost 10, as many at once as there are cores (reference/requests#passwords-at-work) and threads to spare
 * in libuv's pool, where files and connections to named hosts are opened too. What waits longer than 10 s gets the 429
 * of every limit.
 */
@Injectable()
export class PasswordHasher {
  private readonly semaphore: Semaphore;

  constructor(@Inject(ENVIRONMENT) { UV_THREADPOOL_SIZE: poolSize }: Pick<Environment, 'UV_THREADPOOL_SIZE'>) {
    const refusal = (): Error => tooMany(PATIENCE_SECONDS);
    const permits = hashesAtOnce(availableParallelism(), poolSize);
    this.semaphore = new Semaphore(permits, { patienceMs: PATIENCE_SECONDS * 1000, refusal });
  }

  /** @param password at most 72 bytes count; longer ones are refused where passwords are set */
  hash(password: string): Promise<string> {
    return this.semaphore.run(() => bcrypt.hash(password, COST));
  }

  /**
   * True when the password made the hash. PHP's prefix `$2y$` names the same algorithm as `$2a$`
   * (reference/authentication#login). A text that is no bcrypt hash is false; so is, after the same time, a password of
   * more bytes than bcrypt reads.
   */
  async verify(password: string, hash: string): Promise<boolean> {
    const equal = await this.semaphore.run(() => bcrypt.compare(password, hash.replace(/^\$2y\$/, '$2a$')));
    return equal && Buffer.byteLength(password, 'utf8') <= MOST_BYTES;
  }
}
