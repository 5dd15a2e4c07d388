import { getQueueToken } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Queue } from 'bull';
import { type LaneJob, laneJobId, type QueueName } from './queues.js';

const ADD_TIMEOUT_MS = 3_000;

/** Puts lanes at the tail of their queue. */
@Injectable()
export class LaneQueues {
  constructor(private readonly moduleRef: ModuleRef) {}

  /** @throws at once while Redis is away, and when it does not answer within 3 s; a job that was added all the same is harmless, its id is its turn */
  async add(queue: QueueName, jobs: readonly LaneJob[]): Promise<void> {
    const bull = this.get(queue);
    // Without a connection ioredis would keep every command in memory until there is one again.
    if (bull.client.status !== 'ready') throw new Error('Redis is not connected');
    await within(bull.addBulk(jobs.map((job) => ({ data: job, opts: { jobId: laneJobId(job) } }))), ADD_TIMEOUT_MS);
  }

  get(queue: QueueName): Queue<LaneJob> {
    return this.moduleRef.get<Queue<LaneJob>>(getQueueToken(queue), { strict: false });
  }
}

async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Redis did not answer')), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined); // a late failure has been answered by the time-out already
  }
}
