import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { SessionMessagesModule } from '../session-messages/index.js';
import { TemplatesModule } from '../templates/index.js';
import { OwnSearchController } from './http/own-search.controller.js';
import { StaffSearchController } from './http/staff-search.controller.js';
import { SearchHandler } from './queries/search.query.js';
import { SearchLooks } from './search-looks.js';

/** The search box: each feature finds its own things, and this module puts them together. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignsModule, SessionMessagesModule, TemplatesModule],
  controllers: [StaffSearchController, OwnSearchController],
  providers: [SearchHandler, SearchLooks],
})
export class SearchModule {}
