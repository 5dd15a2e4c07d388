import { Command } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';
import type { ApiKeyView } from '../queries/api-key.view.js';

/** A new API key of the acting account (decisions §4). The answer is the only place where the key itself stands. */
export class CreateApiKeyCommand extends Command<ApiKeyView & { key: string }> {
  /** @param allowedIps addresses and ranges as they came; [] = anywhere */
  constructor(
    readonly actor: Account,
    readonly name: string | null,
    readonly allowedIps: string[],
  ) {
    super();
  }
}
