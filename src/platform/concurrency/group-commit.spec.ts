import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Beat, type Gathering, GroupCommit } from './group-commit.js';

/** Two groups at once, those that have begun, and what ends each. */
function pairOf(gathering: Gathering<number>) {
  const ended: (() => void)[] = [];
  const begun: number[][] = [];
  const pair = new GroupCommit<number, number>(
    (items) => {
      begun.push(items);
      return new Promise((resolve) => ended.push(() => resolve(items)));
    },
    { ...gathering, atOnce: 2 },
  );
  return { pair, begun, ended };
}

describe('a group commit', () => {
  let groups: number[][];
  /** ends of the flushes under way */
  let ends: ((error?: Error) => void)[];
  let commit: GroupCommit<number, string>;
  const passed = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);
  const end = async (error?: Error): Promise<void> => {
    ends.shift()?.(error);
    await passed(0);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    [groups, ends] = [[], []];
    commit = new GroupCommit(
      (items) => {
        groups.push(items);
        const answers = items.map((item) => `answer ${item}`);
        return new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve(answers))));
      },
      { maxItems: 3, delayMs: 10 },
    );
  });
  afterEach(() => vi.useRealTimers());

  it('gathers for a moment, and gives each caller its own answer', async () => {
    const answers = [commit.add(1), commit.add(2)];
    await passed(9);
    expect(groups).toEqual([]);
    await passed(1);
    expect(groups).toEqual([[1, 2]]);
    await end();
    expect(await Promise.all(answers)).toEqual(['answer 1', 'answer 2']);
  });

  it('does not wait for more than a group may hold', async () => {
    const answers = [1, 2, 3].map((item) => commit.add(item));
    expect(groups).toEqual([[1, 2, 3]]);
    await end();
    await Promise.all(answers);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('flushes one group at a time, and what came meanwhile at once afterwards', async () => {
    const answers = [1, 2, 3, 4, 5, 6, 7].map((item) => commit.add(item));
    await passed(100);
    expect(groups).toEqual([[1, 2, 3]]);
    await end();
    expect(groups).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    await end();
    await end();
    expect(await Promise.all(answers)).toHaveLength(7);
    expect(groups.at(-1)).toEqual([7]);
  });

  it('begins beside another for so many, after a while, or when that one has ended', async () => {
    const { pair, begun, ended } = pairOf({ maxItems: 4, delayMs: 0, beside: { maxItems: 2, delayMs: 10 } });
    const add = async (...items: number[]): Promise<void> => {
      for (const item of items) void pair.add(item);
      await passed(0);
    };
    const next = async (): Promise<void> => {
      ended.shift()?.();
      await passed(0);
    };
    await add(1);
    await add(2);
    await passed(9);
    expect(begun).toEqual([[1]]);
    await passed(1); // after a while
    expect(begun.slice(1)).toEqual([[2]]);
    await next();
    await add(3);
    expect(begun).toHaveLength(2);
    await next(); // the other one has ended
    expect(begun.slice(2)).toEqual([[3]]);
    await add(4, 5); // so many
    expect(begun.slice(3)).toEqual([[4, 5]]);
    await add(6, 7, 8);
    await next(); // beside the last one, for so many
    expect(begun.slice(4)).toEqual([[6, 7, 8]]);
    await add(9);
    await next(); // too few, as long as another one goes on
    await passed(9);
    expect(begun).toHaveLength(5);
    await passed(1);
    expect(begun.slice(5)).toEqual([[9]]);
    await next();
    await next();
    expect(vi.getTimerCount()).toBe(0);
    expect(pair.busy).toBe(false);
  });

  it('flushes as many groups side by side as it may, and no more', async () => {
    const { pair, begun, ended } = pairOf({ maxItems: 2, delayMs: 10 });
    const answers = [1, 2, 3, 4, 5].map((item) => pair.add(item));
    await passed(100);
    expect(begun).toEqual([
      [1, 2],
      [3, 4],
    ]);
    ended[1]?.();
    await passed(0);
    expect(begun.at(-1)).toEqual([5]);
    ended[0]?.();
    ended[2]?.();
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5]);
    expect([pair.busy, vi.getTimerCount()]).toEqual([false, 0]);
  });

  it('gathers with a delay of 0 what comes in one turn of the event loop, without a timer', async () => {
    const group = new GroupCommit<number, number>(
      (items) => {
        groups.push(items);
        return Promise.resolve(items);
      },
      { maxItems: 10, delayMs: 0 },
    );
    const answers = [group.add(1), Promise.resolve().then(() => group.add(2))];
    await Promise.resolve();
    expect(groups).toEqual([]);
    await passed(0);
    expect(groups).toEqual([[1, 2]]);
    expect(await Promise.all(answers)).toEqual([1, 2]);
  });

  it('weighs items, and lets one that weighs too much go alone', async () => {
    const heavy = new GroupCommit<number, number>(
      (items) => {
        groups.push(items);
        return Promise.resolve(items);
      },
      { maxItems: 10, delayMs: 10, weigh: (item) => item },
    );
    const answers = [4, 5, 2, 30, 1].map((item) => heavy.add(item));
    await passed(0);
    expect(groups[0]).toEqual([4, 5]);
    expect(await Promise.all(answers)).toEqual([4, 5, 2, 30, 1]);
    expect(groups).toEqual([[4, 5], [2], [30], [1]]);
    expect([heavy.busy, vi.getTimerCount()]).toEqual([false, 0]);
  });

  it('gives the fault of a group to all of its callers, and to no other', async () => {
    const failed = Promise.allSettled([1, 2, 3].map((item) => commit.add(item)));
    const later = commit.add(4);
    await end(new Error('fault'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await end();
    expect(await later).toBe('answer 4');
  });

  it("lets items go one by one after a fault that may be one item's own, and after no other", async () => {
    const fault = new Error('of an item');
    const away = new Error('away');
    let answer: (items: readonly number[]) => Promise<number[]> = (items) =>
      items.includes(2) ? Promise.reject(fault) : Promise.resolve([...items]);
    const parting = new GroupCommit<number, number>(
      (items) => {
        groups.push(items);
        return answer(items);
      },
      { maxItems: 10, delayMs: 0, isOwn: (error) => error === fault },
    );
    const ends = Promise.allSettled([1, 2, 3].map((item) => parting.add(item)));
    await passed(0);
    expect(await ends).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: fault },
      { status: 'fulfilled', value: 3 },
    ]);
    expect(groups).toEqual([[1, 2, 3], [1], [2], [3]]);
    answer = () => Promise.reject(away);
    const failed = Promise.allSettled([4, 5].map((item) => parting.add(item)));
    await passed(0);
    expect(await failed).toEqual([4, 5].map(() => ({ status: 'rejected', reason: away })));
    expect(groups.slice(4)).toEqual([[4, 5]]);
  });

  it('tries none of a group that has parted any more once a fault lies in none of its items', async () => {
    const own = new Error('of an item');
    const away = new Error('away');
    const answers: Record<number, Error> = { 2: own, 3: away };
    const parting = new GroupCommit<number, number>(
      (items) => {
        groups.push(items);
        const fault = items.length > 1 ? own : answers[items[0] ?? 0];
        return fault ? Promise.reject(fault) : Promise.resolve(items);
      },
      { maxItems: 10, delayMs: 0, isOwn: (error) => error === own },
    );
    const ends = Promise.allSettled([1, 2, 3, 4, 5].map((item) => parting.add(item)));
    await passed(0);
    expect(await ends).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: own },
      ...[3, 4, 5].map(() => ({ status: 'rejected', reason: away })),
    ]);
    expect(groups).toEqual([[1, 2, 3, 4, 5], [1], [2], [3]]);
    expect([parting.busy, vi.getTimerCount()]).toEqual([false, 0]);
  });

  it('says when nothing waits and nothing runs', async () => {
    await commit.drained();
    void commit.add(1);
    let isDrained = false;
    void commit.drained().then(() => (isDrained = true));
    await passed(10);
    expect({ isDrained, busy: commit.busy }).toEqual({ isDrained: false, busy: true });
    await end();
    expect({ isDrained, busy: commit.busy }).toEqual({ isDrained: true, busy: false });
  });
});

describe('a beat', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('wakes those who came since the last one together, and rests while none is asked for', async () => {
    const beat = new Beat(40);
    const woken: string[] = [];
    const wait = (name: string): void => void beat.nextBeat().then(() => woken.push(name));
    wait('first');
    await vi.advanceTimersByTimeAsync(39);
    wait('second');
    expect([woken, vi.getTimerCount()]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect([woken, vi.getTimerCount()]).toEqual([['first', 'second'], 0]);
    wait('third');
    await vi.advanceTimersByTimeAsync(40);
    expect(woken).toEqual(['first', 'second', 'third']);
  });
});
