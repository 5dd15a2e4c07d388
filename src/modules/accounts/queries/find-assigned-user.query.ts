import { Query } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';
import type { AssignedUserView } from './assigned-user.view.js';

/** One of the people under an account. Throws 403 `Permission denied`, 404 `User not found`. */
export class FindAssignedUserQuery extends Query<AssignedUserView> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}
