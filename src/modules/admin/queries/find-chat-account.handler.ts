import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AppError } from '../../../kernel/app-error.js';
import { dateTime } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment, publicAddress } from '../../../platform/config/index.js';
import { ManagedAccounts } from '../../accounts/index.js';
import { ChatAccounts, MetaCloudClient } from '../../providers/index.js';
import { type ChatAccountView, FindChatAccountQuery } from './find-chat-account.query.js';

@QueryHandler(FindChatAccountQuery)
export class FindChatAccountHandler implements IQueryHandler<FindChatAccountQuery> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly managed: ManagedAccounts,
    private readonly chatAccounts: ChatAccounts,
    private readonly client: MetaCloudClient,
  ) {}

  async execute({ actor, username, connection }: FindChatAccountQuery): Promise<ChatAccountView> {
    const { id } = await this.managed.find(actor, username);
    const account = await this.chatAccounts.find(id, connection);
    if (!account) throw new AppError('not_found', 'chat_account_not_found', 'Chat account not found');
    return {
      id: account.id,
      username,
      channel: account.connection,
      provider: account.provider,
      number: account.number,
      url: account.url,
      phone_number_id: this.client.phoneNumberId(account),
      token_set: account.token !== null,
      app_id: account.appId,
      app_secret_set: account.appSecret !== null,
      verify_token_set: account.verifyToken !== null,
      bmid: account.bmid,
      waba_id: account.wabaId,
      messages_per_second: account.messagesPerSecond,
      callback_url: publicAddress(this.environment, `/provider/chat/${account.id}`),
      created_at: dateTime(account.createdAt, actor.timeZone),
      updated_at: dateTime(account.updatedAt, actor.timeZone),
    };
  }
}
