import { Command } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';

/** Register an account (spec 4.10): record, names, team, permissions and credits in one transaction. */
export class RegisterAccountCommand extends Command<Account> {
  /**
   * @param body as it came; its rules have an order of their own (decisions §4)
   * @param ip the client's address, for REGISTER_RATE_LIMIT
   */
  constructor(
    readonly body: Record<string, unknown>,
    readonly ip: string,
  ) {
    super();
  }
}
