import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ExpressServer } from '../../platform/http/index.js';
import { isGraphPath } from './chat/graph-request.js';
import { GraphServer } from './chat/graph-server.js';
import { SandboxModule } from './sandbox.module.js';
import { SmppCarrier } from './smpp/smpp-carrier.js';
import { isTelephonePath, TelephoneServer } from './voice/telephone-server.js';

/** A running sandbox. */
export interface Sandbox {
  /** of gateway, chat upstream, telephone network, ledger and faults */
  url: string;
  smppPort: number;
  stop(): Promise<void>;
}

/** Starts the carriers on 127.0.0.1. @param ports 0 = any free one */
export async function startSandbox(ports: { http: number; smpp: number }): Promise<Sandbox> {
  const host = '127.0.0.1';
  const app = await NestFactory.create<NestExpressApplication>(SandboxModule, new ExpressServer(), {
    logger: ['error', 'warn'],
  });
  app.disable('x-powered-by');
  app.useBodyParser('json', { limit: '1mb' });
  const carrier = app.get(SmppCarrier);
  const smppPort = await carrier.listen(ports.smpp, host);
  await app.listen(ports.http, host);
  const server = app.getHttpServer();
  upstreamsFirst(server, app.get(GraphServer), app.get(TelephoneServer));
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

/** Hands the paths of chat upstream and telephone network to them before the framework sees them. */
function upstreamsFirst(server: Server, chat: GraphServer, telephone: TelephoneServer): void {
  const framework = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (isGraphPath(request.url)) void chat.handle(request, response);
    else if (isTelephonePath(request.url)) void telephone.handle(request, response);
    else for (const listener of framework) listener(request, response);
  });
}
