import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

/** Does work one piece after the other, and pauses in between, so that all of it takes a share of the time at most. */
export class PartTime {
  private before: Promise<unknown> = Promise.resolve();

  /** @param share of the time, above 0 and up to 1 */
  constructor(private readonly share: number) {}

  /** The result of `work`, which begins when that of earlier calls is done and has paused. @throws what `work` throws */
  run<T>(work: () => Promise<T>): Promise<T> {
    let spent = 0;
    const result = this.before.then(async () => {
      await turn();
      const begun = performance.now();
      try {
        return await work();
      } finally {
        spent = performance.now() - begun;
      }
    });
    const pause = (): Promise<unknown> => sleep(spent * (1 / this.share - 1));
    this.before = result.then(pause, pause);
    return result;
  }
}
