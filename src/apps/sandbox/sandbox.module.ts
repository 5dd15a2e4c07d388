import { Module } from '@nestjs/common';
import { OutboundClient } from '../../platform/outbound/index.js';
import { CarrierLedger } from './carrier/carrier-ledger.js';
import { Faults } from './carrier/faults.js';
import { ChatAccountBook } from './chat/chat-accounts.js';
import { ChatConsoleController } from './chat/chat-console.controller.js';
import { ChatInbound } from './chat/chat-inbound.js';
import { ChatMessages } from './chat/chat-messages.js';
import { ChatProfiles } from './chat/chat-profiles.js';
import { GraphServer } from './chat/graph-server.js';
import { StatusFeed } from './chat/status-feed.js';
import { TemplateReviews } from './chat/template-reviews.js';
import { ChatUploads } from './chat/uploads.js';
import { CallbackSender } from './http/callback-sender.js';
import { FaultsController } from './http/faults.controller.js';
import { GatewayController } from './http/gateway.controller.js';
import { HttpGateway } from './http/http-gateway.js';
import { LedgerController } from './http/ledger.controller.js';
import { HandsetsController } from './smpp/handsets.controller.js';
import { SmppCarrier } from './smpp/smpp-carrier.js';
import { CallPerformer } from './voice/call-performer.js';
import { Callees } from './voice/callees.js';
import { Clips } from './voice/clips.js';
import { NetworkRequests } from './voice/network-requests.js';
import { TelephoneNetwork } from './voice/telephone-network.js';
import { TelephoneServer } from './voice/telephone-server.js';
import { VoiceConsoleController } from './voice/voice-console.controller.js';

/** The carriers of development and tests: an SMSC, an HTTP gateway, the chat upstream and the telephone network, with one ledger. */
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
export class SandboxModule {}
