import { describe, expect, it } from 'vitest';
import { readAhead } from './read-ahead.js';

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
