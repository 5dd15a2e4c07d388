import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Logger } from 'nestjs-pino';
import { FrontModule, FrontRequests } from '../../modules/front/index.js';
import { InvalidEnvironment, readFrontEnvironment } from '../../platform/config/index.js';
import { setTimeouts } from '../../platform/http/index.js';
import { collectStartGarbage, Drain, stopProcessBySignal } from '../../platform/observability/index.js';

const PATIENCE_MS = 30_000;
const SWEEP_MS = 100;
const CLOSE_MS = 5_000;

/** The front of several cells: it hands each request to the cell of its account. */
async function main(): Promise<void> {
  const environment = readFrontEnvironment();
  const app = await NestFactory.createApplicationContext(FrontModule.of(environment), { bufferLogs: true });
  app.useLogger(app.get(Logger));
  const requests = app.get(FrontRequests);
  const server = createServer((request, response) => void requests.handle(request, response));
  setTimeouts(server);
  const { HOST, PORT, SHUTDOWN_DELAY } = environment;
  stopProcessBySignal(() => stop(app, server, SHUTDOWN_DELAY), SHUTDOWN_DELAY + PATIENCE_MS + CLOSE_MS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(PORT, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  process.stdout.write(`${JSON.stringify({ ready: 'front', url })}\n`);
  collectStartGarbage();
}

/** As an API stops: readiness goes off, then nothing new is accepted, what runs is finished, and the rest is closed. */
async function stop(app: INestApplicationContext, server: Server, delay: number): Promise<void> {
  app.get(Drain).begin();
  await sleep(delay);
  const force = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(sweep);
  clearTimeout(force);
  await app.close();
}

main().catch((error: unknown) => {
  const reason = error instanceof InvalidEnvironment ? error.message : `The front could not start: ${String(error)}`;
  process.stderr.write(`${reason}\n`);
  process.exit(1);
});
