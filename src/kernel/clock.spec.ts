import { describe, expect, it } from 'vitest';
import { clockChangeOf, isoTime, nextTimeOfDay, readBound, readMoment, readRetryAfter, readSchedule } from './clock.js';

describe('the next time of day', () => {
  const at = new Date('2026-03-10T08:00:00.500Z');

  it.each([
    ['09:30:00', 'UTC', '2026-03-10T09:30:00.000Z'],
    ['08:00:00', 'UTC', '2026-03-11T08:00:00.000Z'],
    ['00:00:00', 'Asia/Kolkata', '2026-03-10T18:30:00.000Z'],
    ['13:30:01', 'Asia/Kolkata', '2026-03-10T08:00:01.000Z'],
  ])('%s in %s', (text, zone, expected) => {
    expect(nextTimeOfDay(text, zone, at)).toEqual({ at: new Date(expected), change: null });
  });

  it('keeps the clock over a change of summer time', () => {
    const eve = new Date('2026-03-28T12:00:00Z');
    expect(nextTimeOfDay('08:00:00', 'Europe/Berlin', eve)?.at.toISOString()).toBe('2026-03-29T06:00:00.000Z');
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
    ['2026-07-01T09:00:00[America/New_York]', '2026-07-01T13:00:00.000Z'],
    ['2026-07-01T09:00:00-04:00[America/New_York]', '2026-07-01T13:00:00.000Z'],
  ])('%s is %s', (value, expected) => expect(read(value)).toBe(expected));

  it.each(['2026-07-01', '09:00:00', '2026-07-01T09:00:00+14:30', '2026-07-01T09:00:00+99:00'])(
    '%s is refused',
    (value) => expect(read(value)).toBeUndefined(),
  );
});

/** Skipped and repeated hours: an hour in Berlin and New York, half an hour on Lord Howe Island, a whole day on Samoa. */
const CHANGES: readonly [zone: string, local: string, instant: string, change: 'skipped' | 'repeated' | null][] = [
  ['Europe/Berlin', '2027-03-28 01:59:59', '2027-03-28T00:59:59.000Z', null],
  ['Europe/Berlin', '2027-03-28 02:00:00', '2027-03-28T01:00:00.000Z', 'skipped'],
  ['Europe/Berlin', '2027-03-28 02:30:00', '2027-03-28T01:00:00.000Z', 'skipped'],
  ['Europe/Berlin', '2027-03-28 02:59:59', '2027-03-28T01:00:00.000Z', 'skipped'],
  ['Europe/Berlin', '2027-03-28 03:00:00', '2027-03-28T01:00:00.000Z', null],
  ['Europe/Berlin', '2027-10-31 01:59:59', '2027-10-30T23:59:59.000Z', null],
  ['Europe/Berlin', '2027-10-31 02:00:00', '2027-10-31T00:00:00.000Z', 'repeated'],
  ['Europe/Berlin', '2027-10-31 02:59:59', '2027-10-31T00:59:59.000Z', 'repeated'],
  ['Europe/Berlin', '2027-10-31 03:00:00', '2027-10-31T02:00:00.000Z', null],
  ['America/New_York', '2027-03-14 02:30:00', '2027-03-14T07:00:00.000Z', 'skipped'],
  ['America/New_York', '2027-11-07 01:30:00', '2027-11-07T05:30:00.000Z', 'repeated'],
  ['America/New_York', '2027-11-07 02:00:00', '2027-11-07T07:00:00.000Z', null],
  ['Australia/Lord_Howe', '2027-10-03 02:10:00', '2027-10-02T15:30:00.000Z', 'skipped'],
  ['Australia/Lord_Howe', '2027-10-03 02:30:00', '2027-10-02T15:30:00.000Z', null],
  ['Australia/Lord_Howe', '2027-04-04 01:30:00', '2027-04-03T14:30:00.000Z', 'repeated'],
  ['Australia/Lord_Howe', '2027-04-04 01:59:59', '2027-04-03T14:59:59.000Z', 'repeated'],
  ['Australia/Lord_Howe', '2027-04-04 02:00:00', '2027-04-03T15:30:00.000Z', null],
  ['Pacific/Apia', '2011-12-30 12:00:00', '2011-12-30T10:00:00.000Z', 'skipped'],
  ['Asia/Kolkata', '2027-03-28 02:30:00', '2027-03-27T21:00:00.000Z', null],
  ['UTC', '2027-03-28 02:30:00', '2027-03-28T02:30:00.000Z', null],
];

