import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SandboxModule } from './sandbox.module.js';
import { SmppCarrier } from './smpp/smpp-carrier.js';

/** A running sandbox. */
export interface Sandbox {
  /** of gateway, ledger and faults */
  url: string;
  smppPort: number;
  stop(): Promise<void>;
}

/** Starts the carriers on 127.0.0.1. @param ports 0 = any free one */
export async function startSandbox(ports: { http: number; smpp: number }): Promise<Sandbox> {
  const host = '127.0.0.1';
  const app = await NestFactory.create<NestExpressApplication>(SandboxModule, { logger: ['error', 'warn'] });
  app.disable('x-powered-by');
  app.useBodyParser('json', { limit: '1mb' });
  const carrier = app.get(SmppCarrier);
  const smppPort = await carrier.listen(ports.smpp, host);
  await app.listen(ports.http, host);
  const { port } = app.getHttpServer().address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    smppPort,
    stop: async () => {
      await carrier.close();
      app.getHttpServer().closeAllConnections();
      await app.close();
    },
  };
}
