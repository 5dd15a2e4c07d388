import { describe, expect, it } from 'vitest';
import { Pace, spokenSeconds } from './time-left.js';

describe('Pace', () => {
  it('knows nothing of what does not move, and goes by the last minute', () => {
    const pace = new Pace();
    expect(pace.secondsLeft(100)).toBeNull();
    pace.see({ at: 0, final: 10 });
    expect(pace.secondsLeft(100)).toBeNull();
    pace.see({ at: 1_000, final: 10 });
    expect(pace.secondsLeft(100)).toBeNull();
    pace.see({ at: 2_000, final: 30 });
    expect(pace.secondsLeft(100)).toBe(7);
    for (let second = 3; second < 70; second++) pace.see({ at: second * 1_000, final: 30 });
    expect(pace.secondsLeft(100)).toBeNull();
  });
});

describe('spokenSeconds', () => {
  it('says seconds, minutes and hours', () => {
    expect([1, 119, 120, 3_600, 7_200, 7_500].map(spokenSeconds)).toEqual([
      '1 s',
      '119 s',
      '2 min',
      '60 min',
      '2 h 0 min',
      '2 h 5 min',
    ]);
  });
});