describe('a local time where clocks are changed', () => {
  it.each(CHANGES)('in %s: %s is %s (%s)', (zone, local, instant, change) => {
    for (const text of [local, local.replace(' ', 'T')]) {
      expect(readMoment(text, zone)?.toISOString()).toBe(instant);
      expect(clockChangeOf(text, zone)).toBe(change);
    }
    expect(clockChangeOf(`${local.replace(' ', 'T')}Z`, zone)).toBeNull();
  });

  it('is the later instant of a repeated one when the earlier is past, and none when both are', () => {
    const read = (at: string): string | undefined =>
      readSchedule('2027-10-31 02:30:00', 'Europe/Berlin', new Date(at))?.toISOString();
    expect(read('2027-10-31T00:30:00Z')).toBe('2027-10-31T00:30:00.000Z');
    expect(read('2027-10-31T00:30:01Z')).toBe('2027-10-31T01:30:00.000Z');
    expect(read('2027-10-31T01:30:01Z')).toBeUndefined();
  });

  it.each([
    // before the gap, in the first of both hours, in the second, behind it
    ['Europe/Berlin', '02:30:00', '2027-03-27T22:00:00Z', '2027-03-28T01:00:00.000Z', 'skipped'],
    ['Europe/Berlin', '02:30:00', '2027-03-28T01:00:00Z', '2027-03-29T00:30:00.000Z', null],
    ['Europe/Berlin', '02:30:00', '2027-10-30T22:00:00Z', '2027-10-31T00:30:00.000Z', 'repeated'],
    ['Europe/Berlin', '02:30:00', '2027-10-31T00:10:00Z', '2027-10-31T00:30:00.000Z', 'repeated'],
    ['Europe/Berlin', '02:30:00', '2027-10-31T01:10:00Z', '2027-10-31T01:30:00.000Z', 'repeated'],
    ['Europe/Berlin', '02:30:00', '2027-10-31T01:30:00Z', '2027-11-01T01:30:00.000Z', null],
    ['America/New_York', '02:30:00', '2027-03-14T05:00:00Z', '2027-03-14T07:00:00.000Z', 'skipped'],
    ['America/New_York', '01:30:00', '2027-11-07T06:10:00Z', '2027-11-07T06:30:00.000Z', 'repeated'],
    ['Australia/Lord_Howe', '02:10:00', '2027-10-02T14:00:00Z', '2027-10-02T15:30:00.000Z', 'skipped'],
    ['Australia/Lord_Howe', '01:45:00', '2027-04-03T14:50:00Z', '2027-04-03T15:15:00.000Z', 'repeated'],
    // clocks go back over midnight: 00:30 of the day comes twice, 23:30 of the day before once
    ['America/Havana', '00:30:00', '2027-11-07T04:40:00Z', '2027-11-07T05:30:00.000Z', 'repeated'],
  ] as const)('in %s the next %s after %s is %s (%s)', (zone, text, after, instant, change) => {
    expect(nextTimeOfDay(text, zone, new Date(after))).toEqual({ at: new Date(instant), change });
  });

  it.each([
    ['America/New_York', '2027-03-14', '2027-03-14T05:00:00.000Z', '2027-03-15T03:59:59.999Z'],
    ['Europe/Berlin', '2027-10-31', '2027-10-30T22:00:00.000Z', '2027-10-31T22:59:59.999Z'],
    // clocks skip the first hour of the day
    ['Asia/Beirut', '2022-03-27', '2022-03-26T22:00:00.000Z', '2022-03-27T20:59:59.999Z'],
  ] as const)('in %s the day %s is from %s to %s', (zone, day, start, end) => {
    expect(readBound(day, zone, 'start')?.toISOString()).toBe(start);
    expect(readBound(day, zone, 'end')?.toISOString()).toBe(end);
  });

  it('is printed with the offset of that moment', () => {
    expect(isoTime(new Date('2027-10-31T00:30:00Z'), 'Europe/Berlin')).toBe('2027-10-31T02:30:00+02:00');
    expect(isoTime(new Date('2027-10-31T01:30:00Z'), 'Europe/Berlin')).toBe('2027-10-31T02:30:00+01:00');
    expect(isoTime(new Date('2027-04-03T14:30:00Z'), 'Australia/Lord_Howe')).toBe('2027-04-04T01:30:00+11:00');
  });
});

it.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['99999999', 99_999_999_000],
  ['Sat, 21 Nov 2026 09:31:00 GMT', 60_000],
  ['Sat, 21 Nov 2020 09:31:00 GMT', 0],
  ['soon', null],
  ['', null],
  [undefined, null],
])('Retry-After %j', (header, expected) => {
  expect(readRetryAfter(header, new Date('2026-11-21T09:30:00Z'))).toBe(expected);
});
