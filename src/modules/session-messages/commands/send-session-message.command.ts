import { Command } from '@nestjs/cqrs';
import type { IdempotentRequest } from '../../idempotency/index.js';
import type { ProviderAnswer } from '../dispatch/session-sender.js';
import type { SessionMessage } from '../domain/message-content.js';

/**
 * Sends a v6 session message over the account's official chat connection; answers what the provider answered, with
 * `messaging_product` in our words. Whether the 24-hour window is open is the provider's to say (decisions §6).
 * @throws AppError 404 and 500 for a connection that cannot send, 502 when the provider refuses or is silent
 */
export class SendSessionMessageCommand extends Command<ProviderAnswer> {
  constructor(
    readonly accountId: number,
    readonly message: SessionMessage,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}
