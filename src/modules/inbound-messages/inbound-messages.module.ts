import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountDirectoryModule, AccountsModule } from '../accounts/index.js';
import { NumberSendersModule } from '../campaigns/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { EngineModule } from '../engine/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { InboundSink, RoutesModule } from '../providers/index.js';
import { SenderIdsModule } from '../sender-ids/index.js';
import { SuppressionListModule } from '../suppressions/index.js';
import { Decisions } from './reception/decisions.js';
import { RequestIds } from './reception/events.js';
import { InboundAlarms } from './reception/inbound-alarms.store.js';
import { AssignInboundMessageHandler, ReplyToInboundMessageHandler } from './inbound-messages.commands.js';
import { InboundMessagesController } from './inbound-messages.controller.js';
import {
  FindInboundMessageHandler,
  FindRouteByNameHandler,
  ListInboundMessagesHandler,
  ReviewInboundMessagesHandler,
} from './inbound-messages.queries.js';
import { InboundMessageStore } from './reception/inbound-messages.store.js';
import { AddInboundNumberHandler, RemoveInboundNumberHandler } from './numbers/inbound-numbers.commands.js';
import { FindInboundNumberOwnerHandler, ListInboundNumbersHandler } from './numbers/inbound-numbers.queries.js';
import { InboundNumbers } from './numbers/inbound-numbers.store.js';
import { InboundReader } from './inbound-reads.store.js';
import { Ownership } from './reception/ownership.js';
import { InboundParts } from './reception/parts.store.js';
import { InboundReception } from './reception/reception.js';
import { LateTexts, Replies } from './replies.js';
import { InboundNumbersController, StaffInboundMessagesController } from './staff-inbound-messages.controller.js';

/** Takes texts in every process that has carriers. Global: the providers call `InboundSink`, but may not import this module. */
@Global()
@Module({
  imports: [
    AccountDirectoryModule,
    CustomerEventsModule,
    EngineModule,
    NumberSendersModule,
    RoutesModule,
    SuppressionListModule,
  ],
  providers: [
    InboundMessageStore,
    InboundParts,
    Ownership,
    RequestIds,
    Decisions,
    InboundReception,
    InboundAlarms,
    Replies,
    { provide: InboundSink, useExisting: InboundReception },
  ],
  exports: [InboundSink, InboundReception, RequestIds, InboundAlarms, Replies],
})
export class InboundReceptionModule {}

/** In the API: texts, replies, and what staff do with them. */
@Module({
  imports: [CqrsModule, AccountsModule, IdempotencyModule, SenderIdsModule, RoutesModule, InboundReceptionModule],
  controllers: [InboundMessagesController, StaffInboundMessagesController, InboundNumbersController],
  providers: [
    InboundReader,
    InboundNumbers,
    ListInboundMessagesHandler,
    FindInboundMessageHandler,
    ReviewInboundMessagesHandler,
    FindRouteByNameHandler,
    ReplyToInboundMessageHandler,
    AssignInboundMessageHandler,
    AddInboundNumberHandler,
    RemoveInboundNumberHandler,
    FindInboundNumberOwnerHandler,
    ListInboundNumbersHandler,
  ],
})
export class InboundMessagesModule {}

/** In the worker: automatic answers, owners that become known, parts that came too late. */
@Module({ imports: [AccountDirectoryModule, InboundReceptionModule], providers: [LateTexts] })
export class InboundMessagesWorkerModule {}
