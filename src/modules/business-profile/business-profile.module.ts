import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { ProvidersModule } from '../providers/index.js';
import { ChangeProfilePhotoHandler } from './commands/change-profile-photo.command.js';
import { UpdateBusinessProfileHandler } from './commands/update-business-profile.command.js';
import { BusinessProfileController } from './http/business-profile.controller.js';
import { ProfileAccounts } from './profile-accounts.js';
import { GetBusinessProfileHandler } from './queries/get-business-profile.query.js';

/** The live business profile, in the API only: nothing of it is stored or queued. */
@Module({
  imports: [CqrsModule, AccountsModule, ProvidersModule],
  providers: [ProfileAccounts, GetBusinessProfileHandler, UpdateBusinessProfileHandler, ChangeProfilePhotoHandler],
  controllers: [BusinessProfileController],
})
export class BusinessProfileModule {}
