import { Query } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';
import type { ApiKeyView } from './api-key.view.js';

/** A page of an account's API keys, newest first. Throws 403 `Permission denied` for an assigned user. */
export class ListApiKeysQuery extends Query<{ keys: ApiKeyView[]; total: number }> {
  constructor(
    readonly actor: Account,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
