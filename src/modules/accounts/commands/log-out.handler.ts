import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccessTokens } from '../authentication/access-tokens.js';
import { LogOutCommand } from './log-out.command.js';

@CommandHandler(LogOutCommand)
export class LogOutHandler implements ICommandHandler<LogOutCommand> {
  constructor(private readonly tokens: AccessTokens) {}

  execute({ token }: LogOutCommand): Promise<void> {
    return this.tokens.revoke(token);
  }
}
