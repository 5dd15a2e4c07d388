import { Command } from '@nestjs/cqrs';

/** Puts numbers on an account's stop list, all or none. Those that stand there stay as they are; too many are refused (400). */
export class AddSuppressions extends Command<{ added: number; already: number }> {
  /** @param numbers digits, each once */
  constructor(
    readonly accountId: number,
    readonly numbers: readonly string[],
  ) {
    super();
  }
}
