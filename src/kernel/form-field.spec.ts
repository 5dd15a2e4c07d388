import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFormField } from './form-field.js';

const FIELD = 'username';
const read = (text: string): string | undefined => readFormField(Buffer.from(text), FIELD);
const spelled = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

describe('a field of a form', () => {
  it('is what URLSearchParams finds there', () => {
    const name = fc.constantFrom(
      FIELD,
      spelled(FIELD),
      spelled(FIELD).toUpperCase(),
      'user',
      'usernames',
      '',
      '?',
      '%75',
    );
    const value = fc.string({ unit: 'grapheme' }).map((text) => new URLSearchParams({ '': text }).toString().slice(1));
    const part = fc.oneof(
      fc.tuple(name, value).map((pair) => pair.join('=')),
      name,
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        expect(read(parts.join('&'))).toBe(new Map(new URLSearchParams(`&${parts.join('&')}`)).get(FIELD));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['username=bob+x%2b%C3%A9', 'bob x+é'],
    ['username=bo%ZZ%', 'bo%ZZ%'],
    ['username=a=b', 'a=b'],
    ['username=?a', '?a'],
    ['?username=bob', undefined],
    ['username', ''],
    ['username=bob&usernam', 'bob'],
    ['username[]=bob', 'bob'],
    ['username%5b%5D=ann&username%5B]=bob', 'bob'],
    ['username=ann&username[]=bob', 'bob'],
    ['username[]=x&username=ann&username[]=bob', 'ann'],
    ['username[=bob', undefined],
    ['%7username=bob', undefined],
    ['', undefined],
  ])('%s', (text, value) => expect(read(text)).toBe(value));

  it('is looked for among as many as a cell takes', () => {
    const others = 'x&'.repeat(99_999);
    expect(read(`${others}username=bob`)).toBe('bob');
    expect(read(`x&${others}username=bob`)).toBeUndefined();
  });

  it('of no text at all is none', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void readFormField(Buffer.from(bytes), FIELD)));
  });
});
