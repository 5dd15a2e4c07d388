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

/**
 * The same items, the next one always asked for while the last one is worked on: memory of two. A fault that
 * comes before its item is asked for is told then.
 */
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

/**
 * The result of `work`, or null when the time passes first; `work` goes on, and its late fault is dropped. By hand: it
 * stands before each call to a customer, and an AbortController would cost more than the rest of it. A process that was
 * itself held up finds its timer due before it has read what came meanwhile: it reads that before it gives up.
 */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(resolve, null), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
