import { Injectable } from '@nestjs/common';
import { RedisLink } from '../security/index.js';

/** A little shorter than the period, so that the next tick of a process that is alone finds its own mark gone. */
const MARKED_SHARE = 0.8;

/**
 * Says which process does what one can do for all of them: the first that asks in each period. Nothing is held: a
 * process that dies is followed by the next one that asks, within a period. Redis only spares work: without it every process does
 * its own, which all of this work bears (docs/decisions/0028).
 */
@Injectable()
export class DutyGate {
  constructor(private readonly redis: RedisLink) {}

  /**
   * Whether this process does it this time.
   * @param duty its name; the processes that share it use the same
   * @param everyMs its period, milliseconds: so often it is done by all processes together
   */
  async isMine(duty: string, everyMs: number): Promise<boolean> {
    const { client, prefix } = this.redis;
    const marked = await this.redis.answer(async () => {
      const reply = await client.set(`${prefix}:duty:${duty}`, '', 'PX', Math.round(everyMs * MARKED_SHARE), 'NX');
      return reply === 'OK';
    });
    return marked ?? true;
  }
}
