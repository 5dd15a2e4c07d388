import { expect, it } from 'vitest';
import { readRetryAfter } from './retry-after.js';

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
