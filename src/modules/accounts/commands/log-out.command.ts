import { Command } from '@nestjs/cqrs';

/** Log out: the token is refused from now on, here at once and on every instance within 3 s. */
export class LogOutCommand extends Command<void> {
  constructor(readonly token: string) {
    super();
  }
}
