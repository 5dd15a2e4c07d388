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

/**
 * Does something again and again, never twice at once: a tick that finds a run under way is left out. A fault ends its
 * run, never the task.
 */
export class PeriodicTask {
  private timer: NodeJS.Timeout | null = null;
  private readonly runs: SingleRun;

  /**
   * @param everyMs from one tick to the next, milliseconds
   * @param work what is done
   * @param onFault is given what a run has rejected with
   * @param jitter by how much of `everyMs` a tick may come early or late, so that processes do not tick in step
   */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
    onFault: (error: unknown) => void,
    private readonly jitter = 0,
  ) {
    this.runs = new SingleRun(onFault);
  }

  /** True before the start and from `stop` on; a long run may look, and end early. */
  get isStopped(): boolean {
    return this.runs.isStopped;
  }

  /** The first run comes after `everyMs`. */
  start(): void {
    if (!this.isStopped) return;
    this.runs.open();
    this.tickLater();
  }

  /** A run at once, unless one is under way. @param work done in place of the usual one */
  runNow(work = this.work): Promise<void> {
    return this.runs.run(work);
  }

  /**
   * A run at once, or as soon as the one under way is over: what made the caller ask is not overlooked.
   * @param work done in place of the usual one
   */
  request(work = this.work): Promise<void> {
    return this.runs.request(work);
  }

  /** No run begins any more. Resolves when the one under way is over. */
  stop(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    return this.runs.stop();
  }

  private tickLater(): void {
    const early = this.jitter * (2 * Math.random() - 1);
    this.timer = setTimeout(
      () => {
        this.tickLater();
        void this.runNow();
      },
      this.everyMs * (1 - early),
    );
  }
}
