type Work = () => Promise<void>;

/** Runs one piece of work, never concurrently. A fault ends only its run. */
export class SingleRun {
  private underWay: Promise<void> | null = null;
  private again: Work | null = null;
  private isOpen = false;

  constructor(private readonly onFault: (error: unknown) => void) {}

  /** True before `open` and after `stop`; a long run may check it and end early. */
  get isStopped(): boolean {
    return !this.isOpen;
  }

  get isBusy(): boolean {
    return this.underWay !== null;
  }

  open(): void {
    this.isOpen = true;
  }

  /** Runs now, unless a run is active. Resolves when the active run ends. */
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

  /** Runs now, or again after the active run, which may have missed the caller's change. */
  request(work: Work): Promise<void> {
    this.again = this.underWay ? work : null;
    return this.run(work);
  }

  /** Prevents new runs. Resolves when the active run ends. */
  async stop(): Promise<void> {
    this.isOpen = false;
    await this.underWay;
  }
}

/** Repeats work, never concurrently: a tick during a run is skipped. A fault ends only its run. */
export class PeriodicTask {
  private timer: NodeJS.Timeout | null = null;
  private readonly runs: SingleRun;

  /** @param everyMs period, milliseconds @param jitter share of `everyMs`, so that processes do not tick together */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
    onFault: (error: unknown) => void,
    private readonly jitter = 0,
  ) {
    this.runs = new SingleRun(onFault);
  }

  get isStopped(): boolean {
    return this.runs.isStopped;
  }

  /** Starts the ticks; the first comes after `everyMs`. */
  start(): void {
    if (!this.isStopped) return;
    this.runs.open();
    this.tickLater();
  }

  /** Runs now, unless a run is active. @param work overrides the usual one */
  runNow(work = this.work): Promise<void> {
    return this.runs.run(work);
  }

  /** Runs now, or again after the active run, which may have missed the caller's change. @param work overrides the usual one */
  request(work = this.work): Promise<void> {
    return this.runs.request(work);
  }

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
