import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyedSemaphore, Semaphore, UrgentFirst } from './semaphore.js';

const gate = (): { opened: Promise<void>; open: () => void } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const refusal = (): Error => new Error('no permit');

describe('work under a semaphore', () => {
  it('runs as many at once as there are permits, the others in their order', async () => {
    const semaphore = new Semaphore(2, { patienceMs: 60_000, refusal });
    const begun: number[] = [];
    const gates = [0, 1, 2, 3].map(() => gate());
    const all = gates.map(({ opened }, index) =>
      semaphore.run(async () => {
        begun.push(index);
        await opened;
        return index;
      }),
    );
    await settled();
    expect(begun).toEqual([0, 1]);
    gates[1]?.open();
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    for (const { open } of gates) open();
    expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
  });

  it('begins within the call while there is a permit', () => {
    let hasBegun = false;
    void new Semaphore(1).run(() => Promise.resolve((hasBegun = true)));
    expect(hasBegun).toBe(true);
  });

  it('gives the permit back after a fault', async () => {
    const semaphore = new Semaphore(1, { patienceMs: 60_000, refusal });
    await expect(semaphore.run(() => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    expect(await semaphore.run(() => Promise.resolve(1))).toBe(1);
  });

  it('is refused when it waits too long, and the next one runs', async () => {
    const semaphore = new Semaphore(1, { patienceMs: 20, refusal });
    const first = gate();
    const running = semaphore.run(() => first.opened);
    await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow('no permit');
    first.open();
    await running;
    expect(await semaphore.run(() => Promise.resolve(2))).toBe(2);
  });
});

describe('permits of a semaphore', () => {
  const LATER = 10_000;
  let semaphore: Semaphore;
  let entered: string[];

  /** Asks for a permit; `entered` tells who got one, in order. */
  const ask = (name: string, milliseconds = LATER, isUrgent = false): Promise<boolean> =>
    semaphore.acquire(performance.now() + milliseconds, isUrgent).then((isIn) => {
      if (isIn) entered.push(name);
      return isIn;
    });

  beforeEach(() => {
    vi.useFakeTimers();
    semaphore = new Semaphore(2);
    entered = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('go to two at once and to the others in their order', async () => {
    for (const name of ['a', 'b', 'c', 'd']) void ask(name);
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual(['a', 'b']);
    semaphore.release();
    semaphore.release();
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are as many as there are by now where their number changes, for what waits as soon as something ends', async () => {
    let permits = 3;
    semaphore = new Semaphore(() => permits);
    for (const name of ['a', 'b', 'c']) void ask(name);
    permits = 1;
    for (const name of ['d', 'e', 'f']) void ask(name);
    semaphore.release();
    semaphore.release();
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual(['a', 'b', 'c']);
    semaphore.release();
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
    permits = 2;
    semaphore.release();
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    semaphore.release();
    semaphore.release();
    expect(semaphore.isIdle).toBe(true);
  });

  it('go to what is urgent before those that wait', async () => {
    for (const name of ['a', 'b', 'c']) void ask(name);
    for (const name of ['x', 'y']) void ask(name, LATER, true);
    for (let left = 0; left < 3; left++) semaphore.release();
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual(['a', 'b', 'x', 'y', 'c']);
  });

  it('are waited for no longer than asked, whatever stands before', async () => {
    const asked = [ask('a'), ask('b'), ask('c', 300), ask('d', 100), ask('e', 200), ask('f')];
    const turnedAway: number[] = [];
    for (const index of [2, 3, 4]) {
      void asked[index]?.then((isIn) => {
        if (!isIn) turnedAway.push(index);
      });
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(turnedAway).toEqual([3]);
    await vi.advanceTimersByTimeAsync(200);
    expect(turnedAway).toEqual([3, 4, 2]);
    semaphore.release();
    expect(await asked[5]).toBe(true);
    expect(await semaphore.acquire(performance.now())).toBe(false);
    expect(entered).toEqual(['a', 'b', 'f']);
  });

  it('keep the order of thousands, some of which give up', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => String(index));
    for (const name of names) void ask(name, Number(name) % 10 === 7 ? 50 : LATER);
    await vi.advanceTimersByTimeAsync(60);
    for (let left = 0; left < 3_000; left++) semaphore.release();
    for (const name of ['x', 'y']) void ask(name);
    for (let left = 0; left < 1_502; left++) semaphore.release();
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual([...names.filter((name) => Number(name) % 10 !== 7), 'x', 'y']);
  });

  it('are refused to all that wait, and the last one given back is told', async () => {
    const asked = [ask('a'), ask('b'), ask('c')];
    await vi.advanceTimersByTimeAsync(1);
    semaphore.refuseWaiting();
    expect(await asked[2]).toBe(false);
    let isEmpty = false;
    void semaphore.drained(LATER).then(() => (isEmpty = true));
    semaphore.release();
    await vi.advanceTimersByTimeAsync(1);
    expect(isEmpty).toBe(false);
    semaphore.release();
    await vi.advanceTimersByTimeAsync(1);
    expect(isEmpty).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are waited for at the end no longer than said', async () => {
    void ask('a');
    let isOver = false;
    void semaphore.drained(500).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(500);
    expect(isOver).toBe(true);
  });
});

describe('a keyed semaphore', () => {
  const SHARES = { permits: 3, each: 2, waiting: 1, patienceMs: 60_000 };

  it('gives no key more than its share, so that there are permits for the others', async () => {
    const semaphore = new KeyedSemaphore<string>(SHARES, refusal);
    const begun: string[] = [];
    const slow = gate();
    const work = (name: string) => async (): Promise<void> => {
      begun.push(name);
      await slow.opened;
    };
    const all = [semaphore.run('a', work('a1')), semaphore.run('a', work('a2')), semaphore.run('a', work('a3'))];
    await expect(semaphore.run('a', work('a4'))).rejects.toThrow('no permit');
    all.push(semaphore.run('b', work('b1')), semaphore.run('b', work('b2')));
    await settled();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    slow.open();
    await Promise.all(all);
    expect(begun).toEqual(expect.arrayContaining(['a3', 'b2']));
    expect(await semaphore.run('a', () => Promise.resolve('again'))).toBe('again');
  });

  it('counts work for each of its keys, and frees all of them', async () => {
    const semaphore = new KeyedSemaphore<string>(SHARES, refusal);
    const slow = gate();
    const work = vi.fn(() => slow.opened);
    const all = [
      semaphore.runOf(['a', 'x'], work),
      semaphore.runOf(['b', 'x'], work),
      semaphore.runOf(['c', 'x'], work),
      semaphore.runOf(['a', 'y'], work),
    ];
    await settled();
    // x has its share, and y the last permit
    expect(work).toHaveBeenCalledTimes(3);
    await expect(semaphore.runOf(['d', 'x'], work)).rejects.toThrow('no permit');
    slow.open();
    await Promise.all(all);
    expect(work).toHaveBeenCalledTimes(4);
    const again = ['p', 'q', 'r'].map((key) => semaphore.runOf([key, key.toUpperCase()], () => Promise.resolve(key)));
    expect(await Promise.all(again)).toEqual(['p', 'q', 'r']);
  });

  it('refuses what waits too long, and gives the permit back after a fault', async () => {
    const semaphore = new KeyedSemaphore<string>({ ...SHARES, each: 1, patienceMs: 20 }, refusal);
    const slow = gate();
    const first = semaphore.run('a', () => slow.opened);
    await expect(semaphore.run('a', () => Promise.resolve())).rejects.toThrow('no permit');
    slow.open();
    await first;
    await expect(semaphore.run('a', () => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    expect(await semaphore.run('a', () => Promise.resolve(1))).toBe(1);
  });
});

const taken = (queue: UrgentFirst<string>): string[] => {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
};

describe('a queue with urgent items', () => {
  it('lets them go first, each kind in its order', () => {
    const queue = new UrgentFirst<string>();
    for (const item of ['a', 'b']) queue.push(item);
    for (const item of ['x', 'y']) queue.push(item, true);
    expect(queue.length).toBe(4);
    expect(taken(queue)).toEqual(['x', 'y', 'a', 'b']);
    expect(queue.length).toBe(0);
  });

  it('lets one of the others go after nine of them, however many come', () => {
    const queue = new UrgentFirst<string>();
    for (const item of ['a', 'b', 'c']) queue.push(item);
    const seen: (string | undefined)[] = [];
    for (let urgent = 0; urgent < 30; urgent++) {
      queue.push(`u${urgent}`, true);
      seen.push(queue.shift());
    }
    expect(seen.flatMap((item, index) => (item?.startsWith('u') ? [] : [[item, index]]))).toEqual([
      ['a', 9],
      ['b', 19],
      ['c', 29],
    ]);
    expect(seen.filter((item) => item?.startsWith('u'))).toEqual(Array.from({ length: 27 }, (_, index) => `u${index}`));
  });

  it('gives up what is over, and keeps the order of the rest', () => {
    const queue = new UrgentFirst<string>();
    for (const item of ['a', 'b', 'c', 'd']) queue.push(item);
    for (const item of ['x', 'y', 'z']) queue.push(item, true);
    expect(queue.remove((item) => 'bdy'.includes(item))).toEqual(['y', 'b', 'd']);
    expect(taken(queue)).toEqual(['x', 'z', 'a', 'c']);
  });
});
