import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { tooMany } from './too-many.js';

const COST = 10;
const PATIENCE_MS = 10_000;
const PATIENCE_SECONDS = PATIENCE_MS / 1000;

interface Waiting {
  start: () => void;
  timer: NodeJS.Timeout;
}

/**
 * bcrypt with cost 10, as many at once as there are cores (decisions §5): more would only starve the other work of
 * libuv's pool. Who waits longer than 10 s gets the 429 of every limit.
 */
@Injectable()
export class PasswordHasher {
  private readonly places = availableParallelism();
  private readonly waiting: Waiting[] = [];
  private running = 0;

  /** @param password at most 72 bytes count; longer ones are refused where passwords are set */
  hash(password: string): Promise<string> {
    return this.inTurn(() => bcrypt.hash(password, COST));
  }

  /**
   * True when the password made the hash. PHP's prefix `$2y$` names the same algorithm as `$2a$` (spec 5).
   * A text that is no bcrypt hash is false.
   */
  verify(password: string, hash: string): Promise<boolean> {
    return this.inTurn(() => bcrypt.compare(password, hash.replace(/^\$2y\$/, '$2a$')));
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.places) await this.turn();
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) {
        clearTimeout(next.timer);
        next.start(); // takes over this place
      } else this.running--;
    }
  }

  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        start: resolve,
        timer: setTimeout(() => {
          this.waiting.splice(this.waiting.indexOf(entry), 1);
          reject(tooMany(PATIENCE_SECONDS));
        }, PATIENCE_MS),
      };
      this.waiting.push(entry);
    });
  }
}
