import { Command } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';

/** Revoke an API key: at once on this instance, within 3 s on the others. Throws 404 unless it is the account's. */
export class RevokeApiKeyCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}
