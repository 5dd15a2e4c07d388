import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment, InvalidEnvironment } from '../../../platform/config/index.js';
import { QUEUE_NAMES, type QueueName } from '../../../platform/queues/index.js';
import { ChannelRegistry } from '../channel-registry.js';

/** Which queues this worker serves: `WORKER_QUEUES`, default all whose channel is registered. */
@Injectable()
export class WorkerQueues {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly registry: ChannelRegistry,
  ) {}

  /** @throws InvalidEnvironment naming a queue that does not exist */
  get channels(): QueueName[] {
    const wanted = this.environment.WORKER_QUEUES;
    const wrong = wanted.filter((name) => !QUEUE_NAMES.some((queue) => queue === name));
    if (wrong.length > 0) {
      throw new InvalidEnvironment(
        `WORKER_QUEUES: no such queue: ${wrong.join(', ')}; there are ${QUEUE_NAMES.join(', ')}`,
      );
    }
    return this.registry.names().filter((name) => wanted.length === 0 || wanted.includes(name));
  }
}
