import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { InvalidEnvironment, readEnvironment } from '../../platform/config/index.js';
import { startMonitoringServer } from '../../platform/observability/index.js';
import { WorkerModule } from './worker.module.js';

/** A worker process. SIGTERM drains it: windows under way settle, then it ends with 0. */
async function main(): Promise<void> {
  const environment = readEnvironment();
  const app = await NestFactory.create<NestExpressApplication>(WorkerModule, { bufferLogs: true, bodyParser: false });
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void app.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const url = await startMonitoringServer(app, environment.HOST, environment.WORKER_PORT);
  process.stdout.write(`${JSON.stringify({ ready: 'worker', monitoring: url })}\n`);
}

main().catch((error: unknown) => {
  const reason = error instanceof InvalidEnvironment ? error.message : `The worker could not start: ${String(error)}`;
  process.stderr.write(`${reason}\n`);
  process.exit(1);
});
