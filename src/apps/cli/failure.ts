/** Exit codes of the command line; its help lists them. */
export const EXIT = { done: 0, failed: 1, usage: 2, notAsItShould: 3 } as const;

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
