import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ExpressServer } from '../../platform/http/index.js';
import { OutboundClient } from '../../platform/outbound/index.js';
import { CarrierLedger } from './carrier-ledger.js';
import { ChatAccountBook, ChatInbound } from './chat/chat-accounts.js';
import { ChatMessages, StatusFeed } from './chat/chat-messages.js';
import { ChatProfiles, ChatUploads } from './chat/chat-profiles.js';
import { isGraphPath } from './chat/graph-request.js';
import { GraphServer } from './chat/graph-server.js';
import { TemplateReviews } from './chat/templates.js';
import {
  ChatConsoleController,
  FaultsController,
  HandsetsController,
  LedgerController,
  VoiceConsoleController,
} from './console.controller.js';
import { Faults } from './faults.js';
import { CallbackSender } from './http-exchange.js';
import { GatewayController, HttpGateway } from './http-gateway.js';
import { SmppCarrier } from './smpp/smpp-carrier.js';
import { CallPerformer, Clips, NetworkRequests } from './voice/call-performer.js';
import { Callees } from './voice/calls.js';
import { TelephoneNetwork } from './voice/telephone-network.js';
import { isTelephonePath, TelephoneServer } from './voice/telephone-server.js';

/** Carriers for development and tests: an SMSC, an HTTP gateway, the chat provider and a voice carrier, with one ledger. */
@Module({
  controllers: [
    GatewayController,
    LedgerController,
    FaultsController,
    ChatConsoleController,
    VoiceConsoleController,
    HandsetsController,
  ],
  providers: [
    CarrierLedger,
    Faults,
    SmppCarrier,
    HttpGateway,
    CallbackSender,
    ChatAccountBook,
    ChatInbound,
    StatusFeed,
    ChatMessages,
    ChatProfiles,
    ChatUploads,
    TemplateReviews,
    GraphServer,
    Callees,
    Clips,
    NetworkRequests,
    CallPerformer,
    TelephoneNetwork,
    TelephoneServer,
    { provide: OutboundClient, useFactory: () => new OutboundClient({ OUTBOUND_ALLOW: '' }) },
  ],
})
class SandboxModule {}

export interface Sandbox {
  url: string;
  smppPort: number;
  stop(): Promise<void>;
}

/** Starts the carriers on 127.0.0.1; port 0 = any free one. */
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
  carriersFirst(server, app.get(GraphServer), app.get(TelephoneServer));
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

// Chat and voice requests bypass the framework, which would slow measurements.
function carriersFirst(server: Server, chat: GraphServer, telephone: TelephoneServer): void {
  const framework = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (isGraphPath(request.url)) void chat.handle(request, response);
    else if (isTelephonePath(request.url)) void telephone.handle(request, response);
    else for (const listener of framework) listener(request, response);
  });
}
