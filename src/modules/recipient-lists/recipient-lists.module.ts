import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { AddMembersHandler } from './commands/add-members.command.js';
import { CreateListHandler } from './commands/create-list.command.js';
import { FillListHandler } from './commands/fill-list.command.js';
import { RemoveListHandler } from './commands/remove-list.command.js';
import { RemoveMemberHandler } from './commands/remove-member.command.js';
import { RemoveUploadHandler } from './commands/remove-upload.command.js';
import { RenameListHandler } from './commands/rename-list.command.js';
import { TakeUploadHandler } from './commands/take-upload.command.js';
import { ListsController } from './http/lists.controller.js';
import { MembersController } from './http/members.controller.js';
import { UploadsController } from './http/uploads.controller.js';
import { Leftovers } from './persistence/leftovers.js';
import { ListCopies } from './persistence/list-copies.js';
import { ListMembers } from './persistence/list-members.js';
import { ListStore } from './persistence/list-store.js';
import { recipientListEntities } from './persistence/recipient-lists.entities.js';
import { UploadStore } from './persistence/upload-store.js';
import { UploadWriter } from './persistence/upload-writer.js';
import { GetListHandler } from './queries/get-list.query.js';
import { GetUploadHandler } from './queries/get-upload.query.js';
import { ListListsHandler } from './queries/list-lists.query.js';
import { ListMembersHandler } from './queries/list-members.query.js';
import { ListUploadsHandler } from './queries/list-uploads.query.js';
import { RecipientLists } from './recipient-lists.js';
import { UploadSweeper } from './upload-sweeper.js';

/** Uploads and lists in the API. */
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

/** In the worker: what has expired, was removed or was broken off goes. */
@Module({
  imports: [TypeOrmModule.forFeature(recipientListEntities)],
  providers: [Leftovers, UploadSweeper],
})
export class RecipientListsWorkerModule {}
