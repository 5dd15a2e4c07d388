import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonRows } from './json-rows.js';

describe('jsonRows', () => {
  it('is the JSON of the rows', () => {
    const rows = [[1, 'a "\\ud800\\" 😀', null], { a: [true] }];
    expect(jsonRows(rows).text).toBe(JSON.stringify(rows));
  });

  it('replaces half a character, wherever it stands', () => {
    expect(jsonRows([['a\ud83d', '\ude00b'], { c: '\udfff\ud800' }]).text).toBe(
      '[["a\uFFFD","\uFFFDb"],{"c":"\uFFFD\uFFFD"}]',
    );
  });

  it('never writes half a character, and changes no whole one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' })),
        fc.array(fc.integer({ min: 0, max: 0xffff })),
        (whole, units) => {
          const broken = String.fromCharCode(...units);
          const read = JSON.parse(jsonRows([...whole, broken]).text) as string[];
          expect(read.slice(0, -1)).toEqual(whole);
          expect(Buffer.from(read.at(-1) ?? '').toString()).toBe(read.at(-1));
        },
      ),
    );
  });
});
