import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Logger } from 'nestjs-pino';
import { FrontModule, FrontRequests } from '../../modules/cells/index.js';
import { InvalidEnvironment, readFrontEnvironment } from '../../platform/config/index.js';
import { createHttpServer } from '../../platform/http/index.js';
import {
  collectStartGarbage,
  Drain,
  DRAIN_MS,
  drainServer,
  stopProcessBySignal,
} from '../../platform/observability/index.js';

const CLOSE_MS = 5_000;

// The front routes each request to the cell of its account.
async function main(): Promise<void> {
  const environment = readFrontEnvironment();
  const app = await NestFactory.createApplicationContext(FrontModule.of(environment), { bufferLogs: true });
  app.useLogger(app.get(Logger));
  const requests = app.get(FrontRequests);
  const server = createHttpServer((request, response) => void requests.handle(request, response));
  const { HOST, PORT, SHUTDOWN_DELAY } = environment;
  stopProcessBySignal(() => stop(app, server, SHUTDOWN_DELAY), SHUTDOWN_DELAY + DRAIN_MS + CLOSE_MS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(PORT, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  process.stdout.write(`${JSON.stringify({ ready: 'front', url })}\n`);
  collectStartGarbage();
}

async function stop(app: INestApplicationContext, server: Server, delay: number): Promise<void> {
  await drainServer(server, app.get(Drain), delay);
  await app.close();
}

main().catch((error: unknown) => {
  const reason = error instanceof InvalidEnvironment ? error.message : `The front could not start: ${String(error)}`;
  process.stderr.write(`${reason}\n`);
  process.exit(1);
});
