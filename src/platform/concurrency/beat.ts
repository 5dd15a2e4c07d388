/**
 * Wakes those who wait at the same moment: within `everyMs` of the first of them. What they then do together can share a round
 * trip (`GroupCommit`), which a timer for each of them would not bring about.
 */
export class Beat {
  private next: Promise<void> | null = null;

  constructor(private readonly everyMs: number) {}

  /** Resolves with the next beat; there is none while it is not asked for. */
  heard(): Promise<void> {
    this.next ??= new Promise((resolve) => {
      setTimeout(() => {
        this.next = null;
        resolve();
      }, this.everyMs);
    });
    return this.next;
  }
}
