import { Module } from '@nestjs/common';
import { OutboundClient } from '../../platform/outbound/index.js';
import { CarrierLedger } from './carrier/carrier-ledger.js';
import { Faults } from './carrier/faults.js';
import { ChatAccountBook } from './chat/chat-accounts.js';
import { ChatDeskController } from './chat/chat-desk.controller.js';
import { ChatInbound } from './chat/chat-inbound.js';
import { ChatMessages } from './chat/chat-messages.js';
import { ChatProfiles } from './chat/chat-profiles.js';
import { GraphServer } from './chat/graph-server.js';
import { StatusFeed } from './chat/status-feed.js';
import { TemplateDesk } from './chat/template-desk.js';
import { ChatUploads } from './chat/uploads.js';
import { CallbackSender } from './http/callback-sender.js';
import { FaultsController } from './http/faults.controller.js';
import { GatewayController } from './http/gateway.controller.js';
import { HttpGateway } from './http/http-gateway.js';
import { LedgerController } from './http/ledger.controller.js';
import { SmppCarrier } from './smpp/smpp-carrier.js';

/** The carriers of development and tests: an SMSC, an HTTP gateway and the chat upstream, with one ledger. */
@Module({
  controllers: [GatewayController, LedgerController, FaultsController, ChatDeskController],
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
    TemplateDesk,
    GraphServer,
    { provide: OutboundClient, useFactory: () => new OutboundClient({ OUTBOUND_ALLOW: '' }) },
  ],
})
export class SandboxModule {}
