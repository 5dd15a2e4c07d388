import { Query } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';
import type { ManagedAccountView } from './managed-account.view.js';

/** One account for its manager. Throws 403 `Permission denied`, 404 `Account not found`. */
export class FindAccountQuery extends Query<ManagedAccountView> {
  constructor(
    readonly actor: Account,
    readonly username: string,
  ) {
    super();
  }
}
