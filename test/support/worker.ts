import { Test, type TestingModule } from '@nestjs/testing';
import { WorkerModule } from '../../src/apps/worker/worker.module.js';
import { ENVIRONMENT, type Environment } from '../../src/platform/config/index.js';

/** A worker on the database and Redis of an API, as another process would be; `close()` is its SIGTERM. */
export async function startWorker(environment: Environment): Promise<TestingModule> {
  const module = await Test.createTestingModule({ imports: [WorkerModule] })
    .overrideProvider(ENVIRONMENT)
    .useValue(environment)
    .compile();
  return module.init();
}
