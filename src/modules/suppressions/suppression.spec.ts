import { describe, expect, it } from 'vitest';
import { isNumbersName } from '../../kernel/contacts.js';
import { readNumber } from '../../kernel/phone-numbers.js';
import { workbook } from '../../../test/support/workbooks.js';
import { FILE_FAULTS, FileRows } from '../../platform/spreadsheets/index.js';
import { FileNumbers, orUserId, readNumbers } from './suppression.js';

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

describe('FileNumbers', () => {
  const read = async (...pieces: (string | Uint8Array)[]): Promise<{ numbers: string[]; file: FileNumbers }> => {
    const file = new FileNumbers(readNumber);
    const faults = { ...FILE_FAULTS, tooLarge: () => new Error('too large') };
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece as string));
    };
    const rows = new FileRows(bytes(), { mostBytes: 1_000_000, isKnown: isNumbersName, faults, table: null });
    const numbers: string[] = [];
    for await (const cells of rows.read()) {
      const number = file.take(cells);
      if (number !== null) numbers.push(number);
    }
    return { numbers, file };
  };
  const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');

  it('reads lines without a header, cut anywhere, with any line break', async () => {
    const { numbers, file } = await read(
      '\uFEFF4915100',
      '000001\r',
      '\n4915100000002\n\n',
      '4915100000003\r4915100000004',
    );
    expect(numbers).toEqual(['4915100000001', '4915100000002', '4915100000003', '4915100000004']);
    expect(file).toMatchObject({ lines: 4, invalid: 0, faults: [] });
  });

  it('finds the column that the header names', async () => {
    const { numbers } = await read(
      'Name;Phone;Reason\n"Doe; Jane";+49 151 00000001;"said ""stop"""\nJohn;4915100000002;\n',
    );
    expect(numbers).toEqual(['4915100000001', '4915100000002']);
    expect((await read('note,Mobile Nos.\nasked,4915100000001\n')).numbers).toEqual(['4915100000001']);
  });

  it.each([
    ['UTF-16, low byte first', utf16('name;phone\r\nMüller;+49 151 00000001\r\n')],
    ['UTF-16, high byte first', utf16('name;phone\r\nMüller;+49 151 00000001\r\n').swap16()],
    ['Windows-1252', Buffer.from('name;phone\nMüller;+49 151 00000001\n', 'latin1')],
    ['a named separator', Buffer.from('sep=|\nname|phone\n"A|B"|+49 151 00000001\n')],
    ['tabs', Buffer.from('name\tphone\nA,B\t+49 151 00000001\n')],
    [
      'a workbook',
      workbook({
        rows: [
          ['name', 'phone'],
          ['Müller', 4_915_100_000_001],
        ],
      }),
    ],
  ])('reads %s', async (_name, bytes) => {
    const { numbers, file } = await read(bytes);
    expect(numbers).toEqual(['4915100000001']);
    expect(file).toMatchObject({ lines: 1, invalid: 0 });
  });

  it('reports bad lines with their places', async () => {
    const { numbers, file } = await read('number\nn/a\n4915100000001\n,x\n12\n');
    expect(numbers).toEqual(['4915100000001']);
    expect(file).toMatchObject({
      lines: 4,
      invalid: 3,
      faults: [
        { row: 2, value: 'n/a' },
        { row: 4, value: ', x' },
        { row: 5, value: '12' },
      ],
    });
    expect((await read('sep=;\nphone;name\nx;y\n')).file.faults).toMatchObject([{ row: 3, value: 'x' }]);
  });

  it('refuses what spreadsheets and people make of numbers', async () => {
    const bad = ['4915100000001.0', '9.198000012E+11', '4915100000001 / 4915100000002', '4915100000001 ext. 5', '00'];
    const { numbers, file } = await read(`phone;name\n${bad.map((cell) => `${cell};x`).join('\n')}\n`);
    expect(numbers).toEqual([]);
    expect(file.faults.map(({ value }) => value)).toEqual(bad);
    const cells = [
      ['phone'],
      [4_915_100_000_001.5],
      ['4915100000001,00'],
      [{ xml: '<c><v>9.19812345678E+11</v></c>' }],
    ];
    expect((await read(workbook({ rows: cells }))).numbers).toEqual(['919812345678']);
  });

  it('lets a stray quote spoil its own line at the most', async () => {
    const { numbers, file } = await read('name,number\n"Jane,4915100000001\nJoe,"4915100000002\nJohn,4915100000003\n');
    expect(numbers).toEqual(['4915100000002', '4915100000003']);
    expect(file.faults).toMatchObject([{ row: 2, value: 'Jane,4915100000001' }]);
    expect((await read('"4915100000001\n4915100000002;"x\n4915100000003\n')).numbers).toHaveLength(3);
  });

  it('keeps no endless line, takes no part of a number for one, and goes on behind it', async () => {
    const { numbers, file } = await read(
      '4915100000001\n',
      ...Array.from({ length: 50 }, () => 'y'.repeat(1_000)),
      '\n4915100000002',
    );
    expect(numbers).toEqual(['4915100000001', '4915100000002']);
    expect(file).toMatchObject({ lines: 3, invalid: 1, faults: [{ row: 2 }] });
    const cut = `note,phone\n${'y'.repeat(4_086)},4915100000001\nx,4915100000002\n`;
    for (const at of [1, 3_000, 4_097, 4_101, cut.length])
      expect((await read(cut.slice(0, at), cut.slice(at))).numbers).toEqual(['4915100000002']);
  });
});
