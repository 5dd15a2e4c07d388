import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import {
  ChangeProfileRequestHandler,
  CreateProfileRequestHandler,
  ProcessProfileRequestHandler,
  RemoveProfileRequestHandler,
} from './profile-requests.commands.js';
import { ProfileRequestsController, PublicProfileRequestsController } from './profile-requests.controller.js';
import { ProfileRequestEntity } from './tables.js';
import { ProfileRequestStore } from './profile-requests.store.js';
import {
  GetProfileRequestHandler,
  ListProfileRequestsHandler,
  LookUpProfileRequestsHandler,
  ReviewProfileRequestsHandler,
} from './profile-requests.queries.js';
import { ProfileRequestsAdminController } from './staff-profile-requests.controller.js';

/** Profile requests: the owner's routes, the public look-up, and decisions of staff. */
@Module({
  imports: [CqrsModule, TypeOrmModule.forFeature([ProfileRequestEntity]), AccountsModule],
  controllers: [ProfileRequestsController, PublicProfileRequestsController, ProfileRequestsAdminController],
  providers: [
    ProfileRequestStore,
    CreateProfileRequestHandler,
    ChangeProfileRequestHandler,
    RemoveProfileRequestHandler,
    ProcessProfileRequestHandler,
    GetProfileRequestHandler,
    ListProfileRequestsHandler,
    ReviewProfileRequestsHandler,
    LookUpProfileRequestsHandler,
  ],
})
export class ProfileRequestsModule {}
