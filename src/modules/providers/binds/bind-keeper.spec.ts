import { describe, expect, it } from 'vitest';
import { type BindMarket, shareOf } from './bind-keeper.js';
import type { BindSlot } from './route-binds.store.js';

/** Bind slots by their holders: null = free, `!name` = its lease has ended. */
const placesOf = (...holders: (string | null)[]): BindSlot[] =>
  holders.map((holder, index) => ({
    routeId: 1,
    place: index + 1,
    fence: 0,
    holder: holder?.replace('!', '') ?? null,
    isFree: holder === null || holder.startsWith('!'),
    bound: true,
    refusals: 0,
    fault: null,
  }));
const share = (worker: string, slots: BindSlot[], ...workers: string[]) => {
  const market: BindMarket = { binds: slots.length, slots, worker, workers };
  const { take, surplus } = shareOf(market);
  return [take.map(({ place }) => place), surplus];
};

describe('the share of a worker', () => {
  it('is all of it while the worker is alone', () => {
    expect(share('a', placesOf(null, null, null))).toEqual([[1, 2, 3], 0]);
  });

  it('is as much as that of any other, or one more', () => {
    expect(share('a', placesOf(null, null, null, null), 'b')).toEqual([[1, 2], 0]);
    expect(share('b', placesOf('a', 'a', null, null), 'a')).toEqual([[3, 4], 0]);
    expect(share('a', placesOf(null, null, null, null), 'b', 'c')).toEqual([[1, 2], 0]);
    expect(share('b', placesOf('a', 'a', null, null), 'a', 'c')).toEqual([[3], 0]);
    expect(share('c', placesOf('a', 'a', 'b', null), 'a', 'b')).toEqual([[4], 0]);
  });

  it('is none where there are more workers than slots, until one is free', () => {
    expect(share('c', placesOf('a', 'b'), 'a', 'b', 'd')).toEqual([[], 0]);
    expect(share('c', placesOf('a', null), 'a', 'b', 'd')).toEqual([[2], 0]);
    expect(share('a', placesOf('a', null), 'b', 'c', 'd')).toEqual([[], 0]);
  });

  it('gives back what is more than that when workers come', () => {
    expect(share('a', placesOf('a', 'a', 'a', 'a'), 'b')).toEqual([[], 2]);
    expect(share('a', placesOf('a', 'a'), 'b', 'c', 'd')).toEqual([[], 1]);
  });

  it('gives one back for a worker that is short, by one of those that have one more', () => {
    const slots = placesOf('a', 'a', 'b', 'b');
    expect(share('a', slots, 'b', 'c')).toEqual([[], 1]);
    expect(share('b', slots, 'a', 'c')).toEqual([[], 0]);
    expect(share('c', slots, 'a', 'b')).toEqual([[], 0]);
  });

  it('counts no worker whose lease has ended', () => {
    expect(share('b', placesOf('!a', 'b'), 'a')).toEqual([[1], 0]);
  });

  it('has nothing beyond the number of the route', () => {
    const slots = placesOf('a', 'b', 'a');
    expect(shareOf({ binds: 2, slots, worker: 'a', workers: ['b'] })).toMatchObject({ take: [], surplus: 1 });
    const free = placesOf('a', 'b', null);
    expect(shareOf({ binds: 2, slots: free, worker: 'a', workers: ['b'] })).toMatchObject({ take: [], surplus: 0 });
  });
});
