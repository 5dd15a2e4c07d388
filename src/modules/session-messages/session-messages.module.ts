import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDirectoryModule, AccountsModule } from '../accounts/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { GuardModule } from '../guard/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { ProvidersModule, RoutesModule } from '../providers/index.js';
import { TrafficModule } from '../traffic/index.js';
import { MadeSessionMessages } from './made-session-messages.js';
import { ScheduledMessageStore } from './scheduled-messages.store.js';
import { ScheduledSends, SessionFence } from './scheduled-sends.js';
import {
  CancelSessionMessageHandler,
  SendSessionMessageHandler,
  SendV5SessionHandler,
} from './session-messages.commands.js';
import { OwnSessionMessagesController, SessionMessagesController } from './session-messages.controller.js';
import {
  FindSessionMessageHandler,
  ListSessionMessagesHandler,
  RequireChatAccountHandler,
} from './session-messages.queries.js';
import { SessionEvents, SessionMessageStore } from './session-messages.store.js';
import { SessionLog, SessionMessageReader, SessionMessageSearch } from './session-reads.store.js';
import { SessionReceipts, SessionReceiptStore } from './session-receipts.store.js';
import { SessionSender, WindowSends } from './session-sender.js';
import { SessionMessageEntity } from './tables.js';
import { V5SessionController } from './v5-session.controller.js';

const SENDING = [
  SessionEvents,
  SessionMessageStore,
  ScheduledMessageStore,
  SessionReceiptStore,
  SessionSender,
  SessionReceipts,
];

/** Sending, storing and receipts of session messages. The receipt path, where `SessionReceipts` registers, is global. */
@Module({
  imports: [TypeOrmModule.forFeature([SessionMessageEntity]), CustomerEventsModule, RoutesModule, TrafficModule],
  providers: SENDING,
  exports: SENDING,
})
class SessionSendingModule {}

@Module({ providers: [SessionFence], exports: [SessionFence] })
export class SessionFenceModule {}

@Module({
  imports: [CqrsModule, AccountsModule, GuardModule, IdempotencyModule, ProvidersModule, SessionSendingModule],
  providers: [
    SessionLog,
    MadeSessionMessages,
    WindowSends,
    SessionMessageReader,
    SessionMessageSearch,
    RequireChatAccountHandler,
    SendSessionMessageHandler,
    SendV5SessionHandler,
    CancelSessionMessageHandler,
    FindSessionMessageHandler,
    ListSessionMessagesHandler,
  ],
  controllers: [SessionMessagesController, V5SessionController, OwnSessionMessagesController],
  exports: [SessionMessageSearch, WindowSends],
})
export class SessionMessagesModule {}

/** Session messages in the worker: sends scheduled ones and matches early receipts. */
@Module({
  imports: [AccountDirectoryModule, RoutesModule, SessionSendingModule],
  providers: [ScheduledSends],
})
export class SessionMessagesWorkerModule {}
