import { describe, expect, it } from 'vitest';
import { readNumber } from '../../../kernel/phone-numbers.js';
import { readHeader, RowReader, variableOf } from './file-rows.js';

describe('the name of a variable', () => {
  it.each([
    ['name', 'name'],
    ['First Name', 'First_Name'],
    ['Amount (Rs.)', 'Amount_Rs'],
    ['नाम', 'नाम'],
    ['__proto__', '__proto__'],
    ['a - b', 'a_-_b'],
    ['{{x|y}}', 'x_y'],
    ['(?)', ''],
    ['', ''],
  ])('%j is %j', (cell, name) => expect(variableOf(cell)).toBe(name));
});

describe('the number’s column', () => {
  const found = (cells: string[], wanted: string | null = null): unknown => {
    const read = readHeader(cells, wanted);
    return 'fault' in read ? read.fault : read.numberAt;
  };

  it('is found by each of its names', () => {
    for (const name of ['TO', 'Phone', 'number', 'Cell', 'telephone number']) expect(found(['a', name])).toBe(1);
    for (const name of ['Phone No.', 'mobile-number', ' MSISDN ', 'contact_no']) expect(found(['a', name])).toBe(1);
  });

  it('is never guessed', () => {
    expect(found(['a', 'b'])).toBe('noNumberColumn');
    expect(found(['phone', 'mobile'])).toBe('severalNumberColumns');
    expect(found(['phones', 'tofu'])).toBe('noNumberColumn');
  });

  it('is told as it stands, by the variable’s name, or in another case', () => {
    const cells = ['Name', 'Mobile (home)', 'phone', 'Work'];
    for (const wanted of ['Mobile (home)', 'Mobile_home', 'mobile_HOME', 'MOBILE (HOME)'])
      expect(found(cells, wanted)).toBe(1);
    expect(found(cells, 'work')).toBe(3);
    expect(found(cells, 'x')).toBe('unknownNumberColumn');
    expect(found(cells, '()')).toBe('unknownNumberColumn');
    expect(found(cells, 'x'.repeat(100_000))).toBe('unknownNumberColumn');
  });
});

it('a header of long names is checked at once', () => {
  const began = performance.now();
  expect(readHeader(['to', '_('.repeat(32_000)], null)).toEqual({ fault: 'longColumn', column: 2 });
  expect(performance.now() - began).toBeLessThan(100);
});

describe('empty cells at the end', () => {
  const layout = readHeader(['phone', 'name', '', ''], null);
  if ('fault' in layout) throw new Error(layout.fault);
  const read = (...cells: string[]): unknown => new RowReader(layout, readNumber).read(cells, 1);

  it('of a header are no columns', () => {
    expect(layout).toEqual({ columns: ['phone', 'name'], numberAt: 0 });
    expect(readHeader(['phone', '', 'name', ''], null)).toEqual({ fault: 'unnamedColumn', column: 2 });
    expect(readHeader(['', ''], null)).toEqual({ fault: 'unnamedColumn', column: 1 });
  });

  it('of a row do not count', () => {
    const row = { row: 1, number: '919876543210', variables: '{"name":"Asha"}' };
    expect(read('919876543210', 'Asha', '', '', '')).toEqual(row);
    expect(read('919876543210', 'Asha')).toEqual(row);
    expect(read('919876543210', 'Asha', '', 'x')).toMatchObject({
      reason: 'cells_differ',
      message: '4 cells, the header has 2',
      cells: ['919876543210', 'Asha', '', 'x'],
    });
    expect(read('919876543210')).toMatchObject({ reason: 'cells_differ' });
  });
});
