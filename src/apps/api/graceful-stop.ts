import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { Environment } from '../../platform/config/index.js';
import { Drain } from '../../platform/observability/index.js';

const PATIENCE_MS = 30_000;
/** All of it, after `SHUTDOWN_DELAY`: a request that still waits then is given up. */
export const STOP_MS = PATIENCE_MS + 5_000;
const SWEEP_MS = 100;

/**
 * Stops an API without failing a request: readiness goes off and every answer ends its connection, after
 * `SHUTDOWN_DELAY` nothing new is accepted, what runs is finished (30 s at most), then database and Redis are closed.
 */
export async function stopGracefully(app: INestApplication, environment: Environment): Promise<void> {
  app.get(Drain).begin();
  await sleep(environment.SHUTDOWN_DELAY);
  const server = app.getHttpServer() as Server;
  const force = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
  // Answers that had begun to stream before the stop keep their connection, idle, until it is closed.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(sweep);
  clearTimeout(force);
  await app.close();
}
