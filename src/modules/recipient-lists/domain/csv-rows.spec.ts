import { describe, expect, it } from 'vitest';
import { HeadScan, NUMBER_COLUMNS, readHeader, variableOf } from './csv-rows.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the delimiter of a header', () => {
  it.each([
    ['a,b,c\n', ','],
    ['a;b;c\n', ';'],
    ['a\tb\n', '\t'],
    ['a\n', ','],
    ['a;b\n1,2,3,4\n', ';'],
    ['"a;b;c",d\n', ','],
    ['a,b;c\n', ','],
    ['a;b\tc\n', ';'],
    ['"first\nline, second";b;c\n', ';'],
    ['\uFEFF"a";"b"\r', ';'],
  ])('%j: %j', (text, delimiter) => {
    const scan = new HeadScan();
    expect(scan.push(bytes(text))).toBe(true);
    expect(scan.delimiter).toBe(delimiter);
    // cut anywhere it is the same
    const piecewise = new HeadScan();
    const ends = [...bytes(text)].map((byte) => piecewise.push(Uint8Array.of(byte)));
    expect(ends.includes(true)).toBe(true);
  });

  it('goes on until the line ends', () => {
    const scan = new HeadScan();
    expect(scan.push(bytes('a;"b\n'))).toBe(false);
    expect(scan.push(bytes('";c'))).toBe(false);
    expect(scan.push(bytes('\r\n'))).toBe(true);
    expect(scan.delimiter).toBe(';');
  });
});

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
    for (const name of NUMBER_COLUMNS) expect(found(['a', name.toUpperCase()])).toBe(1);
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
