import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { ChangeProfileRequestHandler } from './commands/change-profile-request.command.js';
import { CreateProfileRequestHandler } from './commands/create-profile-request.command.js';
import { ProcessProfileRequestHandler } from './commands/process-profile-request.command.js';
import { RemoveProfileRequestHandler } from './commands/remove-profile-request.command.js';
import { ProfileRequestsController } from './http/profile-requests.controller.js';
import { PublicProfileRequestsController } from './http/public-profile-requests.controller.js';
import { ProfileRequestEntity } from './persistence/profile-request.entity.js';
import { ProfileRequestStore } from './persistence/profile-request-store.js';
import { GetProfileRequestHandler } from './queries/get-profile-request.query.js';
import { ListProfileRequestsHandler } from './queries/list-profile-requests.query.js';
import { LookUpProfileRequestsHandler } from './queries/look-up-profile-requests.query.js';
import { ReviewProfileRequestsHandler } from './queries/review-profile-requests.query.js';

/** Profile requests: the owner's routes, the public look-up, and what staff do with them. */
@Module({
  imports: [CqrsModule, TypeOrmModule.forFeature([ProfileRequestEntity]), AccountsModule],
  controllers: [ProfileRequestsController, PublicProfileRequestsController],
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
