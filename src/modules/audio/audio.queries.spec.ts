import { describe, expect, it } from 'vitest';
import { readRange } from './audio.queries.js';

describe('a byte range of 1,000 bytes', () => {
  it.each([
    ['bytes=0-0', { from: 0, to: 0 }],
    ['bytes=0-499', { from: 0, to: 499 }],
    ['bytes=500-', { from: 500, to: 999 }],
    ['bytes=999-', { from: 999, to: 999 }],
    ['bytes=0-99999', { from: 0, to: 999 }],
    ['bytes=-1', { from: 999, to: 999 }],
    ['bytes=-5000', { from: 0, to: 999 }],
    ['BYTES=1-2', { from: 1, to: 2 }],
    ['bytes=1000-', 'unsatisfiable'],
    ['bytes=5000-6000', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    [undefined, 'whole'],
    ['', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=5-2', 'whole'],
    ['bytes=0-1,5-6', 'whole'],
    ['items=0-1', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=1.5-2', 'whole'],
  ])('%s', (header, expected) => expect(readRange(header, 1000)).toEqual(expected));
});
