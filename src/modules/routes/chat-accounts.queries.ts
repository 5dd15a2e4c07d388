import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../kernel/clock.js';
import { maskUrl } from '../../kernel/urls.js';
import { type Environment, ENVIRONMENT, publicAddress } from '../../platform/config/index.js';
import { type Account, ManagedAccounts } from '../accounts/index.js';
import { ChatAccounts, type ChatConnection, MetaCloudClient } from '../providers/index.js';
import type { ChatAccountAnswerData } from './chat-accounts.dto.js';
import { connectionErrors } from './routes.errors.js';

/** An account's chat connection. Throws 404 `Account not found`, `Chat account not found`. */
export class FindChatAccountQuery extends Query<ChatAccountAnswerData> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly connection: ChatConnection,
  ) {
    super();
  }
}

@QueryHandler(FindChatAccountQuery)
export class FindChatAccountHandler implements IQueryHandler<FindChatAccountQuery> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly managed: ManagedAccounts,
    private readonly chatAccounts: ChatAccounts,
    private readonly client: MetaCloudClient,
  ) {}

  async execute({ actor, username, connection }: FindChatAccountQuery): Promise<ChatAccountAnswerData> {
    const { id } = await this.managed.find(actor, username);
    const account = await this.chatAccounts.find(id, connection);
    if (!account) throw connectionErrors.notFound();
    return {
      id: account.id,
      username,
      channel: account.connection,
      provider: account.provider,
      number: account.number,
      url: actor.userType === 'super' || account.url === null ? account.url : maskUrl(account.url),
      guarded: account.guarded ?? false,
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
