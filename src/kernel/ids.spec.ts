import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as IdsModule from './ids.js';
import { cellOfRequestId, isRequestId, newRequestId } from './ids.js';

type Ids = typeof IdsModule;

/** The module as a process of its own has it, with the place that the lot gives it. */
async function anotherProcess(place: number): Promise<Ids> {
  vi.resetModules();
  vi.doMock('node:crypto', () => ({ randomInt: () => place }));
  return import('./ids.js');
}

const take = (ids: Ids, count: number): number[] => Array.from({ length: count }, () => ids.newId());

describe('newId', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 22), toFake: ['Date'] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.doUnmock('node:crypto');
    vi.resetModules();
  });

  it('never gives two processes one id, though each makes 1,000 in the same millisecond', async () => {
    const processes = [await anotherProcess(3), await anotherProcess(4), await anotherProcess(127)];
    const made = processes.flatMap((ids) => take(ids, 1_000));
    expect(new Set(made).size).toBe(3_000);
  });

  it('parts two processes that have drawn one place', async () => {
    const [one, other] = [await anotherProcess(9), await anotherProcess(9)];
    expect(other.newId()).toBe(one.newId());
    other.redrawIds();
    expect(new Set([...take(one, 100), ...take(other, 100)]).size).toBe(200);
  });

  it('rises, carries the time, and stays a safe integer', async () => {
    const ids = await anotherProcess(77);
    const before = ids.firstIdAt(new Date());
    const burst = take(ids, 1_000);
    expect(burst).toEqual([...burst].sort((a, b) => a - b));
    expect(burst[0]).toBeGreaterThanOrEqual(before);
    // 1,000 at 32 a millisecond
    expect(burst.at(-1)).toBeLessThan(ids.firstIdAt(new Date(Date.now() + 32)));
    vi.setSystemTime(Date.now() - 5_000); // a clock that steps back
    expect(ids.newId()).toBeGreaterThan(burst.at(-1) ?? 0);
    vi.setSystemTime(Date.UTC(2090, 0, 1));
    expect(Number.isSafeInteger(ids.newId())).toBe(true);
  });

  it('follows a clock that had run ahead, and repeats none of its own ids', async () => {
    const ids = await anotherProcess(5);
    const start = Date.now();
    const before = take(ids, 100);
    vi.setSystemTime(start + 25 * 3_600_000);
    const ahead = take(ids, 100);
    vi.setSystemTime(start);
    const after = take(ids, 100);
    expect(new Set([...before, ...ahead, ...after]).size).toBe(300);
    expect(after).toEqual([...after].sort((a, b) => a - b));
    expect(after.at(-1)).toBeLessThan(ids.firstIdAt(new Date(start + 100)));
    expect(ids.isRecentId(after.at(-1) ?? 0)).toBe(true);
  });

  it('knows a recent id from another number', async () => {
    const ids = await anotherProcess(1);
    expect(ids.isRecentId(ids.newId())).toBe(true);
    expect(ids.isRecentId(ids.firstIdAt(new Date(Date.now() - 120_000)))).toBe(false);
    expect(ids.isRecentId(42)).toBe(false);
  });
});

const AT = { at: new Date('2026-05-01T20:00:00Z'), zone: 'Asia/Kolkata' };

describe('newRequestId', () => {
  it('has the form of its channel, with the day of the account', () => {
    expect(newRequestId('GSMCAMP', 6, AT)).toMatch(/^GSMCAMP_20260502_[A-Z0-9]{6}$/);
    expect(newRequestId('VCAMP', 8, AT)).toMatch(/^VCAMP_20260502_[A-Z0-9]{8}$/);
  });

  it('carries the letter of its cell in the same form', () => {
    expect(newRequestId('GSMCAMP', 6, { ...AT, cell: 'b' })).toMatch(/^GSMCAMP_20260502_B[A-Z0-9]{5}$/);
    expect(newRequestId('WCAMP', 8, { ...AT, cell: 'z' })).toMatch(/^WCAMP_20260502_Z[A-Z0-9]{7}$/);
  });
});

describe('isRequestId', () => {
  it('takes what a campaign can have, and nothing that the database could not compare', () => {
    const ids = ['a', 'order-1', 'x'.repeat(64), '0f9c8b7a-6d5e-4c3b-2a19-08f7e6d5c4b3', newRequestId('VCAMP', 8, AT)];
    expect(ids.filter(isRequestId)).toEqual(ids);
    expect(['', 'é', 'a b', 'a\n', 'x'.repeat(65), 'a/b'].filter(isRequestId)).toEqual([]);
  });
});

describe('cellOfRequestId', () => {
  it('reads the letter of what was generated', () => {
    for (const cell of 'abcxyz') {
      expect(cellOfRequestId(newRequestId('GSMCAMP', 6, { ...AT, cell }))).toBe(cell);
      expect(cellOfRequestId(newRequestId('MY-OWN', 8, { ...AT, cell }))).toBe(cell);
    }
  });

  it('reads none where there is none', () => {
    const others = ['order-1', 'GSMCAMP_20260501_4BCDEF', 'GSMCAMP_20260501_ABCDE', 'GSMCAMP_2026_ABCDEF', ''];
    for (const id of [
      ...others,
      'GSMCAMP_20260501_ABCDEFG',
      'GSMCAMP_20260501_abcdef',
      '0f9c8b7a-6d5e-4c3b-2a19-08f7e6d5c4b3',
    ])
      expect(cellOfRequestId(id), id).toBeNull();
  });
});
