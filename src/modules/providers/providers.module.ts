import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OutboundModule } from '../../platform/outbound/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import {
  AcceptCallCallbackHandler,
  AcceptChatCallbackHandler,
  AcceptProviderCallbackHandler,
} from './callbacks.commands.js';
import { BindKeeper } from './binds/bind-keeper.js';
import { DriverRegistry, RouteLogins } from './driver-registry.js';
import { BusinessProfileClient } from './drivers/meta-cloud/business-profile.js';
import { MetaCloudClient } from './drivers/meta-cloud/graph-client.js';
import { TemplateClient } from './drivers/meta-cloud/templates.js';
import {
  CallCallbacksController,
  ChatCallbacksController,
  ProviderCallbacksController,
} from './callbacks.controller.js';
import { ChatAccounts } from './chat-accounts.store.js';
import {
  ChatContactEntity,
  ChatNoticeCountEntity,
  ChatNoticeEntity,
  ChatInboundMessageEntity,
  ChatWindowEntity,
  RouteBindEntity,
  RouteStateEntity,
  RouteEntity,
} from './tables.js';
import { ChatNotices } from './chat/chat-notices.store.js';
import { ChatInbox, ChatContacts, ChatWindows } from './chat-inbox.store.js';
import { ChatNumberPairs } from './chat-number-pairs.store.js';
import { RouteDirectory } from './routes.store.js';
import { RouteBinds } from './binds/route-binds.store.js';
import { VerifyChatCallbackHandler } from './callbacks.queries.js';
import { RouteConnections } from './route-connections.js';
import { RouteHealthBoard } from './route-health.js';
import { RouteStandings, RouteStateKeeper, RouteStates } from './route-standings.js';

const ROUTES = [
  RouteBinds,
  RouteDirectory,
  RouteHealthBoard,
  RouteLogins,
  RouteStandings,
  RouteStates,
  DriverRegistry,
  ChatAccounts,
  ChatContacts,
  ChatNumberPairs,
  ChatNotices,
  ChatWindows,
  MetaCloudClient,
  BusinessProfileClient,
  TemplateClient,
];

/** Routes, chat accounts and drivers, for every process. */
@Module({
  imports: [
    TypeOrmModule.forFeature([
      RouteEntity,
      RouteBindEntity,
      RouteStateEntity,
      ChatContactEntity,
      ChatNoticeCountEntity,
      ChatNoticeEntity,
      ChatInboundMessageEntity,
      ChatWindowEntity,
    ]),
    OutboundModule,
  ],
  providers: ROUTES,
  exports: ROUTES,
})
export class RoutesModule {}

/** API: routes and callbacks. Global modules provide `ReceiptSink`, `TemplateStatusSink`, `CallScripts`, `InboundSink`, `ConsentSink`. */
@Module({
  imports: [CqrsModule, CustomerEventsModule, RoutesModule],
  controllers: [ProviderCallbacksController, ChatCallbacksController, CallCallbacksController],
  providers: [
    AcceptProviderCallbackHandler,
    AcceptChatCallbackHandler,
    VerifyChatCallbackHandler,
    AcceptCallCallbackHandler,
    ChatInbox,
    RouteStateKeeper,
  ],
  exports: [RoutesModule],
})
export class ProvidersModule {}

/** Worker: routes, and the connections to the carriers. */
@Module({
  imports: [RoutesModule],
  providers: [RouteConnections, BindKeeper],
  exports: [RoutesModule, RouteConnections],
})
export class ProvidersWorkerModule {}
