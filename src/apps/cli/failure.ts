/** Exit codes of the command line; its help lists them. */
export const EXIT = { done: 0, failed: 1, usage: 2, notAsItShould: 3, interrupted: 130 } as const;

/** What ends a command with a line for the operator. */
export class Failure extends Error {
  /** @param code one of `EXIT` */
  constructor(
    text: string,
    readonly code: number = EXIT.failed,
  ) {
    super(text);
  }
}

/** The API is away or broken at the moment. */
export class Unanswered extends Failure {}
