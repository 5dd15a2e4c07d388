import { OnQueueCompleted, OnQueueError, Process, Processor } from '@nestjs/bull';
import { type FactoryProvider, Logger } from '@nestjs/common';
import type { Job } from 'bull';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import type { TurnJob } from '../../../platform/queues/index.js';
import { WorkerQueues } from '../dispatch/worker-queues.js';
import { TurnProcessor, type TurnResult } from './turn-processor.js';

/** The classes of turns, each with places of its own (`Governor`). */
const CLASSES = 2;

/**
 * The class that serves a queue. Each queue has one, because the queues come from the list of channels.
 * @param concurrency jobs that one worker takes side by side
 */
export function processorFor(queue: string, concurrency: number) {
  @Processor(queue)
  class QueueProcessor {
    readonly logger = new Logger(`${queue} queue`);

    constructor(readonly turns: Pick<TurnProcessor, 'take' | 'completed'>) {}

    @Process({ concurrency })
    take({ data }: Job<TurnJob>): Promise<TurnResult> {
      return this.turns.take(queue, data);
    }

    @OnQueueCompleted()
    completed({ data }: Job<TurnJob>, result: TurnResult): void {
      this.turns.completed(queue, data, result);
    }

    @OnQueueError()
    failed(error: Error): void {
      this.logger.warn({ err: error, queue }, 'queue');
    }
  }
  return QueueProcessor;
}

/** What Nest knows the processor of a queue by. */
export const processorToken = (queue: string): string => `processor of ${queue}`;

/** The processor of a queue, in a worker that serves it (`WORKER_QUEUES`); null in another. */
export const processorProvider = (queue: string): FactoryProvider => ({
  provide: processorToken(queue),
  inject: [ENVIRONMENT, WorkerQueues, TurnProcessor],
  useFactory: ({ WORKER_CONCURRENCY }: Environment, selected: WorkerQueues, turns: TurnProcessor) => {
    if (!selected.names.includes(queue)) return null;
    const QueueProcessor = processorFor(queue, CLASSES * WORKER_CONCURRENCY);
    return new QueueProcessor(turns);
  },
});
