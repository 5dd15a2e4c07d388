import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { InvalidEnvironment, readEnvironment } from '../../platform/config/index.js';
import { ExpressServer } from '../../platform/http/index.js';
import { collectStartGarbage, stopProcessBySignal } from '../../platform/observability/index.js';
import { ApiModule, configureApi, STOP_MS, stopGracefully } from './api.module.js';
import { preparationFault, prepareDatabase } from './prepare-database.js';
import { SandboxChat } from './sandbox-setup.js';

// `--prepare` does what `prepare.js` does, and saves a process where a single API starts, as under `npm start`.
async function prepareHere(): Promise<void> {
  const lines = await prepareDatabase().catch((error: unknown) => {
    throw new NotPrepared(preparationFault(error));
  });
  for (const line of lines) process.stdout.write(`${line}\n`);
  process.stdout.write(`${JSON.stringify({ prepared: 'api' })}\n`);
}

async function main(): Promise<void> {
  readEnvironment(); // a bad value stops the start before anything is opened
  if (process.argv.includes('--prepare')) await prepareHere();
  const app = await NestFactory.create<NestExpressApplication>(ApiModule, new ExpressServer(), {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false,
  });
  const environment = configureApi(app);
  stopProcessBySignal(() => stopGracefully(app, environment), environment.SHUTDOWN_DELAY + STOP_MS);
  await app.listen(environment.PORT, environment.HOST);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const host = environment.HOST === '0.0.0.0' ? '127.0.0.1' : environment.HOST;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const ready = { ready: 'api', url, ...(environment.DOCS ? { docs: `${url}/docs` } : {}) };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  collectStartGarbage();
  await app.get(SandboxChat).announce();
}

class NotPrepared extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof InvalidEnvironment || error instanceof NotPrepared) return error.message;
  const { code, message, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is already in use; choose another one with PORT`;
  if (code === 'EACCES') return `Port ${port} needs privileges; choose another one with PORT`;
  return `The API could not start: ${message}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(1);
});
