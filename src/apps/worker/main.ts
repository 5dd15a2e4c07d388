import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { CHANNELS } from '../../modules/channels/index.js';
import { InvalidEnvironment, readEnvironment } from '../../platform/config/index.js';
import { ExpressServer } from '../../platform/http/index.js';
import { collectStartGarbage, startMonitoringServer, stopProcessBySignal } from '../../platform/observability/index.js';
import { WorkerModule } from './worker.module.js';

// Time to close after the last batch.
const CLOSE_MS = 10_000;

// SIGTERM drains: batches under way settle, then the process ends with 0. After a lease (the database does not answer)
// unsettled batches are left to the worker that claims the lane next.
async function main(): Promise<void> {
  const environment = readEnvironment();
  const app = await NestFactory.create<NestExpressApplication>(WorkerModule.of(CHANNELS), new ExpressServer(), {
    bufferLogs: true,
    bodyParser: false,
    abortOnError: false, // `catch` below prints one line instead
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
