import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { InvalidEnvironment, readEnvironment } from '../../platform/config/index.js';
import { stopProcessBySignal } from '../../platform/observability/index.js';
import { ApiModule } from './api.module.js';
import { configureApi } from './configure-api.js';
import { SandboxChat } from './first-start/sandbox-chat.js';
import { STOP_MS, stopGracefully } from './graceful-stop.js';

async function main(): Promise<void> {
  readEnvironment(); // a bad value stops the start before anything is opened
  const app = await NestFactory.create<NestExpressApplication>(ApiModule, {
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
  await app.get(SandboxChat).announce();
}

/** What stopped the start, in one line that an operator can act on. */
function reasonOf(error: unknown): string {
  if (error instanceof InvalidEnvironment) return error.message;
  const { code, message, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is already in use; choose another one with PORT`;
  if (code === 'EACCES') return `Port ${port} needs privileges; choose another one with PORT`;
  return `The API could not start: ${message}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(1);
});
