/**
 * Does something again and again, never twice at once: a tick that finds a run under way is left out. A fault ends its
 * run, never the task.
 */
export class PeriodicTask {
  private timer: NodeJS.Timeout | null = null;
  private underWay: Promise<void> | null = null;
  private again = false;

  /**
   * @param everyMs from one tick to the next, milliseconds
   * @param work what is done
   * @param onFault is given what a run has rejected with
   */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
    private readonly onFault: (error: unknown) => void,
  ) {}

  /** True before the start and from `stop` on; a long run may look, and end early. */
  get isStopped(): boolean {
    return this.timer === null;
  }

  /** The first run comes after `everyMs`. */
  start(): void {
    this.timer ??= setInterval(() => this.runNow(), this.everyMs);
  }

  /** A run at once, unless one is under way. @param work done in place of the usual one */
  runNow(work = this.work): void {
    if (this.isStopped) return;
    this.underWay ??= work()
      .catch(this.onFault)
      .finally(() => {
        this.underWay = null;
        if (this.again) this.request();
      });
  }

  /** A run at once, or as soon as the one under way is over: what made the caller ask is not overlooked. */
  request(): void {
    this.again = this.underWay !== null;
    this.runNow();
  }

  /** No run begins any more. Resolves when the one under way is over. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.underWay;
  }
}
