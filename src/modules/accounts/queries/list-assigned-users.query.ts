import { Query } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';
import type { AssignedUserView } from './assigned-user.view.js';

/** A page of the people under an account, newest first. Throws 403 `Permission denied` (see `assertUserManager`). */
export class ListAssignedUsersQuery extends Query<{ users: AssignedUserView[]; total: number }> {
  constructor(
    readonly actor: Account,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
