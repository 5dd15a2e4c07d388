type Work = () => Promise<void>;

/** Runs of one piece of work, never two at once. A fault ends its run, and no more. */
export class SingleRun {
  private underWay: Promise<void> | null = null;
  private again: Work | null = null;
  private isOpen = false;

  /** @param onFault is given what a run has rejected with */
  constructor(private readonly onFault: (error: unknown) => void) {}

  /** True before `open` and from `stop` on; a long run may look, and end early. */
  get isStopped(): boolean {
    return !this.isOpen;
  }

  /** Whether a run is under way. */
  get isBusy(): boolean {
    return this.underWay !== null;
  }

  /** From now on there are runs. */
  open(): void {
    this.isOpen = true;
  }

  /** A run at once, unless one is under way. Resolves when the one that is under way then is over. */
  run(work: Work): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    return (this.underWay ??= work()
      .catch(this.onFault)
      .finally(() => {
        this.underWay = null;
        const next = this.again;
        if (next) void this.request(next);
      }));
  }

  /** A run at once, or as soon as the one under way is over: what made the caller ask is not overlooked. */
  request(work: Work): Promise<void> {
    this.again = this.underWay ? work : null;
    return this.run(work);
  }

  /** No run begins any more. Resolves when the one under way is over. */
  async stop(): Promise<void> {
    this.isOpen = false;
    await this.underWay;
  }
}
