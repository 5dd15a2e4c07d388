import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { ProvidersModule } from '../providers/index.js';
import { ChangeProfilePhotoHandler, UpdateBusinessProfileHandler } from './business-profile.commands.js';
import { BusinessProfileController } from './business-profile.controller.js';
import { ProfileAccounts, GetBusinessProfileHandler } from './business-profile.queries.js';

/** API only: nothing is stored or queued. */
@Module({
  imports: [CqrsModule, AccountsModule, ProvidersModule],
  providers: [ProfileAccounts, GetBusinessProfileHandler, UpdateBusinessProfileHandler, ChangeProfilePhotoHandler],
  controllers: [BusinessProfileController],
})
export class BusinessProfileModule {}
