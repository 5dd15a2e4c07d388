import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { MoveSenderIdHandler, RegisterSenderIdHandler, RemoveSenderIdHandler } from './sender-ids.commands.js';
import { SenderIdsController } from './sender-ids.controller.js';
import { SenderIdEntity } from './tables.js';
import { SenderIdStore, SenderIds } from './sender-ids.store.js';
import { GetSenderIdHandler, ListSenderIdsHandler, ReviewSenderIdsHandler } from './sender-ids.queries.js';
import { SenderIdsAdminController } from './staff-sender-ids.controller.js';

/** Sender ids: the owner's routes, decisions of staff, and the senders of sends. */
@Module({
  imports: [CqrsModule, TypeOrmModule.forFeature([SenderIdEntity]), AccountsModule, CustomerEventsModule],
  controllers: [SenderIdsController, SenderIdsAdminController],
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
