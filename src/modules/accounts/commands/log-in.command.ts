import { Command } from '@nestjs/cqrs';
import type { Account } from '../domain/account.js';

/** Log in (spec 4.10). A command, because failures are counted. */
export class LogInCommand extends Command<{ token: string; account: Account }> {
  /**
   * @param emailOrUsername as given, not empty
   * @param ip the client's address
   */
  constructor(
    readonly emailOrUsername: string,
    readonly password: string,
    readonly ip: string,
  ) {
    super();
  }
}
