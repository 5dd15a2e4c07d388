import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SendGate } from './send-gate.js';

const LATER = 10_000;

describe('a gate', () => {
  let gate: SendGate;
  let entered: string[];

  /** Asks for a place; `entered` tells who got one, in order. */
  const ask = (name: string, milliseconds = LATER): Promise<boolean> =>
    gate.enter(performance.now() + milliseconds).then((isIn) => {
      if (isIn) entered.push(name);
      return isIn;
    });

  beforeEach(() => {
    vi.useFakeTimers();
    gate = new SendGate(2);
    entered = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('lets two in at once and the others in their order', async () => {
    for (const name of ['a', 'b', 'c', 'd']) void ask(name);
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual(['a', 'b']);
    gate.leave();
    gate.leave();
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('nobody waits longer than he may, whatever stands before him', async () => {
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
    gate.leave();
    expect(await asked[5]).toBe(true);
    expect(await gate.enter(performance.now())).toBe(false);
    expect(entered).toEqual(['a', 'b', 'f']);
  });

  it('keeps the order of thousands, some of whom give up', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => String(index));
    for (const name of names) void ask(name, Number(name) % 10 === 7 ? 50 : LATER);
    await vi.advanceTimersByTimeAsync(60);
    for (let left = 0; left < 3_000; left++) gate.leave();
    for (const name of ['x', 'y']) void ask(name);
    for (let left = 0; left < 1_502; left++) gate.leave();
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual([...names.filter((name) => Number(name) % 10 !== 7), 'x', 'y']);
  });

  it('turns away who waits, and says when it is empty', async () => {
    const asked = [ask('a'), ask('b'), ask('c')];
    await vi.advanceTimersByTimeAsync(1);
    gate.turnAway();
    expect(await asked[2]).toBe(false);
    let isEmpty = false;
    void gate.drained(LATER).then(() => (isEmpty = true));
    gate.leave();
    await vi.advanceTimersByTimeAsync(1);
    expect(isEmpty).toBe(false);
    gate.leave();
    await vi.advanceTimersByTimeAsync(1);
    expect(isEmpty).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for the last no longer than it shall', async () => {
    void ask('a');
    let isOver = false;
    void gate.drained(500).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(500);
    expect(isOver).toBe(true);
  });
});
