import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';

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
