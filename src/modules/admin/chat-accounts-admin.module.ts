import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { RoutesModule } from '../providers/index.js';
import { GuardedAddresses } from './commands/guarded-addresses.js';
import { PutChatAccountHandler } from './commands/put-chat-account.command.js';
import { RemoveChatAccountHandler } from './commands/remove-chat-account.command.js';
import { ChatAccountsController } from './http/chat-accounts.controller.js';
import { FindChatAccountHandler } from './queries/find-chat-account.query.js';

/** The admin API's part for chat accounts. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignsModule, RoutesModule],
  controllers: [ChatAccountsController],
  providers: [GuardedAddresses, PutChatAccountHandler, RemoveChatAccountHandler, FindChatAccountHandler],
})
export class ChatAccountsAdminModule {}
