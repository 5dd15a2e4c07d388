import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { readJsonField } from './json-field.js';
import { isObject } from './objects.js';

const FIELD = 'username';
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
const read = (text: string): unknown => readJsonField(Buffer.from(text), FIELD);

describe('a field of a JSON text', () => {
  it('is what JSON.parse finds there', () => {
    fc.assert(
      fc.property(written, (text) => {
        expect(read(text)).toEqual(expected(text));
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
  ])('%s', (text, value) => expect(read(text)).toEqual(value));

  it('is parsed once, and no name is, however many there are', () => {
    const parse = vi.spyOn(JSON, 'parse');
    for (const fields of ['"\\u":1,', '"username":x,', `"${escaped('usernamx')}":1,`]) {
      expect(read(`{${fields.repeat(1_000)}"username":"last"}`)).toBe('last');
      expect(read(`{${fields.repeat(1_000)}"username":x}`)).toBeUndefined();
    }
    expect(read(`{"username":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)).toEqual({});
    expect(parse).toHaveBeenCalledTimes(6);
    parse.mockRestore();
  });

  it('of a damaged text is what stands before the damage, or nothing', () => {
    const cut = fc.tuple(written, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1)));
    fc.assert(fc.property(cut, (text) => void read(text)));
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void readJsonField(Buffer.from(bytes), FIELD)));
    expect(read('{"username":"a","list":[')).toBe('a');
    expect(read('{"username":tru}')).toBeUndefined();
    expect(read('{"username":"a')).toBeUndefined();
  });
});
