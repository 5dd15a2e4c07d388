import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OutboundModule } from '../../platform/outbound/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { AcceptCallCallbackHandler } from './commands/accept-call-callback.command.js';
import { AcceptChatCallbackHandler } from './commands/accept-chat-callback.command.js';
import { AcceptProviderCallbackHandler } from './commands/accept-provider-callback.command.js';
import { BindKeeper } from './binds/bind-keeper.js';
import { DriverRegistry } from './driver-registry.js';
import { BusinessProfileClient } from './drivers/meta-cloud/business-profile.js';
import { MetaCloudClient } from './drivers/meta-cloud/graph-client.js';
import { TemplateClient } from './drivers/meta-cloud/templates.js';
import { CallCallbacksController } from './http/call-callbacks.controller.js';
import { ChatCallbacksController } from './http/chat-callbacks.controller.js';
import { ProviderCallbacksController } from './http/provider-callbacks.controller.js';
import { ChatAccounts } from './persistence/chat-accounts.js';
import { ChatContactEntity, ChatInboundMessageEntity, ChatWindowEntity } from './persistence/chat-inbound.entities.js';
import { ChatInbox } from './persistence/chat-inbox.js';
import { ChatContacts } from './persistence/chat-contacts.js';
import { ChatWindows } from './persistence/chat-windows.js';
import { RouteDirectory } from './persistence/route-directory.js';
import { RouteBindEntity } from './persistence/route-bind.entity.js';
import { RouteBinds } from './persistence/route-binds.js';
import { RouteStateEntity } from './persistence/route-state.entity.js';
import { RouteEntity } from './persistence/route.entity.js';
import { VerifyChatCallbackHandler } from './queries/verify-chat-callback.query.js';
import { RouteConnections } from './route-connections.js';
import { RouteHealthBoard } from './route-health.js';
import { RouteStandings } from './route-standings.js';
import { RouteStateKeeper } from './route-state-keeper.js';
import { RouteStates } from './persistence/route-states.js';
import { RouteLogins } from './route-logins.js';

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
      ChatInboundMessageEntity,
      ChatWindowEntity,
    ]),
    OutboundModule,
  ],
  providers: ROUTES,
  exports: ROUTES,
})
export class RoutesModule {}

/**
 * API: routes, and the carriers' HTTP callbacks. `ReceiptSink` comes from the campaigns module, `TemplateStatusSink` from the
 * templates module, `CallScripts` from the voice module and `InboundSink` from the suppressions module, which are global.
 */
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
