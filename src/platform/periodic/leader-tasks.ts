import { Injectable } from '@nestjs/common';
import { PeriodicTask } from '../concurrency/index.js';
import { RedisLink } from '../security/index.js';

/** A little shorter than the period, so that the next tick of a process that is alone finds its own mark gone. */
const MARKED_SHARE = 0.8;

/** Goes on from a count, unless another process has; a count that Redis has lost is as the first one says. */
const ADVANCE = `
local count = redis.call('GET', KEYS[1])
if count and count ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1] + 1)
return 1`;

/**
 * Says which process does what one can do for all of them: the first that asks in each period. Nothing is held: a
 * process that dies is followed by the next one that asks, within a period. Redis only spares work: without it every process does
 * its own, which all of this work bears (docs/decisions/0038).
 */
@Injectable()
export class LeaderGate {
  constructor(private readonly redis: RedisLink) {}

  /**
   * Whether this process does it this time.
   * @param task its name; the processes that share it use the same
   * @param everyMs its period, milliseconds: so often it is done by all processes together
   */
  async isMine(task: string, everyMs: number): Promise<boolean> {
    const { client, prefix } = this.redis;
    const marked = await this.redis.answer(async () => {
      const reply = await client.set(`${prefix}:duty:${task}`, '', 'PX', Math.round(everyMs * MARKED_SHARE), 'NX');
      return reply === 'OK';
    });
    return marked ?? true;
  }

  /** How many events of a name have been seen to so far, by all processes; null = Redis is away. */
  async seenTo(event: string): Promise<number | null> {
    const { client, prefix } = this.redis;
    return this.redis.answer(async () => Number((await client.get(`${prefix}:events:${event}`)) ?? 0));
  }

  /**
   * Whether this process sees to an event that others may have seen too: the first one that asks, with the same count.
   * @param count what `seenTo` has said before there was the event
   */
  async isNext(event: string, count: number | null): Promise<boolean> {
    const { client, prefix } = this.redis;
    if (count === null) return true;
    const isFirst = await this.redis.answer(
      async () => (await client.eval(ADVANCE, 1, `${prefix}:events:${event}`, count)) === 1,
    );
    return isFirst ?? true;
  }
}

/** How early or late a tick may come: whose tick comes first changes, and a busy process is soon followed by an idle one. */
export const JITTER = 0.15;

/** What a shared task is made of. */
export interface SharedTaskTerms {
  /** the processes that share it use the same */
  name: string;
  /** so often it is done by all processes together, milliseconds */
  everyMs: number;
  /** bears being done by two processes at once: that happens without Redis, and when it takes longer than the period */
  work: () => Promise<void>;
  /** is given what a run has rejected with */
  onFault: (error: unknown) => void;
}

/**
 * Something that is done again and again by one process for all (`LeaderGate`). A process that is still at it leaves the
 * next time to the others.
 */
export class SharedTask extends PeriodicTask {
  constructor(gate: LeaderGate, { name, everyMs, work, onFault }: SharedTaskTerms) {
    super(everyMs, async () => ((await gate.isMine(name, everyMs)) ? work() : undefined), onFault, JITTER);
  }
}
