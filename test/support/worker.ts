import { Test, type TestingModule } from '@nestjs/testing';
import { WorkerModule } from '../../src/apps/worker/worker.module.js';
import { CHANNELS } from '../../src/modules/channels/index.js';
import type { OwnChannels } from './api.js';
import { ENVIRONMENT, type Environment } from '../../src/platform/config/index.js';

/** A worker on the database and Redis of an API, as another process would be; `close()` is its SIGTERM. */
export async function startWorker(environment: Environment, channels?: OwnChannels): Promise<TestingModule> {
  const all = [...CHANNELS, ...(channels?.channels ?? [])];
  const module = await Test.createTestingModule({ imports: [WorkerModule.of(all)] })
    .overrideProvider(ENVIRONMENT)
    .useValue(environment)
    .compile();
  return module.init();
}
