import { describe, expect, it } from 'vitest';
import { nextTimeOfDay, readSchedule } from './clock.js';

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

describe('schedule_time', () => {
  const at = new Date('2026-05-01T12:00:00Z');
  const read = (value: unknown): Date | null | undefined => readSchedule(value, 'Asia/Kolkata', at);

  it('is read in the zone, or as ISO 8601; empty, there is none', () => {
    expect(read('2026-05-02 09:30:00')).toEqual(new Date('2026-05-02T04:00:00Z'));
    expect(read('2026-05-02T09:30:00Z')).toEqual(new Date('2026-05-02T09:30:00Z'));
    expect(read('2026-05-01T12:00:00Z')).toEqual(at);
    for (const empty of [undefined, null, '', ' ']) expect(read(empty)).toBeNull();
  });

  it.each([
    '2026-05-01 11:00:00',
    '2026-05-01T11:59:59Z',
    'tomorrow',
    '2026-02-30 00:00:00',
    1777777777,
    true,
    {},
    '+012026-01-01T00:00:00Z',
    '9999-12-31 23:59:59',
  ])('%j is odd or past', (value) => {
    expect(read(value)).toBeUndefined();
  });
});

describe('a schedule of places and seasons', () => {
  const at = new Date('2026-03-10T08:00:00Z');
  const read = (value: string): string | null | undefined => {
    const moment = readSchedule(value, 'Europe/Berlin', at);
    return moment && moment.toISOString();
  };

  it.each([
    ['2026-07-01T09:00:00.250-05:30', '2026-07-01T14:30:00.250Z'],
    ['2026-07-01T09:00+14:00', '2026-06-30T19:00:00.000Z'],
    // Clocks jump from 02:00 to 03:00.
    ['2026-03-29 02:30:00', '2026-03-29T01:30:00.000Z'],
  ])('%s is %s', (value, expected) => expect(read(value)).toBe(expected));

  it.each(['2026-07-01', '09:00:00', '2026-07-01T09:00:00+14:30', '2026-07-01T09:00:00+99:00'])(
    '%s is refused',
    (value) => expect(read(value)).toBeUndefined(),
  );
});
