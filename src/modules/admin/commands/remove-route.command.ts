import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';

/**
 * Removes a route.
 * @throws AppError 404 `Route not found`, 409 `Route is used by unfinished campaigns`
 */
export class RemoveRouteCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
  ) {
    super();
  }
}
