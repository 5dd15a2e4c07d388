/** Faults in a row that open a circuit. */
const FAULTS_TO_OPEN = 20;
/** How long an open circuit lets nothing through. */
export const HALF_OPEN_MS = 2_000;

/** What a result says of the upstream, in faults: nothing bad; it answered badly or not at all; it could not be reached. */
export const WELL = 0;
export const ILL = 1;
/** Three in a row are enough: nothing that is sent there can arrive. */
export const UNREACHED = 7;

/**
 * Stops calls to an upstream that answers nothing but faults: after 20 in a row, or 3 in vain attempts to reach it, one try
 * every 2 s, whose result decides for all that came meanwhile. By hand, because a general breaker costs a campaign a fifth of
 * its speed.
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

  /** True from the opening until a try has shown that the upstream is well. */
  isBroken(): boolean {
    return this.faults >= FAULTS_TO_OPEN;
  }

  /**
   * @param call must not reject @param weigh its result in faults: `WELL`, `ILL` or `UNREACHED`
   * @returns the result, or null when the call was not made
   */
  async run<Result>(call: () => Promise<Result>, weigh: (result: Result) => number): Promise<Result | null> {
    if (this.isBroken()) {
      if (this.isOpen) return null;
      if (!this.trial) return this.tryOnce(call, weigh);
      await this.trial;
      if (this.isBroken()) return null;
    }
    const result = await call();
    const weight = weigh(result);
    if (weight === WELL) this.faults = 0;
    else this.add(weight);
    return result;
  }

  private add(weight: number): void {
    const wasBroken = this.isBroken();
    this.faults += weight;
    if (!wasBroken && this.isBroken()) this.openedAt = performance.now();
  }

  private async tryOnce<Result>(call: () => Promise<Result>, weigh: (result: Result) => number): Promise<Result> {
    const attempt = call();
    const trial = attempt.then(
      (result) => this.judge(weigh(result)),
      () => this.judge(ILL),
    );
    this.trial = trial;
    await trial;
    return attempt;
  }

  private judge(weight: number): void {
    this.trial = null;
    if (weight === WELL) this.faults = 0;
    else this.openedAt = performance.now();
  }
}
