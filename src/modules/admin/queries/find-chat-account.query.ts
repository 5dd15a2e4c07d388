import { Query } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { ChatConnection, ChatProvider } from '../../providers/index.js';

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
