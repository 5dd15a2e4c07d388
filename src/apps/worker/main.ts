import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { CHANNELS } from '../../modules/channels/index.js';
import { InvalidEnvironment, readEnvironment } from '../../platform/config/index.js';
import { ExpressServer } from '../../platform/http/index.js';
import { collectStartGarbage, startMonitoringServer, stopProcessBySignal } from '../../platform/observability/index.js';
import { WorkerModule } from './worker.module.js';

/** What closing takes besides the work under way. */
const CLOSE_MS = 10_000;

/**
 * A worker process. SIGTERM drains it: windows under way settle, then it ends with 0. What cannot be settled within a
 * lease (the database is silent) is left to the worker that takes the lane next.
 */
async function main(): Promise<void> {
  const environment = readEnvironment();
  const app = await NestFactory.create<NestExpressApplication>(WorkerModule.of(CHANNELS), new ExpressServer(), {
    bufferLogs: true,
    bodyParser: false,
    abortOnError: false, // the one line below says what is wrong
  });
  stopProcessBySignal(() => app.close(), Math.max(environment.LANE_LEASE, environment.WEBHOOK_TIMEOUT) + CLOSE_MS);
  const url = await startMonitoringServer(app, environment.HOST, environment.WORKER_PORT);
  process.stdout.write(`${JSON.stringify({ ready: 'worker', monitoring: url })}\n`);
  collectStartGarbage();
}

main().catch((error: unknown) => {
  const reason = error instanceof InvalidEnvironment ? error.message : `The worker could not start: ${String(error)}`;
  process.stderr.write(`${reason}\n`);
  process.exit(1);
});
