import { Injectable } from '@nestjs/common';
import { PeriodicTask } from '../concurrency/index.js';
import { RedisLink } from '../redis/index.js';

/** Shorter than the period, so that the mark of a lone process has expired at its next tick. */
const MARKED_SHARE = 0.8;

/** Increments a count unless another process has; a count that Redis has lost restarts from the caller's. */
const ADVANCE = `
local count = redis.call('GET', KEYS[1])
if count and count ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1] + 1)
return 1`;

/** Gives a leader task to the first process in each period; without Redis all run it (docs/decisions/0038). */
@Injectable()
export class LeaderGate {
  constructor(private readonly redis: RedisLink) {}

  /** Whether this process runs the task now. @param task shared name @param everyMs period over all processes, milliseconds */
  async isMine(task: string, everyMs: number): Promise<boolean> {
    const { client, prefix } = this.redis;
    const marked = await this.redis.answer(async () => {
      const reply = await client.set(`${prefix}:duty:${task}`, '', 'PX', Math.round(everyMs * MARKED_SHARE), 'NX');
      return reply === 'OK';
    });
    return marked ?? true;
  }

  /** Number of handled events of a name, over all processes; null = Redis is away. */
  async seenTo(event: string): Promise<number | null> {
    const { client, prefix } = this.redis;
    return this.redis.answer(async () => Number((await client.get(`${prefix}:events:${event}`)) ?? 0));
  }

  /** Whether this process handles an event: the first with this count. @param count result of `seenTo` before the event */
  async isNext(event: string, count: number | null): Promise<boolean> {
    const { client, prefix } = this.redis;
    if (count === null) return true;
    const isFirst = await this.redis.answer(
      async () => (await client.eval(ADVANCE, 1, `${prefix}:events:${event}`, count)) === 1,
    );
    return isFirst ?? true;
  }
}

/** Share of the period: changes the first process, so that an idle one soon replaces a busy one. */
export const JITTER = 0.15;

export interface SharedTaskTerms {
  /** shared by the processes that do it */
  name: string;
  /** period over all processes, milliseconds */
  everyMs: number;
  /** must be safe in two processes at once: without Redis, or when longer than the period */
  work: () => Promise<void>;
  /** receives the rejection of a run */
  onFault: (error: unknown) => void;
}

/** Repeats work in one process for all (`LeaderGate`). A process whose run is active leaves the next one to others. */
export class SharedTask extends PeriodicTask {
  constructor(gate: LeaderGate, { name, everyMs, work, onFault }: SharedTaskTerms) {
    super(everyMs, async () => ((await gate.isMine(name, everyMs)) ? work() : undefined), onFault, JITTER);
  }
}
