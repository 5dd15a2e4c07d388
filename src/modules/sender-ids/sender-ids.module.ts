import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { MoveSenderIdHandler } from './commands/move-sender-id.command.js';
import { RegisterSenderIdHandler } from './commands/register-sender-id.command.js';
import { RemoveSenderIdHandler } from './commands/remove-sender-id.command.js';
import { SenderIdsController } from './http/sender-ids.controller.js';
import { SenderIdEntity } from './persistence/sender-id.entity.js';
import { SenderIdStore } from './persistence/sender-id-store.js';
import { GetSenderIdHandler } from './queries/get-sender-id.query.js';
import { ListSenderIdsHandler } from './queries/list-sender-ids.query.js';
import { ReviewSenderIdsHandler } from './queries/review-sender-ids.query.js';
import { SenderIds } from './sender-ids.js';

/** Sender ids: the owner's routes, what staff do with them, and what sends may come from. */
@Module({
  imports: [CqrsModule, TypeOrmModule.forFeature([SenderIdEntity]), AccountsModule, CustomerEventsModule],
  controllers: [SenderIdsController],
  providers: [
    SenderIds,
    SenderIdStore,
    RegisterSenderIdHandler,
    RemoveSenderIdHandler,
    MoveSenderIdHandler,
    ListSenderIdsHandler,
    GetSenderIdHandler,
    ReviewSenderIdsHandler,
  ],
  exports: [SenderIds],
})
export class SenderIdsModule {}
