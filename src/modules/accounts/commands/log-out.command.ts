import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccessTokens } from '../authentication/access-tokens.js';

/** Log out: the token is refused from now on, here at once and on every instance within 3 s. */
export class LogOutCommand extends Command<void> {
  constructor(readonly token: string) {
    super();
  }
}

@CommandHandler(LogOutCommand)
export class LogOutHandler implements ICommandHandler<LogOutCommand> {
  constructor(private readonly tokens: AccessTokens) {}

  execute({ token }: LogOutCommand): Promise<void> {
    return this.tokens.revoke(token);
  }
}
