import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccessTokens } from '../authentication/access-tokens.js';
import { Credentials } from '../authentication/credentials.js';
import type { Account } from '../domain/account.js';
import { SecurityLog } from '../persistence/security-log.js';

/** Log in (reference/authentication#login). A command, because failures are counted. */
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

@CommandHandler(LogInCommand)
export class LogInHandler implements ICommandHandler<LogInCommand> {
  constructor(
    private readonly credentials: Credentials,
    private readonly tokens: AccessTokens,
    private readonly log: SecurityLog,
  ) {}

  async execute({ emailOrUsername, password, ip }: LogInCommand): Promise<{ token: string; account: Account }> {
    const account = await this.credentials.check(emailOrUsername, password, ip);
    this.log.note('login', (account.assignedUser ?? account).username, account.id, ip);
    return { token: this.tokens.issue(account), account };
  }
}
