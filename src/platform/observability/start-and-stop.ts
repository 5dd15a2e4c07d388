import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';

/** Whether the process is stopping: then `/health/ready` answers 503 and answers close their connections. */
@Injectable()
export class Drain {
  /** pending answers, in reused slots: a Set would promote each to V8's old generation (docs/decisions/0065) */
  private readonly open: (ServerResponse | null)[] = [];
  private readonly free: number[] = [];
  private stopping = false;

  get begun(): boolean {
    return this.stopping;
  }

  /** Makes every answer, also a pending one, close its connection, so that clients change to another instance. */
  begin(): void {
    this.stopping = true;
    for (const response of this.open) if (response) endConnection(response);
  }

  watch(response: ServerResponse): void {
    if (this.stopping) return endConnection(response);
    const slot = this.free.pop() ?? this.open.length;
    this.open[slot] = response;
    response.on('close', () => {
      this.open[slot] = null;
      this.free.push(slot);
    });
  }
}

function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** Limit for requests that still run after the last one was accepted. */
export const DRAIN_MS = 30_000;
const SWEEP_MS = 100;

/** Stops a server: readiness off, connections closed with answers; after `delayMs` no new requests; 30 s for running ones. */
export async function drainServer(server: Server, drain: Drain, delayMs: number): Promise<void> {
  drain.begin();
  await sleep(delayMs);
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // Answers that were streaming before the stop keep their connection: close it when idle.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(sweep);
  clearTimeout(force);
}

/** Exits on SIGTERM or SIGINT: 0 after `stop`, 1 when it fails or takes longer than `mostMs`. */
export function stopProcessBySignal(stop: () => Promise<void>, mostMs: number): void {
  let stopping = false;
  const begin = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), mostMs).unref();
    void stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
}

/** Time after which the start is complete. */
const AFTER_MS = 3_000;

/** Collects the garbage of the start, which an idle process keeps for minutes. Needs `--expose-gc` (`npm start`). */
export function collectStartGarbage(): void {
  const { gc } = globalThis;
  if (!gc) return;
  setTimeout(() => {
    gc();
    gc(); // collects objects that the first run only promoted
  }, AFTER_MS).unref();
}

/** Serves health and metrics of a process without another server. @param port 0 = any free one @returns its address */
export async function startMonitoringServer(app: NestExpressApplication, host: string, port: number): Promise<string> {
  app.useLogger(app.get(Logger));
  app.disable('x-powered-by');
  await app.listen(port, host);
  const address = app.getHttpServer().address() as AddressInfo;
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${address.port}`;
}
