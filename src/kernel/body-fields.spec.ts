import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { readFormField, readJsonField } from './body-fields.js';
import { isObject } from './json-values.js';

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

const name = fc.oneof(fc.constantFrom(FIELD, 'user', 'usernames', '__proto__', 'a"b', 'a\\', ''), fc.string());
const object = fc.dictionary(name, fc.oneof(fc.jsonValue(), fc.string({ unit: 'grapheme' })), { maxKeys: 5 });
const written = fc
  .tuple(object, fc.constantFrom(0, 1, '\t'))
  .map(([value, space]) => ` ${JSON.stringify(value, null, space)}\n`);

/** Of lists and objects no more is told than that they are no text. */
const expected = (text: string): unknown => {
  const parsed: unknown = JSON.parse(text);
  const value = isObject(parsed) ? parsed[FIELD] : undefined;
  return typeof value === 'object' && value !== null ? {} : value;
};
const escaped = (text: string): string =>
  Array.from(text, (character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');
const readJson = (text: string): unknown => readJsonField(Buffer.from(text), FIELD);

describe('a field of a JSON text', () => {
  it('is what JSON.parse finds there', () => {
    fc.assert(
      fc.property(written, (text) => {
        expect(readJson(text)).toEqual(expected(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['{"username":"a","username":"b"}', 'b'],
    ['{"\\u0075sername":"escaped"}', 'escaped'],
    [`{"${escaped(FIELD)}":"escaped"}`, 'escaped'],
    [`{"${escaped(FIELD).toUpperCase().replaceAll('U', 'u')}":"escaped"}`, 'escaped'],
    [`{"${escaped(FIELD)}s":"another"}`, undefined],
    ['{"\\u0175sername":"another"}', undefined],
    ['{"x":{"username":"inner"}}', undefined],
    ['{"x":"\\",\\"username\\":\\"text\\"","username":7}', 7],
    ['{"username":{"a":[1,"]}"]}}', {}],
    ['{}', undefined],
    ['["username","a"]', undefined],
    ['"username"', undefined],
    ['', undefined],
  ])('%s', (text, value) => expect(readJson(text)).toEqual(value));

  it('is parsed once, and no name is, however many there are', () => {
    const parse = vi.spyOn(JSON, 'parse');
    for (const fields of ['"\\u":1,', '"username":x,', `"${escaped('usernamx')}":1,`]) {
      expect(readJson(`{${fields.repeat(1_000)}"username":"last"}`)).toBe('last');
      expect(readJson(`{${fields.repeat(1_000)}"username":x}`)).toBeUndefined();
    }
    expect(readJson(`{"username":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)).toEqual({});
    expect(parse).toHaveBeenCalledTimes(6);
    parse.mockRestore();
  });

  it('of a damaged text is what stands before the damage, or nothing', () => {
    const cut = fc.tuple(written, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1)));
    fc.assert(fc.property(cut, (text) => void readJson(text)));
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void readJsonField(Buffer.from(bytes), FIELD)));
    expect(readJson('{"username":"a","list":[')).toBe('a');
    expect(readJson('{"username":tru}')).toBeUndefined();
    expect(readJson('{"username":"a')).toBeUndefined();
  });
});
