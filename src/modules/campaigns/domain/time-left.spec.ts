import { describe, expect, it } from 'vitest';
import { secondsLeft } from './time-left.js';

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
