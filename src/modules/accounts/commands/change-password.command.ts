import { Command } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';
import type { GrantedAccessView, Revocations } from './granted-access.js';

/**
 * Change the own password: the account's, or the assigned user's who acts for it. Every token issued before is refused.
 * Throws 400 with a rule of spec 7, 401 `Invalid credentials`, 429 beyond a limit of login failures.
 */
export class ChangePasswordCommand extends Command<GrantedAccessView> {
  /**
   * Answers who may still act for the account; a person is told of nobody and may end nobody (403 `Permission denied`).
   * @param ip the client's address: wrong passwords count against it, as at login
   */
  constructor(
    readonly actor: Account,
    readonly current: string,
    readonly next: string,
    readonly ip: string,
    readonly revocations: Revocations,
  ) {
    super();
  }
}
