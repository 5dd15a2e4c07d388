import { Command } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';
import type { AssignedUser } from '../domain/assigned-user.js';

/** What an account gives for a person under it, in texts as they came. */
export interface AssignedUserDraft {
  username: string;
  password: string;
  firstname: string;
  lastname: string;
  email: string | null;
}

/** Create an assigned user. Throws 403 `Permission denied`, 400 and 409 with the texts of registration. */
export class CreateAssignedUserCommand extends Command<AssignedUser> {
  constructor(
    readonly actor: Account,
    readonly draft: AssignedUserDraft,
  ) {
    super();
  }
}
