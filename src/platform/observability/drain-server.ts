import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Drain } from './drain.js';

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
