import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pacer } from './pacing.js';

describe('the slots of a paced route', () => {
  let booked: number[];
  let ahead: number | null;
  let left: string[];
  let pacer: Pacer;

  beforeEach(() => {
    vi.useFakeTimers();
    [booked, ahead, left] = [[], 0, []];
    let free = 0;
    // As the route's row does: the next booking begins where this one ends.
    pacer = new Pacer(100, (slots) => {
      booked.push(slots);
      const wait = Math.max(0, free - performance.now());
      free = performance.now() + wait + slots * 10;
      return Promise.resolve(ahead === null ? null : ahead + wait);
    });
  });
  afterEach(() => vi.useRealTimers());

  const ask = (name: string, items = 1, isUrgent = false): void =>
    void pacer.slot(items, isUrgent).then(() => left.push(name));
  const inOrder = async (names: readonly string[]): Promise<void> => {
    pacer.expect(names.length);
    for (const name of names) {
      await pacer.slot(1, false);
      left.push(name);
    }
  };
  const campaign = Array.from({ length: 100 }, (_, index) => `c${index}`);

  it('come at the rate of the route, booked in blocks of a tenth of a second', async () => {
    void inOrder(campaign);
    await vi.advanceTimersByTimeAsync(500);
    expect(left.length).toBeGreaterThan(45);
    expect(left.length).toBeLessThan(55);
    expect(Math.max(...booked)).toBe(10);
    expect(booked.length).toBeLessThan(8);
  });

  it('of a batch are booked together at its begin', async () => {
    expect(await pacer.freeIn(50)).toBe(0);
    void inOrder(campaign.slice(0, 50));
    await vi.advanceTimersByTimeAsync(600);
    expect([left.length, booked]).toEqual([50, [50]]);
  });

  it('go to a message of one recipient first, whatever campaign is under way', async () => {
    void inOrder(campaign);
    await vi.advanceTimersByTimeAsync(200);
    const before = left.length;
    ask('single', 1, true);
    await vi.advanceTimersByTimeAsync(30);
    expect(left.slice(before, before + 3)).toContain('single');
  });

  it('are taken several at once by a message of several items', async () => {
    pacer.expect(6);
    for (let index = 0; index < 6; index++) ask(`m${index}`, 4);
    await vi.advanceTimersByTimeAsync(100);
    expect(left.length).toBeLessThanOrEqual(3);
    await vi.advanceTimersByTimeAsync(150);
    expect(left).toHaveLength(6);
  });

  it('are booked for one message when one comes, and not for a tenth of a second', async () => {
    ask('alone');
    await vi.advanceTimersByTimeAsync(1);
    expect([left, booked]).toEqual([['alone'], [1]]);
  });

  it('are not saved up while no message asks', async () => {
    pacer.expect(10);
    ask('first');
    await vi.advanceTimersByTimeAsync(5_000);
    void inOrder(campaign);
    await vi.advanceTimersByTimeAsync(20);
    expect(left.length).toBeLessThan(6);
  });

  it('say when the next is free, and wait for a route that is spoken for', async () => {
    ahead = 400;
    expect(await pacer.freeIn()).toBeGreaterThan(300);
    ahead = null;
    const other = new Pacer(100, () => Promise.resolve(null));
    expect(await other.freeIn()).toBeNull();
  });

  describe('of which a worker says that the next ones are its own', () => {
    let said: [at: number, forMs: number][];
    const booking = (perSecond: number, wait: number): Pacer =>
      new Pacer(
        perSecond,
        () => Promise.resolve(wait),
        (forMs) => void said.push([Math.round(performance.now()), Math.round(forMs)]),
      );
    beforeEach(() => {
      said = [];
    });

    it('are a batch long, and published when it begins', async () => {
      const begun = performance.now();
      await booking(100, 0).freeIn(100);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(said.map(([at, forMs]) => [at - Math.round(begun), forMs])).toEqual([[0, 980]]);
    });

    it('are published when the batch before them ends, one slot before the first or a little more', async () => {
      const begun = performance.now();
      await booking(100, 600).freeIn(100);
      await booking(4, 600).freeIn(4);
      await booking(1, 600).freeIn(2);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(said.map(([at, forMs]) => [at - Math.round(begun), forMs])).toEqual([
        [0, 1_590],
        [350, 990],
        [580, 1_000],
      ]);
    });

    it('are those that a batch still needs, if they are more than a few', async () => {
      await booking(100, 0).freeIn(4);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(said.map(([, forMs]) => forMs)).toEqual([20]);
    });

    it('are told of for as long as they are to come', async () => {
      await booking(100, -60).freeIn(12);
      await booking(100, -60).freeIn(9);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(said.map(([, forMs]) => forMs)).toEqual([40]);
    });

    it('are not those of a few messages, or of one', async () => {
      await booking(100, 0).freeIn(3);
      await booking(1, 0).freeIn(1);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(said).toEqual([]);
    });
  });
});
