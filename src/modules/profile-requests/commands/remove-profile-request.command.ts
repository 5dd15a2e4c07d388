import { Command } from '@nestjs/cqrs';

/**
 * The owner takes a pending request back.
 * @throws AppError not_found; invalid `Can only delete pending profile requests`
 */
export class RemoveProfileRequestCommand extends Command<void> {
  constructor(
    readonly accountId: number,
    readonly requestId: number,
  ) {
    super();
  }
}
