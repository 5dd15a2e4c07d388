import { describe, expect, it } from 'vitest';
import { PaceMemory, secondsLeft } from './campaign-outlook.js';

describe('the time left', () => {
  const pace = { unsent: 1_000, recent: null, average: null, limit: null };

  it.each([
    ['all have left', { unsent: 0, recent: 0 }, 0],
    ['nothing has been seen, and nothing limits it', {}, null],
    ['only the limit is known', { limit: 50 }, 20],
    ['the whole time is known', { average: 10 }, 100],
    ['the last minute is known: it counts, not the whole time', { average: 10, recent: 100 }, 10],
    ['more was seen than the limit lets through', { recent: 100, limit: 50 }, 20],
    ['nothing leaves any more', { average: 10, recent: 0, limit: 50 }, null],
    ['a part of a second is left', { unsent: 1, recent: 400 }, 1],
  ])('where %s', (_, known, seconds) => {
    expect(secondsLeft({ ...pace, ...known })).toBe(seconds);
  });
});

describe('the pace of a campaign', () => {
  it('is unknown until five seconds have been seen, then that of the last minute', () => {
    const memory = new PaceMemory();
    expect(memory.record(1, 10_000, 0)).toBeNull();
    expect(memory.record(1, 9_800, 2_000)).toBeNull();
    expect(memory.record(1, 9_000, 10_000)).toBe(100);
    expect(memory.record(2, 9_000, 10_000)).toBeNull();
    // what is older than a minute does not count: 9,000 were left after ten seconds
    expect(memory.record(1, 6_000, 70_000)).toBe(50);
  });

  it('is none where nothing leaves, and begins again after a pause', () => {
    const memory = new PaceMemory();
    memory.record(1, 500, 0);
    expect(memory.record(1, 500, 6_000)).toBe(0);
    memory.forget(1);
    expect(memory.record(1, 500, 60_000)).toBeNull();
  });

  it('bears a clock that steps back', () => {
    const memory = new PaceMemory();
    memory.record(1, 500, 100_000);
    expect(memory.record(1, 400, 50_000)).toBeNull();
    expect(memory.record(1, 300, 60_000)).toBe(10);
  });
});
