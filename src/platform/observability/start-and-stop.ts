import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';

/** Whether the process has begun to stop: `/health/ready` then answers 503, and answers end their connections. */
@Injectable()
export class Drain {
  /** answers under way, in slots that stay where they are: a Set through which each passes makes them old (docs/decisions/0065) */
  private readonly open: (ServerResponse | null)[] = [];
  private readonly free: number[] = [];
  private stopping = false;

  get begun(): boolean {
    return this.stopping;
  }

  /**
   * From now on each answer ends its connection, also those under way, so that clients with kept connections go to
   * another instance by themselves instead of meeting a closed one.
   */
  begin(): void {
    this.stopping = true;
    for (const response of this.open) if (response) endConnection(response);
  }

  /** Every request passes here. */
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

/** A request that still runs so long after the last one was accepted is given up. */
export const DRAIN_MS = 30_000;
const SWEEP_MS = 100;

/**
 * Ends a server without failing a request: readiness goes off and every answer ends its connection, after `delayMs`
 * (`SHUTDOWN_DELAY`) nothing new is accepted, and what runs is finished, in 30 s at most.
 */
export async function drainServer(server: Server, drain: Drain, delayMs: number): Promise<void> {
  drain.begin();
  await sleep(delayMs);
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // Answers that had begun to stream before the stop keep their connection, idle, until it is closed.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(sweep);
  clearTimeout(force);
}

/**
 * Ends the process by SIGTERM or SIGINT: with 0 when `stop` is through, with 1 when it fails or takes longer than
 * `mostMs`, whatever it waits for (a database that has fallen silent, a carrier).
 */
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

/** Until then the last of the start is done. */
const AFTER_MS = 3_000;

/**
 * A start leaves as much garbage as a process at rest holds, and a process at rest collects it only after minutes. So it is
 * collected once, where Node was started with `--expose-gc` (`npm start`).
 */
export function collectStartGarbage(): void {
  const { gc } = globalThis;
  if (!gc) return;
  setTimeout(() => {
    gc();
    gc(); // what the first one only aged
  }, AFTER_MS).unref();
}

/**
 * Serves health and metrics of a process that serves nothing else (the worker), from `ObservabilityModule`.
 * @param port 0 = any free one
 * @returns where it listens
 */
export async function startMonitoringServer(app: NestExpressApplication, host: string, port: number): Promise<string> {
  app.useLogger(app.get(Logger));
  app.disable('x-powered-by');
  await app.listen(port, host);
  const address = app.getHttpServer().address() as AddressInfo;
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${address.port}`;
}
