import { Command } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';

/** Remove an assigned user: his tokens are refused within 3 s, his names are free again. Throws 403, 404. */
export class RemoveAssignedUserCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}
