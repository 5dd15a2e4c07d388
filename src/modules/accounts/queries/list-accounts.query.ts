import { Query } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';
import type { ManagedAccountView } from './managed-account.view.js';

/** A page of accounts, newest first; a reseller gets its own clients. Throws 403 `Permission denied`. */
export class ListAccountsQuery extends Query<{ accounts: ManagedAccountView[]; total: number }> {
  /** @param search part of username, e-mail, mobile number or name, in any case; null = all */
  constructor(
    readonly actor: Account,
    readonly search: string | null,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
