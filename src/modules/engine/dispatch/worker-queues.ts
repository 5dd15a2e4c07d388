import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment, InvalidEnvironment } from '../../../platform/config/index.js';
import type { Channel } from '../channel.js';
import { Channels } from '../channels.js';

/** Whose queues this worker serves: those of `WORKER_QUEUES`, which bear the channels' names; default all. */
@Injectable()
export class WorkerQueues {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly channels: Channels,
  ) {}

  /** @throws InvalidEnvironment naming a queue that does not exist */
  get served(): readonly Channel[] {
    const wanted = this.environment.WORKER_QUEUES;
    const wrong = wanted.filter((name) => !this.channels.find(name));
    if (wrong.length > 0) {
      const known = this.channels.names.join(', ');
      throw new InvalidEnvironment(`WORKER_QUEUES: no such queue: ${wrong.join(', ')}; there are ${known}`);
    }
    return this.channels.all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  }

  get names(): string[] {
    return this.served.map(({ name }) => name);
  }
}
