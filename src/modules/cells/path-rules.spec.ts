import { describe, expect, it } from 'vitest';
import { cellsFor } from './cell-chooser.js';
import { bodyField, callerOf, type Fields, fieldsIn, nameOf, readTarget, reportIdOf, ruleOf } from './path-rules.js';

const tokenOf = (payload: unknown): string =>
  `x.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.signature`;
const bob = tokenOf({ data: { username: 'bob', name: 'robert' } });

describe('a target', () => {
  it.each([
    ['/v6/api/campaigns?page=1', { prefix: null, path: '/v6/api/campaigns', search: '?page=1' }],
    ['/c/b/v6/api/campaigns?page=1', { prefix: 'b', path: '/v6/api/campaigns', search: '?page=1' }],
    ['/c/b', { prefix: 'b', path: '/', search: '' }],
    ['/c/b?x', { prefix: 'b', path: '/', search: '?x' }],
    ['/c/', { prefix: '', path: '/', search: '' }],
    ['/c/bb/x', { prefix: 'bb', path: '/x', search: '' }],
    ['/c', { prefix: null, path: '/c', search: '' }],
    ['/cell/holdings', { prefix: null, path: '/cell/holdings', search: '' }],
  ])('%s', (url, target) => expect(readTarget(url)).toEqual(target));

  it('is none without a path', () => {
    expect(readTarget('http://elsewhere/')).toBeNull();
    expect(readTarget('*')).toBeNull();
  });

  it('is compared as a router does', () => {
    expect(ruleOf('/WEBHOOK/api/getGSMreport.php/')?.way.by).toBe('report');
    expect(ruleOf('/v6/api/anything')?.way.by).toBe('caller');
    expect(ruleOf('/v6/apix')).toBeNull();
  });
});

describe('a caller', () => {
  it('is told by the header, else the key, else the cookie', () => {
    const cookie = `a=b; auth_token=${bob}`;
    expect(callerOf({ authorization: `Bearer ${bob}`, 'x-api-key': 'k' })).toEqual({ username: 'bob', signer: null });
    expect(callerOf({ authorization: bob })).toEqual({ username: 'bob', signer: null });
    expect(callerOf({ 'x-api-key': ' k ', cookie })).toEqual({ apiKey: 'k' });
    expect(callerOf({ cookie })).toEqual({ username: 'bob', signer: null });
    expect(callerOf({ authorization: `Bearer ${tokenOf({ data: { name: 'robert' } })}` })).toEqual({
      username: 'robert',
      signer: null,
    });
    const fromB = tokenOf({ cell: 'b', data: { username: 'bob' } });
    expect(callerOf({ authorization: fromB })).toEqual({ username: 'bob', signer: 'b' });
    expect(callerOf({ authorization: tokenOf({ cell: 7, data: { username: 'bob' } }) })).toMatchObject({
      signer: null,
    });
  });

  it('is unknown where the header is bad, whatever stands beside it', () => {
    for (const authorization of [
      'Bearer x',
      'Basic a b',
      `Bearer ${tokenOf(null)}`,
      `Bearer ${tokenOf({ data: 1 })}`,
    ]) {
      expect(callerOf({ authorization, 'x-api-key': 'k' }), authorization).toBeNull();
    }
    expect(callerOf({ authorization: `Bearer ${tokenOf({ data: { username: { a: 1 } } })}` })).toBeNull();
    expect(callerOf({ authorization: `Bearer x.${'A'.repeat(20_000)}.x` })).toBeNull();
    expect(callerOf({})).toBeNull();
  });
});

describe('what a body names', () => {
  it('is a text, or a number as one', () => {
    expect([nameOf('bob'), nameOf(7), nameOf(' '), nameOf(['bob']), nameOf(undefined)]).toEqual([
      'bob',
      '7',
      '',
      '',
      '',
    ]);
  });

  it('is looked for only where it can stand', () => {
    const form = 'application/x-www-form-urlencoded';
    const found = (body: string, type?: string): unknown => bodyField(Buffer.from(body), type, 'username');
    expect(found('{"message":"100 %"}', 'application/json')).toBeUndefined();
    expect(found('{"\\u0075sername":"bob"}', 'application/json')).toBe('bob');
    expect(found('{"x":"username"}', 'application/json')).toBeUndefined();
    expect(found('{"username":"bob"}')).toBe('bob');
    expect(found('%75sername=bob', form)).toBe('bob');
    expect(found('username=bob&username=ann', form)).toBe('ann');
    expect(found('message=x', form)).toBeUndefined();
  });

  it('is a report’s id in the order of the cell', () => {
    const given = (body: Fields) => (field: string) => body[field];
    expect(reportIdOf(fieldsIn('?requestid=b'), given({ request_id: 'a' }))).toBe('a');
    expect(reportIdOf({ request_id: ' ' }, given({ providermessageid: 'd' }))).toBe('d');
    expect(reportIdOf({}, given({ providerMessageId: 4711 }))).toBe('4711');
    expect(reportIdOf({ providerMessageId: 'x' }, given({}))).toBe('');
    expect(reportIdOf({ request_id: ['x'] }, given({ request_id: 'y' }))).toBe('');
  });
});

describe('places of new accounts', () => {
  const networks = Array.from({ length: 4_000 }, (_, i) => `203.0.${i >> 8}.${i & 255}`);
  const firsts = (weights: Map<string, number>): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const network of networks) {
      const [first = 'none'] = cellsFor(network, ['a', 'b', 'c'], weights);
      counts[first] = (counts[first] ?? 0) + 1;
    }
    return counts;
  };

  it('are the same for a network each time, and by weight over many', () => {
    expect(cellsFor('203.0.113.7', ['a', 'b'], new Map())).toEqual(cellsFor('203.0.113.7', ['a', 'b'], new Map()));
    const even = firsts(new Map());
    for (const cell of ['a', 'b', 'c']) expect(even[cell]).toBeGreaterThan(1_200);
    const weighed = firsts(
      new Map([
        ['a', 1],
        ['b', 3],
      ]),
    );
    expect(weighed['c']).toBeUndefined();
    expect(weighed['b']! / weighed['a']!).toBeGreaterThan(2.6);
    expect(weighed['b']! / weighed['a']!).toBeLessThan(3.4);
  });
});
