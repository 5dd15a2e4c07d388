import { describe, expect, it } from 'vitest';
import { isObject, objectOrNull } from './objects.js';

describe('an object of JSON', () => {
  it.each([[{}], [{ a: 1 }], [Object.create(null)]])('is %j', (value: unknown) => {
    expect(isObject(value)).toBe(true);
    expect(objectOrNull(value)).toBe(value);
  });

  it.each([[null], [undefined], [[]], [[{}]], ['{}'], [1], [true]])('is not %j', (value) => {
    expect(isObject(value)).toBe(false);
    expect(objectOrNull(value)).toBeNull();
  });
});
