import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readVariables, VARIABLE_REASONS } from './variables.js';

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, 'x']));

describe('variables of a recipient (reference/bulk#variables)', () => {
  it('takes texts, numbers, true and false', () => {
    expect(readVariables({ a: 'x', b: 7.5, c: true, d: 0, e: false })).toEqual({
      variables: { a: 'x', b: '7.5', c: 'true', d: '0', e: 'false' },
    });
  });

  it.each([undefined, null, {}, { a: null }, { a: '' }, { a: ' \n' }])('takes %j for none', (value) => {
    expect(readVariables(value)).toEqual({ variables: undefined });
  });

  it.each([[1], ['x'], [true], [[]], [['a']]])('refuses %j', (value) => {
    expect(readVariables(value)).toEqual({ reason: VARIABLE_REASONS.noObject });
  });

  it('refuses values that are no text', () => {
    for (const a of [{}, [], ['x'], 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])
      expect(readVariables({ a })).toEqual({ reason: 'a must be a text, a number, true or false' });
  });

  it('takes 50 of them with 1,000 characters each, and no more', () => {
    expect(readVariables(many(50))).toEqual({ variables: many(50) });
    expect(readVariables(many(51))).toEqual({ reason: 'at most 50 variables are allowed' });
    expect(readVariables({ a: '😀'.repeat(1_000) })).toEqual({ variables: { a: '😀'.repeat(1_000) } });
    expect(readVariables({ a: 'x'.repeat(1_001) })).toEqual({ reason: 'a is longer than 1000 characters' });
  });

  it('refuses a name that no placeholder can have', () => {
    for (const name of ['', 'a b', 'a.b', 'x'.repeat(65)])
      expect(readVariables({ [name]: 'x' })).toEqual({ reason: VARIABLE_REASONS.name });
  });

  it('keeps names that objects have of their own', () => {
    const value: unknown = JSON.parse('{"__proto__":"x","constructor":"y"}');
    expect(JSON.stringify(readVariables(value))).toBe('{"variables":{"__proto__":"x","constructor":"y"}}');
  });

  it('answers to anything', () => {
    fc.assert(fc.property(fc.anything(), (any) => 'variables' in readVariables(any) || 'reason' in readVariables(any)));
  });
});
