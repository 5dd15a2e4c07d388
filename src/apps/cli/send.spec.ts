import { describe, expect, it } from 'vitest';
import { workbook } from '../../../test/support/workbooks.js';
import { rowsOf } from './send.js';

async function* bytesOf(text: string | Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield await Promise.resolve(Buffer.from(text as string));
}
const contactsOf = async (text: string | Uint8Array, column?: string): Promise<string[] | null> =>
  (await rowsOf(bytesOf(text), column))?.map(({ to }) => to) ?? null;

describe('contactsOf', () => {
  it('takes the first column of a file without a head', async () => {
    expect(await contactsOf('919812345678,Jane\n919812345679,Joe\n')).toEqual(['919812345678', '919812345679']);
  });

  it('finds the column by a usual name, in any case', async () => {
    expect(await contactsOf('Name;Mobile\r\nJane;919812345678\r\n')).toEqual(['919812345678']);
  });

  it('takes the column that is asked for', async () => {
    expect(await contactsOf('phone\twork\n1\t919812345678', 'work')).toEqual(['919812345678']);
    expect(await contactsOf('phone,work\n1,2', 'home')).toBeNull();
  });

  it('reads quoted fields, with separators, quotes and line ends in them', async () => {
    expect(await contactsOf('name,number\n"Doe, ""J""\nof Acme","+91 98123 45678"\n')).toEqual(['+91 98123 45678']);
  });

  it('takes blanks around quoted fields, and rows of any length', async () => {
    expect(await contactsOf('name , "number" ,note\nJoe, "919812345678" \n\t,\nJane,919812345679,a,b\n')).toEqual([
      '919812345678',
      '919812345679',
    ]);
  });

  it('refuses a field that goes on behind its quotes, by its line', async () => {
    await expect(contactsOf('name,number\n"Jane" Doe,919812345678\n')).rejects.toThrow(/Row 1 of the file has a quote/);
    await expect(contactsOf('name,number\n12" Joe,919812345678\n')).rejects.toThrow(/Row 1 of the file has a quote/);
  });

  it('finds the separator outside quotes, and takes no spaced number for a head', async () => {
    expect(await contactsOf('"Doe, Jane, Ms";number\n"Roe, Joe";919812345678\n')).toEqual(['919812345678']);
    expect(await contactsOf('\n"a,b"\tnumber\n"c,d"\t919812345678\n')).toEqual(['919812345678']);
    expect(await contactsOf('"name"\t"number"\n"a,b"\t"919812345678"\n')).toEqual(['919812345678']);
    expect(await contactsOf('+91 98 12 34 56 78\n+91 (98) 12-34.56/79\n')).toEqual([
      '+91 98 12 34 56 78',
      '+91 (98) 12-34.56/79',
    ]);
  });

  it('takes no year and no date for a number', async () => {
    expect(await contactsOf('customer_id,mobile,score 2024/25\n100000001,919812345678,7\n')).toEqual(['919812345678']);
    expect(await contactsOf('customer_id,phone,2026-01-15\n100000001,919812345678,7\n')).toEqual(['919812345678']);
    expect(await contactsOf('as of 2026-01-15,score 2024/25\n919812345678,7\n')).toEqual(['919812345678']);
    expect(await contactsOf('Tel. 919812345678\nTel. 919812345679\n')).toEqual([
      'Tel. 919812345678',
      'Tel. 919812345679',
    ]);
  });

  it('reads a file of numbers that ends without a line break, of any system', async () => {
    expect(await contactsOf('\uFEFF"number"\r\n"919812345678"\r\n919812345679')).toEqual([
      '919812345678',
      '919812345679',
    ]);
    expect(await contactsOf('number\r919812345678\r919812345679')).toEqual(['919812345678', '919812345679']);
  });

  it('passes over empty lines and a byte order mark, and keeps duplicates and faults', async () => {
    expect(await contactsOf('\uFEFFnumber\n\n919812345678\n\n919812345678\nabc\n')).toEqual([
      '919812345678',
      '919812345678',
      'abc',
    ]);
  });

  it('refuses a quote without an end, which would swallow the rest', async () => {
    await expect(contactsOf('number\n"919812345678\n919812345679\n')).rejects.toThrow(/has a quote/);
  });

  it('refuses an empty file, and one of another kind', async () => {
    await expect(contactsOf('')).rejects.toThrow('File is empty');
    await expect(contactsOf(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]))).rejects.toThrow('neither a text nor');
    expect(await contactsOf('\n')).toEqual([]);
  });

  it.each([
    ['UTF-16', Buffer.from('\uFEFFname;phone\nMüller;+91 9812345678\n', 'utf16le')],
    ['UTF-16, high byte first', Buffer.from('\uFEFFname;phone\nMüller;+91 9812345678\n', 'utf16le').swap16()],
    ['Windows-1252', Buffer.from('name,phone\nMüller,+91 9812345678\n', 'latin1')],
    ['a named separator', Buffer.from('sep=|\nname|Mobile Nos\nMüller|+91 9812345678\n')],
    [
      'a workbook',
      workbook({
        rows: [
          ['name', 'phone'],
          ['Müller', '+91 9812345678'],
        ],
      }),
    ],
  ])('reads %s', async (_name, bytes) => {
    expect(await rowsOf(bytesOf(bytes))).toEqual([{ to: '+91 9812345678', variables: { name: 'Müller' } }]);
  });
});

describe('rowsOf', () => {
  it('gives each number what stands in its row', async () => {
    expect(await rowsOf(bytesOf('name,phone,city\nAsha,919812345678,Pune\nRavi,919812345679\n,,\n'))).toEqual([
      { to: '919812345678', variables: { name: 'Asha', city: 'Pune' } },
      { to: '919812345679', variables: { name: 'Ravi', city: '' } },
    ]);
  });

  it('has no values without heads', async () => {
    expect(await rowsOf(bytesOf('919812345678,Asha\n'))).toEqual([{ to: '919812345678' }]);
    expect(await rowsOf(bytesOf('phone,work\n1,2'), 'home')).toBeNull();
  });
});
