import { describe, expect, it } from 'vitest';
import { isObject, objectOrEmpty, objectOrNull, readJsonObject } from './objects.js';

describe('an object of JSON', () => {
  it.each([[{}], [{ a: 1 }], [Object.create(null)]])('is %j', (value: unknown) => {
    expect(isObject(value)).toBe(true);
    expect(objectOrNull(value)).toBe(value);
    expect(objectOrEmpty(value)).toBe(value);
  });

  it.each([[null], [undefined], [[]], [[{}]], ['{}'], [1], [true]])('is not %j', (value) => {
    expect(isObject(value)).toBe(false);
    expect(objectOrNull(value)).toBeNull();
    expect(objectOrEmpty(value)).toEqual({});
  });

  it.each([
    ['{"a":1}', { a: 1 }],
    ['[1]', null],
    ['null', null],
    ['{', null],
    ['', null],
  ])('is read of %j', (text, expected) => expect(readJsonObject(text)).toEqual(expected));
});
