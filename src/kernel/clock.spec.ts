import { describe, expect, it } from 'vitest';
import { nextTimeOfDay } from './clock.js';

describe('the next time of day', () => {
  const at = new Date('2026-03-10T08:00:00.500Z');

  it.each([
    ['09:30:00', 'UTC', '2026-03-10T09:30:00.000Z'],
    ['08:00:00', 'UTC', '2026-03-11T08:00:00.000Z'],
    ['00:00:00', 'Asia/Kolkata', '2026-03-10T18:30:00.000Z'],
    ['13:30:01', 'Asia/Kolkata', '2026-03-10T08:00:01.000Z'],
  ])('%s in %s', (text, zone, expected) => {
    expect(nextTimeOfDay(text, zone, at)?.toISOString()).toBe(expected);
  });

  it('keeps the clock over a change of summer time', () => {
    const eve = new Date('2026-03-28T12:00:00Z');
    expect(nextTimeOfDay('08:00:00', 'Europe/Berlin', eve)?.toISOString()).toBe('2026-03-29T06:00:00.000Z');
  });

  it.each(['', '9:30', '24:00:00', '12:60:00', '09:30', 'soon', '2026-01-01 09:30:00'])('%j is none', (text) => {
    expect(nextTimeOfDay(text, 'UTC', at)).toBeNull();
  });
});
