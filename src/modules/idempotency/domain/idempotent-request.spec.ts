import { describe, expect, it } from 'vitest';
import { requestDigest } from './idempotent-request.js';

const same = (a: unknown, b: unknown): boolean => requestDigest({}, a).equals(requestDigest({}, b));

describe('requestDigest', () => {
  it('does not mind the order of fields, at any depth', () => {
    expect(same({ a: 1, b: { c: [1, { d: 2, e: 3 }] } }, { b: { c: [1, { e: 3, d: 2 }] }, a: 1 })).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, {}],
    [{ a: [] }, { a: {} }],
    [{ 'a":1,"b': 2 }, { a: 1, b: 2 }],
    ['{}', {}],
  ])('tells %j from %j', (one, other) => {
    expect(same(one, other)).toBe(false);
  });

  it('counts the path', () => {
    expect(requestDigest({ request_id: 'a' }, {}).equals(requestDigest({ request_id: 'b' }, {}))).toBe(false);
    expect(requestDigest(undefined, undefined).equals(requestDigest({}, {}))).toBe(true);
  });
});
