import { describe, expect, it } from 'vitest';

interface Module {
  momentIn: (local: string, zone: string) => Date | null;
  momentWords: (at: Date, zone: string, now: number) => string;
}

// a path that the compiler does not follow: pages are typed by a project of their own
const path: string = '../src/ui/moments.js';
const { momentIn, momentWords } = (await import(/* @vite-ignore */ path)) as Module;

describe('a time of a field', () => {
  it.each([
    ['2026-11-27T09:00', 'Asia/Kolkata', '2026-11-27T03:30:00.000Z'],
    ['2026-11-27T09:00', 'UTC', '2026-11-27T09:00:00.000Z'],
    ['2026-07-01T00:15', 'America/New_York', '2026-07-01T04:15:00.000Z'],
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-01-01T12:00', 'Pacific/Kiritimati', '2025-12-31T22:00:00.000Z'],
  ])('%s in %s is %s', (local, zone, moment) => {
    expect(momentIn(local, zone)?.toISOString()).toBe(moment);
  });

  it.each(['', 'tomorrow', '2026-11-27'])('“%s” is none', (local) => expect(momentIn(local, 'UTC')).toBeNull());

  const now = Date.parse('2026-11-26T10:00:00Z');
  it.each([
    ['2026-11-27T03:30:00Z', 'Asia/Kolkata', 'Tomorrow, Fri 27 Nov 09:00 (Asia/Kolkata), in 17 h'],
    ['2026-11-26T10:05:30Z', 'UTC', 'Today, Thu 26 Nov 10:05 (UTC), in 5 min'],
    ['2026-11-26T10:00:20Z', 'UTC', 'Today, Thu 26 Nov 10:00 (UTC), now'],
    ['2026-11-30T10:00:00Z', 'UTC', 'Mon 30 Nov 10:00 (UTC), in 4 days'],
    ['2031-05-06T10:00:00Z', 'UTC', 'Tue 6 May 2031 10:00 (UTC), in 1622 days'],
    ['2026-11-26T18:35:00Z', 'Asia/Kolkata', 'Tomorrow, Fri 27 Nov 00:05 (Asia/Kolkata), in 8 h'],
  ])('%s reads in %s: %s', (at, zone, words) => expect(momentWords(new Date(at), zone, now)).toBe(words));
});
