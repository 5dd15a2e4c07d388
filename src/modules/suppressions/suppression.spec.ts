import { describe, expect, it } from 'vitest';
import { readNumber } from '../../kernel/phone-numbers.js';
import { CsvNumbers, orUserId, readNumbers } from './suppression.js';

describe('readNumbers', () => {
  it.each([
    [{}, { fault: 'required' }],
    [{ numbers: [] }, { fault: 'required' }],
    [{ number: '' }, { fault: 'required' }],
    [{ numbers: ['4915112345678', 'x'] }, { fault: 'number', index: 1, refused: 'has letters' }],
    [{ numbers: { a: 1 } }, { fault: 'number', index: 0, refused: 'is neither a text nor a whole number' }],
    [{ numbers: [['4915112345678']] }, { fault: 'number', index: 0, refused: 'is neither a text nor a whole number' }],
    [{ numbers: ['4915112345678', '+4915112345678'] }, { numbers: ['4915112345678'] }],
    [{ numbers: ['4915112345678.0'] }, { fault: 'number', index: 0, refused: 'looks like a decimal of a spreadsheet' }],
    [{ number: ' US.13491208655302741918' }, { numbers: ['US.13491208655302741918'] }],
    [{ number: 4915112345678 }, { numbers: ['4915112345678'] }],
  ])('reads %j', (raw, read) => expect(readNumbers(raw, orUserId(readNumber))).toEqual(read));
});

describe('CsvNumbers', () => {
  const read = (...pieces: string[]): { numbers: string[]; csv: CsvNumbers } => {
    const csv = new CsvNumbers(readNumber);
    for (const piece of pieces) csv.push(piece);
    csv.end();
    return { numbers: csv.take(), csv };
  };

  it('reads lines without a header, cut anywhere, with any line break', () => {
    const { numbers, csv } = read('\uFEFF4915100', '000001\r', '\n4915100000002\n\n', '4915100000003');
    expect(numbers).toEqual(['4915100000001', '4915100000002', '4915100000003']);
    expect(csv).toMatchObject({ lines: 3, invalid: 0, faults: [] });
  });

  it('finds the column that the header names', () => {
    const { numbers } = read('Name;Phone;Reason\n"Doe; Jane";+49 151 00000001;"said ""stop"""\nJohn;4915100000002;\n');
    expect(numbers).toEqual(['4915100000001', '4915100000002']);
  });

  it('reports bad lines with their places', () => {
    const { numbers, csv } = read('number\nn/a\n4915100000001\n,x\n12\n');
    expect(numbers).toEqual(['4915100000001']);
    expect(csv).toMatchObject({
      lines: 4,
      invalid: 3,
      faults: [
        { row: 2, value: 'n/a' },
        { row: 4, value: ',x' },
        { row: 5, value: '12' },
      ],
    });
  });

  it('lets a stray quote spoil its own line at the most', () => {
    const { numbers, csv } = read('name,number\n"Jane,4915100000001\nJoe,"4915100000002\nJohn,4915100000003\n');
    expect(numbers).toEqual(['4915100000002', '4915100000003']);
    expect(csv.faults).toMatchObject([{ row: 2, value: '"Jane,4915100000001' }]);
  });

  it('keeps no endless line, and goes on behind it', () => {
    const { numbers, csv } = read(
      '4915100000001\n',
      ...Array.from({ length: 50 }, () => 'y'.repeat(1_000)),
      '\n4915100000002',
    );
    expect(numbers).toEqual(['4915100000001', '4915100000002']);
    expect(csv).toMatchObject({ lines: 3, invalid: 1, faults: [{ row: 2 }] });
  });
});
