/** Exit codes of the command line; its help lists them. */
export const EXIT = { done: 0, failed: 1, usage: 2, notAsItShould: 3, timedOut: 124, interrupted: 130 } as const;

/** What ends a command with a line for the operator. */
export class Failure extends Error {
  /**
   * @param code one of `EXIT`
   * @param hint what to do about it, as the API says it
   */
  constructor(
    text: string,
    readonly code: number = EXIT.failed,
    readonly hint: string | null = null,
  ) {
    super(text);
  }
}

/** The API is away or broken at the moment. */
export class Unanswered extends Failure {}
