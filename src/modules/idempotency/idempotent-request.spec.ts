import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { requestDigest } from './idempotent-request.js';

const same = async (a: unknown, b: unknown): Promise<boolean> =>
  (await requestDigest({}, a)).equals(await requestDigest({}, b));

describe('requestDigest', () => {
  it('does not mind the order of fields, at any depth', async () => {
    expect(await same({ a: 1, b: { c: [1, { d: 2, e: 3 }] } }, { b: { c: [1, { e: 3, d: 2 }] }, a: 1 })).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, {}],
    [{ a: [] }, { a: {} }],
    [{ 'a":1,"b': 2 }, { a: 1, b: 2 }],
    ['{}', {}],
  ])('tells %j from %j', async (one, other) => {
    expect(await same(one, other)).toBe(false);
  });

  it('counts the path', async () => {
    expect(await requestDigest({ request_id: 'a' }, {})).not.toEqual(await requestDigest({ request_id: 'b' }, {}));
    expect(await requestDigest(undefined, undefined)).toEqual(await requestDigest({}, {}));
  });

  it('stays what is stored under keys', async () => {
    const body = { b: ['x', 1, null, { d: true, c: [] }], a: 'é"' };
    const text = '[{"id":"7"},{"a":"é\\"","b":["x",1,null,{"c":[],"d":true}]}]';
    expect(await requestDigest({ id: '7' }, body)).toEqual(createHash('sha256').update(text).digest());
  });

  it('lets others have their turns while it reads a large body', async () => {
    let ticks = 0;
    const count = (): void => {
      ticks += 1;
      others = setImmediate(count);
    };
    let others = setImmediate(count);
    const recipients = Array.from({ length: 20_000 }, (_, index) => ({
      to: String(index),
      variables: { a: 'x'.repeat(60) },
    }));
    const large = await requestDigest({}, { recipients });
    clearImmediate(others);
    expect(ticks).toBeGreaterThan(5);
    expect(large).not.toEqual(await requestDigest({}, { recipients: recipients.slice(1) }));
  });
});
