import { describe, expect, it } from 'vitest';
import { rowsOf } from './send.js';

const contactsOf = (text: string, column?: string): string[] | null =>
  rowsOf(text, column)?.map(({ to }) => to) ?? null;

describe('contactsOf', () => {
  it('takes the first column of a file without a head', () => {
    expect(contactsOf('919812345678,Jane\n919812345679,Joe\n')).toEqual(['919812345678', '919812345679']);
  });

  it('finds the column by a usual name, in any case', () => {
    expect(contactsOf('Name;Mobile\r\nJane;919812345678\r\n')).toEqual(['919812345678']);
  });

  it('takes the column that is asked for', () => {
    expect(contactsOf('phone\twork\n1\t919812345678', 'work')).toEqual(['919812345678']);
    expect(contactsOf('phone,work\n1,2', 'home')).toBeNull();
  });

  it('reads quoted fields, with separators, quotes and line ends in them', () => {
    expect(contactsOf('name,number\n"Doe, ""J""\nof Acme","+91 98123 45678"\n')).toEqual(['+91 98123 45678']);
  });

  it('takes blanks around quoted fields, quotes inside others, and rows of any length', () => {
    expect(contactsOf('name , "number" ,note\n12" Joe, "919812345678" \n\t,\nJane,919812345679,a,b\n')).toEqual([
      '919812345678',
      '919812345679',
    ]);
  });

  it('refuses a field that goes on behind its quotes, by its line', () => {
    expect(() => contactsOf('name,number\n"Jane" Doe,919812345678\n')).toThrow(/line 2/);
  });

  it('finds the separator outside quotes, and takes no spaced number for a head', () => {
    expect(contactsOf('"Doe, Jane, Ms";number\n"Roe, Joe";919812345678\n')).toEqual(['919812345678']);
    expect(contactsOf('\n"a,b"\tnumber\n"c,d"\t919812345678\n')).toEqual(['919812345678']);
    expect(contactsOf('"name"\t"number"\n"a,b"\t"919812345678"\n')).toEqual(['919812345678']);
    expect(contactsOf('+91 98 12 34 56 78\n+91 (98) 12-34.56/79\n')).toEqual([
      '+91 98 12 34 56 78',
      '+91 (98) 12-34.56/79',
    ]);
  });

  it('takes no year and no date for a number', () => {
    expect(contactsOf('customer_id,mobile,score 2024/25\n100000001,919812345678,7\n')).toEqual(['919812345678']);
    expect(contactsOf('customer_id,phone,2026-01-15\n100000001,919812345678,7\n')).toEqual(['919812345678']);
    expect(contactsOf('as of 2026-01-15,score 2024/25\n919812345678,7\n')).toEqual(['919812345678']);
    expect(contactsOf('Tel. 919812345678\nTel. 919812345679\n')).toEqual(['Tel. 919812345678', 'Tel. 919812345679']);
  });

  it('reads a file of numbers that ends without a line break, of any system', () => {
    expect(contactsOf('\uFEFF"number"\r\n"919812345678"\r\n919812345679')).toEqual(['919812345678', '919812345679']);
    expect(contactsOf('number\r919812345678\r919812345679')).toEqual(['919812345678', '919812345679']);
  });

  it('passes over empty lines and a byte order mark, and keeps duplicates and faults', () => {
    expect(contactsOf('\uFEFFnumber\n\n919812345678\n\n919812345678\nabc\n')).toEqual([
      '919812345678',
      '919812345678',
      'abc',
    ]);
  });

  it('refuses a quote without an end, which would swallow the rest', () => {
    expect(() => contactsOf('number\n"919812345678\n919812345679\n')).toThrow('A quoted field has no end');
  });

  it('has none in an empty file', () => {
    expect(contactsOf('')).toEqual([]);
  });
});

describe('rowsOf', () => {
  it('gives each number what stands in its row', () => {
    expect(rowsOf('name,phone,city\nAsha,919812345678,Pune\nRavi,919812345679\n,,\n')).toEqual([
      { to: '919812345678', variables: { name: 'Asha', city: 'Pune' } },
      { to: '919812345679', variables: { name: 'Ravi', city: '' } },
    ]);
  });

  it('has no values without heads', () => {
    expect(rowsOf('919812345678,Asha\n')).toEqual([{ to: '919812345678' }]);
    expect(rowsOf('phone,work\n1,2', 'home')).toBeNull();
  });
});
