import { getQueueToken } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Queue } from 'bull';
import { within } from '../../kernel/within.js';
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
    const adding = bull.addBulk(jobs.map((job) => ({ data: job, opts: { jobId: laneJobId(job) } })));
    if ((await within(ADD_TIMEOUT_MS, adding)) === null) throw new Error('Redis did not answer');
  }

  get(queue: QueueName): Queue<LaneJob> {
    return this.moduleRef.get<Queue<LaneJob>>(getQueueToken(queue), { strict: false });
  }
}
