import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { AddMembersHandler, FillListHandler, RemoveMemberHandler } from './members.commands.js';
import { CreateListHandler, RemoveListHandler, RenameListHandler } from './lists.commands.js';
import { RemoveUploadHandler, TakeUploadHandler } from './uploads.commands.js';
import { ListsController } from './lists.controller.js';
import { MembersController } from './members.controller.js';
import { UploadsController } from './uploads.controller.js';
import { Leftovers, UploadSweeper } from './leftovers.store.js';
import { ListCopies, ListMembers } from './members.store.js';
import { ListStore } from './lists.store.js';
import { recipientListEntities } from './tables.js';
import { UploadStore, UploadWriter } from './uploads.store.js';
import {
  GetListHandler,
  GetUploadHandler,
  SkippedRowsHandler,
  ListListsHandler,
  ListMembersHandler,
  ListUploadsHandler,
} from './recipient-lists.queries.js';
import { RecipientLists } from './recipient-lists.js';

@Module({
  imports: [CqrsModule, TypeOrmModule.forFeature(recipientListEntities), AccountsModule],
  controllers: [UploadsController, ListsController, MembersController],
  providers: [
    Leftovers,
    UploadWriter,
    UploadStore,
    ListStore,
    ListMembers,
    ListCopies,
    RecipientLists,
    TakeUploadHandler,
    RemoveUploadHandler,
    GetUploadHandler,
    SkippedRowsHandler,
    ListUploadsHandler,
    CreateListHandler,
    RenameListHandler,
    RemoveListHandler,
    GetListHandler,
    ListListsHandler,
    AddMembersHandler,
    FillListHandler,
    RemoveMemberHandler,
    ListMembersHandler,
  ],
  exports: [RecipientLists],
})
export class RecipientListsModule {}

/** In the worker: removes expired, deleted and unfinished uploads and lists. */
@Module({
  imports: [TypeOrmModule.forFeature(recipientListEntities)],
  providers: [Leftovers, UploadSweeper],
})
export class RecipientListsWorkerModule {}
