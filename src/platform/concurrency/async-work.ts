import { setImmediate as yieldToOthers, setTimeout as sleep } from 'node:timers/promises';

/** Runs work sequentially with pauses, so that it takes at most a share of the time. */
export class PartTime {
  private before: Promise<unknown> = Promise.resolve();

  /** @param share of the time, above 0 and up to 1 */
  constructor(private readonly share: number) {}

  /** The result of `work`, which starts after the pause that follows earlier calls. @throws what `work` throws */
  run<T>(work: () => Promise<T>): Promise<T> {
    let spent = 0;
    const result = this.before.then(async () => {
      await yieldToOthers();
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

/** Yields the same items and fetches the next one ahead. An early fault is thrown only when its item is requested. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = iterator.next();
    asked.catch(() => undefined);
    return asked;
  };
  let next = ask();
  try {
    for (;;) {
      const item = await next;
      if (item.done) return;
      next = ask();
      yield item.value;
    }
  } finally {
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}

/** The result of `work`, or null on a timeout. `setImmediate`: results that arrived while the process was blocked win. */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(resolve, null), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
