import { Command } from '@nestjs/cqrs';

/**
 * Takes numbers off an account's stop list, wherever they came from. Answers how many stood there.
 * @throws AppError not_found when none of them did
 */
export class RemoveSuppressions extends Command<number> {
  constructor(
    readonly accountId: number,
    readonly numbers: readonly string[],
  ) {
    super();
  }
}
