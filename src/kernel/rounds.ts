/**
 * Does something again and again, never twice at once: a tick that finds a round under way is left out. A fault ends
 * its round, never the rounds.
 */
export class Rounds {
  private timer: NodeJS.Timeout | null = null;
  private underWay: Promise<void> | null = null;
  private again = false;

  /**
   * @param everyMs from one tick to the next, milliseconds
   * @param round what is done
   * @param onFault is told what a round has rejected with
   */
  constructor(
    private readonly everyMs: number,
    private readonly round: () => Promise<void>,
    private readonly onFault: (error: unknown) => void,
  ) {}

  /** True before the start and from `stop` on; a long round may look, and end early. */
  get areStopped(): boolean {
    return this.timer === null;
  }

  /** The first round comes after `everyMs`. */
  start(): void {
    this.timer ??= setInterval(() => this.begin(), this.everyMs);
  }

  /** A round at once, unless one is under way. @param round done in place of the usual one */
  begin(round = this.round): void {
    if (this.areStopped) return;
    this.underWay ??= round()
      .catch(this.onFault)
      .finally(() => {
        this.underWay = null;
        if (this.again) this.ring();
      });
  }

  /** A round at once, or as soon as the one under way is over: what made the caller ring is not overlooked. */
  ring(): void {
    this.again = this.underWay !== null;
    this.begin();
  }

  /** No round begins any more. Resolves when the one under way is over. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.underWay;
  }
}
