import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment, publicAddress } from '../../../platform/config/index.js';
import { type Account, ManagedAccounts } from '../../accounts/index.js';
import { ChatAccounts, type ChatConnection, type ChatProvider, MetaCloudClient } from '../../providers/index.js';
import { connectionErrors } from '../admin.errors.js';

/** A chat account as the desk sees it: of secrets, only whether they are set. */
export interface ChatAccountView {
  id: number;
  username: string;
  channel: ChatConnection;
  provider: ChatProvider;
  number: string | null;
  url: string | null;
  /** what the URL says; null = nothing can be sent */
  phone_number_id: string | null;
  token_set: boolean;
  app_id: string | null;
  app_secret_set: boolean;
  verify_token_set: boolean;
  bmid: string | null;
  waba_id: string | null;
  messages_per_second: number | null;
  callback_url: string;
  created_at: string;
  updated_at: string;
}

/** An account's chat connection. Throws 404 `Account not found`, `Chat account not found`. */
export class FindChatAccountQuery extends Query<ChatAccountView> {
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

  async execute({ actor, username, connection }: FindChatAccountQuery): Promise<ChatAccountView> {
    const { id } = await this.managed.find(actor, username);
    const account = await this.chatAccounts.find(id, connection);
    if (!account) throw connectionErrors.notFound();
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
