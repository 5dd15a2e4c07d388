import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import type { Environment } from '../../platform/config/index.js';
import { Drain, DRAIN_MS, drainServer } from '../../platform/observability/index.js';

/** All of it, after `SHUTDOWN_DELAY`: a request that still waits then is given up. */
export const STOP_MS = DRAIN_MS + 5_000;

/** Stops an API without failing a request, then closes database and Redis. */
export async function stopGracefully(app: INestApplication, environment: Environment): Promise<void> {
  await drainServer(app.getHttpServer() as Server, app.get(Drain), environment.SHUTDOWN_DELAY);
  await app.close();
}
