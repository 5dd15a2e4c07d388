import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BATCH, batchesOf, jsonRows, QuotedText } from './rows.js';

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

describe('batches of rows', () => {
  const sizes = (rows: readonly number[]): number[] =>
    [...batchesOf(rows, (length) => length)].map((batch) => batch.length);

  it('are of so many rows, and of so much text', () => {
    expect(sizes([])).toEqual([]);
    expect(sizes(Array.from({ length: BATCH.rows + 1 }, () => 1))).toEqual([BATCH.rows, 1]);
    expect(sizes(Array.from({ length: 5 }, () => BATCH.length / 2))).toEqual([2, 2, 1]);
    expect(sizes([BATCH.length + 1, 1, BATCH.length])).toEqual([1, 1, 1]);
  });

  it('hold every row once, in its order', () => {
    const rows = Array.from({ length: 12_345 }, (_, at) => at);
    expect([...batchesOf(rows, (row) => row)].flat()).toEqual(rows);
  });
});

describe('a text that quotes itself', () => {
  it.each([
    ['["919800000001"]', `'["919800000001"]'`],
    ["it's", "'it''s'"],
    ['a\\n"b"', `'a\\\\n"b"'`],
    ["\\'", "'\\\\'''"],
    ['', "''"],
  ])('writes %j as %s', (text, literal) => {
    expect(new QuotedText(text).toSqlString()).toBe(literal);
  });
});
