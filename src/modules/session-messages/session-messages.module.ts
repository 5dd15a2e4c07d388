import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { ProvidersModule, RoutesModule } from '../providers/index.js';
import { TrafficModule } from '../traffic/index.js';
import { CancelSessionMessageHandler } from './commands/cancel-session-message.command.js';
import { SendSessionMessageHandler } from './commands/send-session-message.command.js';
import { SendV5SessionHandler } from './commands/send-v5-session.command.js';
import { SessionFence } from './dispatch/session-fence.js';
import { SessionReceipts } from './dispatch/session-receipts.js';
import { SessionSender } from './dispatch/session-sender.js';
import { OwnSessionMessagesController } from './http/own-session-messages.controller.js';
import { SessionMessagesController } from './http/session-messages.controller.js';
import { V5SessionController } from './http/v5-session.controller.js';
import { ScheduledMessageStore } from './persistence/scheduled-message-store.js';
import { SessionEvents } from './persistence/session-events.js';
import { SessionMessageSearch } from './persistence/session-message-search.js';
import { SessionLog } from './persistence/session-log.js';
import { SessionMessageReader } from './persistence/session-message-reader.js';
import { SessionMessageStore } from './persistence/session-message-store.js';
import { SessionReceiptStore } from './persistence/session-receipt-store.js';
import { SessionMessageEntity } from './persistence/session-message.entity.js';
import { FindSessionMessageHandler } from './queries/find-session-message.query.js';
import { ListSessionMessagesHandler } from './queries/list-session-messages.query.js';
import { RequireChatAccountHandler } from './queries/require-chat-account.query.js';

const SENDING = [
  SessionEvents,
  SessionMessageStore,
  ScheduledMessageStore,
  SessionReceiptStore,
  SessionSender,
  SessionReceipts,
];

/**
 * Session messages for every process: sending, storing, and settling by receipts. The engine's receipt path, where
 * `SessionReceipts` registers, is global.
 */
@Module({
  imports: [TypeOrmModule.forFeature([SessionMessageEntity]), CustomerEventsModule, RoutesModule, TrafficModule],
  providers: SENDING,
  exports: SENDING,
})
export class SessionSendingModule {}

/** Session messages of a copy of the database that is taken into use. */
@Module({ providers: [SessionFence], exports: [SessionFence] })
export class SessionFenceModule {}

/** Session messages in the API: v6 and v5. */
@Module({
  imports: [CqrsModule, AccountsModule, IdempotencyModule, ProvidersModule, SessionSendingModule],
  providers: [
    SessionLog,
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
  exports: [SessionMessageSearch],
})
export class SessionMessagesModule {}
