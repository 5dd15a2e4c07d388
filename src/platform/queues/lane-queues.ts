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

  /** @throws when Redis does not answer within 3 s; a job that was added all the same is harmless, its id is its turn */
  async add(queue: QueueName, jobs: readonly LaneJob[]): Promise<void> {
    await within(
      this.get(queue).addBulk(jobs.map((job) => ({ data: job, opts: { jobId: laneJobId(job) } }))),
      ADD_TIMEOUT_MS,
    );
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
