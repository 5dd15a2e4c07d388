import { Injectable } from '@nestjs/common';
import { networksOf } from './client-ip.js';
import { RateCounters } from './rate-counters.js';
import { tooMany } from './too-many.js';

const WINDOW_SECONDS = 60;

/**
 * Limits a minute by the client's address, over all instances: each network the address belongs to is counted, so that
 * a client gets no limit of its own for each address of its /64. A limit of 0 is none.
 */
@Injectable()
export class AddressLimits {
  constructor(private readonly counters: RateCounters) {}

  /**
   * Counts one, unless it is one too many.
   * @param name of the limit, with whom else it is for, such as `open-miss`
   * @throws AppError too_many
   */
  async count(name: string, ip: string, limit: number): Promise<void> {
    for (const network of networksOf(ip)) {
      const key = `${name}:${network.name}`;
      const { allowed, retryAfterSeconds } = await this.counters.hit(key, limit * network.share, WINDOW_SECONDS);
      if (!allowed) throw tooMany(retryAfterSeconds);
    }
  }

  /** Only looks. @throws AppError too_many for an address that has used up the limit */
  async refuseBlocked(name: string, ip: string, limit: number): Promise<void> {
    const waits = networksOf(ip).map((network) =>
      this.counters.blocked(`${name}:${network.name}`, limit * network.share),
    );
    const wait = Math.max(...(await Promise.all(waits)));
    if (wait > 0) throw tooMany(wait);
  }
}
