import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { ChatAccountDraft, ChatConnection } from '../../providers/index.js';

/** What no desk writes. */
type Kept = 'accountId' | 'connection' | 'formerAppSecret' | 'formerVerifyToken';

/** What the desk wrote: an absent field keeps what stands, null clears it. */
export type ChatAccountChanges = {
  [Field in Exclude<keyof ChatAccountDraft, Kept>]: ChatAccountDraft[Field] | undefined;
};

/**
 * Creates or changes an account's chat connection (decisions §8).
 * @throws AppError 404 `Account not found`, 400 `provider is required` for a connection that is not there yet, 400
 * `token is required with a new address`
 */
export class PutChatAccountCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly username: string,
    readonly connection: ChatConnection,
    readonly changes: ChatAccountChanges,
  ) {
    super();
  }
}
