import { describe, expect, it } from 'vitest';
import { SharedTurns } from './shared-turns.js';
import { Turns } from './turns.js';

const gate = (): { opened: Promise<void>; open: () => void } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('runs as many at once as there are places, the others in their order', async () => {
    const turns = new Turns(2, 60_000, () => new Error('no turn'));
    const begun: number[] = [];
    const gates = [0, 1, 2, 3].map(() => gate());
    const all = gates.map(({ opened }, index) =>
      turns.take(async () => {
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

  it('gives the place back after a fault', async () => {
    const turns = new Turns(1, 60_000, () => new Error('no turn'));
    await expect(turns.take(() => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    expect(await turns.take(() => Promise.resolve(1))).toBe(1);
  });

  it('refuses who waits too long, and takes the next one in', async () => {
    const turns = new Turns(1, 20, () => new Error('no turn'));
    const first = gate();
    const running = turns.take(() => first.opened);
    await expect(turns.take(() => Promise.resolve())).rejects.toThrow('no turn');
    first.open();
    await running;
    expect(await turns.take(() => Promise.resolve(2))).toBe(2);
  });
});

describe('shared turns', () => {
  const SHARES = { places: 3, each: 2, waiting: 1, patienceMs: 60_000 };

  it('give nobody more than his share, so that there are places for the others', async () => {
    const turns = new SharedTurns<string>(SHARES, () => new Error('no turn'));
    const begun: string[] = [];
    const slow = gate();
    const work = (name: string) => async (): Promise<void> => {
      begun.push(name);
      await slow.opened;
    };
    const all = [turns.take('a', work('a1')), turns.take('a', work('a2')), turns.take('a', work('a3'))];
    await expect(turns.take('a', work('a4'))).rejects.toThrow('no turn');
    all.push(turns.take('b', work('b1')), turns.take('b', work('b2')));
    await settled();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    slow.open();
    await Promise.all(all);
    expect(begun).toEqual(expect.arrayContaining(['a3', 'b2']));
    expect(await turns.take('a', () => Promise.resolve('again'))).toBe('again');
  });

  it('refuse who waits too long, and give the place back after a fault', async () => {
    const turns = new SharedTurns<string>({ ...SHARES, each: 1, patienceMs: 20 }, () => new Error('no turn'));
    const slow = gate();
    const first = turns.take('a', () => slow.opened);
    await expect(turns.take('a', () => Promise.resolve())).rejects.toThrow('no turn');
    slow.open();
    await first;
    await expect(turns.take('a', () => Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    expect(await turns.take('a', () => Promise.resolve(1))).toBe(1);
  });
});
