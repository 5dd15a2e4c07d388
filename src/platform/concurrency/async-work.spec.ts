import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { PartTime, readAhead, within } from './async-work.js';

describe('work that has a share of the time', () => {
  it('is done one piece after the other, and pauses as long as its share asks for', async () => {
    const workshop = new PartTime(1 / 4);
    const spans: [number, number][] = [];
    const piece = async (): Promise<number> => {
      const begun = performance.now();
      await sleep(20);
      return spans.push([begun, performance.now()]);
    };
    expect(await Promise.all([workshop.run(piece), workshop.run(piece), workshop.run(piece)])).toEqual([1, 2, 3]);
    for (const [index, [begun, ended]] of spans.entries()) {
      const next = spans[index + 1];
      // timers are exact to a millisecond
      if (next) expect(next[0] - ended).toBeGreaterThan(3 * (ended - begun) - 3);
    }
  });

  it('goes on after a piece that failed', async () => {
    const workshop = new PartTime(1);
    const failed = workshop.run(() => Promise.reject(new Error('no')));
    const next = workshop.run(() => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});

async function* counting(most: number, seen: number[], onEnd = (): void => undefined): AsyncGenerator<number> {
  try {
    for (let item = 1; item <= most; item++) {
      seen.push(item);
      yield await Promise.resolve(item);
    }
  } finally {
    onEnd();
  }
}

/** Until everything that was asked for has come. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('reading ahead', () => {
  it('gives the same items, one asked for while another is worked on and no more', async () => {
    const asked: number[] = [];
    const given: [number, number][] = [];
    for await (const item of readAhead(counting(4, asked))) {
      await settled();
      given.push([item, asked.length]);
    }
    expect(given).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 4],
    ]);
  });

  it('tells a fault when its item is asked for, not before', async () => {
    const items = readAhead(
      (async function* () {
        yield await Promise.resolve(1);
        throw new Error('gone');
      })(),
    );
    expect(await items.next()).toEqual({ value: 1, done: false });
    await settled();
    await expect(items.next()).rejects.toThrow('gone');
  });

  it('ends the source when no more is wanted', async () => {
    let ended = false;
    const asked: number[] = [];
    const onEnd = (): void => void (ended = true);
    for await (const item of readAhead(counting(1_000, asked, onEnd))) if (item === 2) break;
    expect([ended, asked.length]).toEqual([true, 3]);
  });
});

it('gives the result, or the fault, that comes in time', async () => {
  expect(await within(60_000, Promise.resolve(1))).toBe(1);
  await expect(within(60_000, Promise.reject(new Error('fault')))).rejects.toThrow('fault');
});

it('gives null once the time is over, and drops what comes later', async () => {
  let fail = (_error: Error): void => undefined;
  const work = new Promise<number>((_, reject) => (fail = reject));
  expect(await within(1, work)).toBeNull();
  fail(new Error('late'));
  await sleep(0); // an unhandled rejection would fail the run
});

it('takes what came in time while the process itself was held up', async () => {
  const worker = new Worker(
    `require('node:worker_threads').parentPort.once('message', (gate) => {
    Atomics.store(gate, 0, 1), Atomics.notify(gate, 0); require('node:worker_threads').parentPort.postMessage('in time');
    Atomics.wait(gate, 1, 0, 20); Atomics.store(gate, 0, 2), Atomics.notify(gate, 0);
  })`,
    { eval: true },
  );
  await once(worker, 'online');
  await new Promise(setImmediate); // from here on in the phase that timers come after, and reading after them
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const answer = once(worker, 'message').then(([text]: unknown[]) => text);
  worker.postMessage(gate);
  const result = within(1, answer);
  Atomics.wait(gate, 0, 0); // until the worker has begun to answer,
  Atomics.wait(gate, 0, 1); // and long after
  expect(await result).toBe('in time');
  await worker.terminate();
});
