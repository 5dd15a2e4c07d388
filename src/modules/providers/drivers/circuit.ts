const FAULTS_TO_OPEN = 20;
/** How long an open circuit lets nothing through. */
export const HALF_OPEN_MS = 2_000;

/**
 * Stops calls to an upstream that answers nothing but faults: after 20 in a row, one try every 2 s, whose result decides
 * for all that came meanwhile. By hand, because a general breaker costs a campaign a fifth of its speed.
 */
export class Circuit {
  /** in a row */
  private faults = 0;
  /** clock of `performance.now()` */
  private openedAt = 0;
  /** the one try of a broken circuit */
  private trial: Promise<unknown> | null = null;

  /** True while nothing would be let through. */
  get isOpen(): boolean {
    return this.isBroken() && performance.now() - this.openedAt < HALF_OPEN_MS;
  }

  /**
   * @param call must not reject @param isTrouble whether its result speaks of an upstream in trouble
   * @returns the result, or null when the call was not made
   */
  async run<Result>(call: () => Promise<Result>, isTrouble: (result: Result) => boolean): Promise<Result | null> {
    if (this.isBroken()) {
      if (this.isOpen) return null;
      if (!this.trial) return this.tryOnce(call, isTrouble);
      await this.trial;
      if (this.isBroken()) return null;
    }
    const result = await call();
    if (!isTrouble(result)) this.faults = 0;
    else if (++this.faults === FAULTS_TO_OPEN) this.openedAt = performance.now();
    return result;
  }

  private isBroken(): boolean {
    return this.faults >= FAULTS_TO_OPEN;
  }

  private async tryOnce<Result>(call: () => Promise<Result>, isTrouble: (result: Result) => boolean): Promise<Result> {
    const attempt = call();
    const trial = attempt.then(
      (result) => this.judge(isTrouble(result)),
      () => this.judge(true),
    );
    this.trial = trial;
    await trial;
    return attempt;
  }

  private judge(isTrouble: boolean): void {
    this.trial = null;
    if (isTrouble) this.openedAt = performance.now();
    else this.faults = 0;
  }
}
