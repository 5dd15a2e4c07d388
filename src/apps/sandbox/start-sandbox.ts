import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { isGraphPath } from './chat/graph-request.js';
import { GraphServer } from './chat/graph-server.js';
import { SandboxModule } from './sandbox.module.js';
import { SmppCarrier } from './smpp/smpp-carrier.js';

/** A running sandbox. */
export interface Sandbox {
  /** of gateway, chat upstream, ledger and faults */
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
  const server = app.getHttpServer();
  chatFirst(server, app.get(GraphServer));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    smppPort,
    stop: async () => {
      await carrier.close();
      server.closeAllConnections();
      await app.close();
    },
  };
}

/** Hands the chat upstream's paths to it before the framework sees them. */
function chatFirst(server: Server, chat: GraphServer): void {
  const framework = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (isGraphPath(request.url)) void chat.handle(request, response);
    else for (const listener of framework) listener(request, response);
  });
}
