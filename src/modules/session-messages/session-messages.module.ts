import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { ProvidersModule, RoutesModule } from '../providers/index.js';
import { SendSessionMessageHandler } from './commands/send-session-message.handler.js';
import { SendV5SessionHandler } from './commands/send-v5-session.handler.js';
import { SessionReceipts } from './dispatch/session-receipts.js';
import { SessionSender } from './dispatch/session-sender.js';
import { SessionMessagesController } from './http/session-messages.controller.js';
import { V5SessionController } from './http/v5-session.controller.js';
import { SessionEvents } from './persistence/session-events.js';
import { SessionMessageStore } from './persistence/session-message-store.js';
import { SessionReceiptStore } from './persistence/session-receipt-store.js';
import { SessionMessageEntity } from './persistence/session-message.entity.js';
import { RequireChatAccountHandler } from './queries/require-chat-account.handler.js';

const SENDING = [SessionEvents, SessionMessageStore, SessionReceiptStore, SessionSender, SessionReceipts];

/**
 * Session messages for every process: sending, storing, and settling by receipts. The engine's receipt path, where
 * `SessionReceipts` registers, is global.
 */
@Module({
  imports: [TypeOrmModule.forFeature([SessionMessageEntity]), CustomerEventsModule, RoutesModule],
  providers: SENDING,
  exports: SENDING,
})
export class SessionSendingModule {}

/** Session messages in the API: v6 and v5. */
@Module({
  imports: [CqrsModule, AccountsModule, IdempotencyModule, ProvidersModule, SessionSendingModule],
  providers: [RequireChatAccountHandler, SendSessionMessageHandler, SendV5SessionHandler],
  controllers: [SessionMessagesController, V5SessionController],
})
export class SessionMessagesModule {}
