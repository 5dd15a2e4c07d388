import { Command } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';

/**
 * Change the own password: the account's, or the assigned user's who acts for it. Every token issued before is refused.
 * Throws 400 with a rule of spec 7, 401 `Invalid credentials`, 429 beyond a limit of login failures.
 */
export class ChangePasswordCommand extends Command<void> {
  /** @param ip the client's address: wrong passwords count against it, as at login */
  constructor(
    readonly actor: Account,
    readonly current: string,
    readonly next: string,
    readonly ip: string,
  ) {
    super();
  }
}
