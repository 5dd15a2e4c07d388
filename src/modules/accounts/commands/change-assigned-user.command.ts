import { Command } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';

/** What to change of an assigned user; absent = keep. Texts as they came; null clears the e-mail. */
export interface AssignedUserChanges {
  firstname?: string;
  lastname?: string;
  email?: string | null;
  isActive?: boolean;
  password?: string;
}

/** Change an assigned user. Inactive, or with a new password, he loses every token issued before, within 3 s. */
export class ChangeAssignedUserCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
    readonly changes: AssignedUserChanges,
  ) {
    super();
  }
}
