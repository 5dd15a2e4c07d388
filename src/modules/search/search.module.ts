import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { SessionMessagesModule } from '../session-messages/index.js';
import { TemplatesModule } from '../templates/index.js';
import { OwnSearchController, StaffSearchController } from './search.controller.js';
import { SearchHandler, SearchQueries } from './search.queries.js';

/** The search box combines the searches of the features. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignsModule, SessionMessagesModule, TemplatesModule],
  controllers: [StaffSearchController, OwnSearchController],
  providers: [SearchHandler, SearchQueries],
})
export class SearchModule {}
