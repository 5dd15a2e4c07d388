import { describe, expect, it } from 'vitest';
import type { Account } from './account.js';
import {
  apiKeyDigest,
  apiKeyPrefix,
  claimsFor,
  isApiKey,
  isApiKeyDigest,
  isOutdated,
  newApiKey,
  passwordChange,
  readClaims,
} from './tokens.js';

const account = (passwordChangedAt: string): Account =>
  ({
    id: 7,
    username: 'jane',
    email: null,
    mobileNo: '49151',
    passwordChangedAt: new Date(passwordChangedAt),
  }) as Account;

describe('claims', () => {
  it('live 7 days', () => {
    const claims = claimsFor(account('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00.900Z'));
    expect(claims).toEqual({
      iat: Date.UTC(2026, 0, 2) / 1000,
      exp: Date.UTC(2026, 0, 9) / 1000,
      iss: 'switchboard',
      sub: '7',
      data: { id: 7, name: 'jane', username: 'jane', email: null, mobile: '49151' },
    });
  });

  it('issued in the second of a password change are good, earlier ones are not', () => {
    const changed = account('2026-01-01T00:00:10.000Z'); // a change at 09.300, rounded up
    const before = claimsFor(account('2026-01-01T00:00:00Z'), new Date('2026-01-01T00:00:09.200Z'));
    const after = claimsFor(changed, new Date('2026-01-01T00:00:09.400Z'));
    expect(isOutdated(readClaims(before) ?? { issuedAt: 0 }, changed)).toBe(true);
    expect(isOutdated(readClaims(after) ?? { issuedAt: 0 }, changed)).toBe(false);
  });
});

describe('claims of an assigned user', () => {
  it('name the account as acting, and the person as the bearer', () => {
    const assignedUser = { id: 373_662_154_973_185, passwordChangedAt: new Date('2026-01-05T00:00:00Z') };
    const holder = { ...account('2026-01-01T00:00:00Z'), assignedUser } as Account;
    const claims = claimsFor(holder, new Date('2026-01-02T00:00:00Z'));
    expect(claims).toMatchObject({ sub: '373662154973185', data: { id: 7, username: 'jane' } });
    expect(claims.iat).toBe(Date.UTC(2026, 0, 5) / 1000);
    expect(readClaims(claims)).toMatchObject({ username: 'jane', assignedUserId: 373_662_154_973_185 });
  });

  it.each([undefined, 7, '7', '4294967295', '99999999999999999', '-373662154973185', '373662154973185x', { id: 1 }])(
    'are not read from the subject %j',
    (sub) => {
      expect(readClaims({ iat: 1, exp: 2, sub, data: { username: 'jane' } })?.assignedUserId).toBeNull();
    },
  );
});

describe('passwordChange', () => {
  it('outdates every token before it, those of a change in the same second too', () => {
    const at = new Date('2026-01-01T00:00:10.300Z');
    const first = passwordChange(account('2026-01-01T00:00:10Z'), at);
    expect(first.toISOString()).toBe('2026-01-01T00:00:11.000Z');
    const second = passwordChange({ passwordChangedAt: first }, at);
    expect(second.toISOString()).toBe('2026-01-01T00:00:12.000Z');
    const between = claimsFor(account(first.toISOString()), at);
    expect(isOutdated({ issuedAt: between.iat }, { passwordChangedAt: first })).toBe(false);
    expect(isOutdated({ issuedAt: between.iat }, { passwordChangedAt: second })).toBe(true);
  });
});

describe('readClaims', () => {
  const times = { iat: 1, exp: 2 };

  it('takes data.username when present, else data.name', () => {
    expect(readClaims({ ...times, data: { name: 'a', username: 'b' } })?.username).toBe('b');
    expect(readClaims({ ...times, data: { name: 'a' } })?.username).toBe('a');
    expect(readClaims({ ...times, data: { name: 'a', username: null } })?.username).toBe('a');
  });

  it.each([
    null,
    'text',
    {},
    times,
    { ...times, data: null },
    { ...times, data: {} },
    { ...times, data: { username: '' } },
    { ...times, data: { username: '', name: 'a' } },
    { ...times, data: { username: 1 } },
    { iat: 1, data: { name: 'a' } },
    { exp: 1, data: { name: 'a' } },
    { ...times, iss: 'other', data: { name: 'a' } },
  ])('refuses %j', (payload) => {
    expect(readClaims(payload)).toBeNull();
  });
});

describe('API keys', () => {
  it('are random, known by their form, and kept as SHA-256', () => {
    const [a, b] = [newApiKey('live'), newApiKey('test')];
    expect(a).toMatch(/^swb_live_[0-9A-Za-z]{49}$/);
    expect(a).not.toBe(b);
    expect(isApiKey(a)).toBe(true);
    for (const text of ['', 'sk_', 'swb_live_', a.slice(1), `${a}x`, a.slice(0, -1), `${a.slice(0, -1)}!`, `${a}\n`]) {
      expect(isApiKey(text)).toBe(false);
    }
    expect(apiKeyDigest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect([apiKeyDigest(a), apiKeyDigest(a).toUpperCase(), 'é'.repeat(64)].map(isApiKeyDigest)).toEqual([
      true,
      false,
      false,
    ]);
    expect(a.startsWith(apiKeyPrefix(a))).toBe(true);
    expect(apiKeyPrefix(a)).toHaveLength(16);
    const former = `sk_${'x'.repeat(43)}`;
    expect([isApiKey(former), apiKeyPrefix(former)]).toEqual([true, 'sk_xxxxxxxx']);
  });

  it('end with a checksum, so that a scanner tells them from other texts', () => {
    // the example of docs/own/keys.md
    const key = `swb_live_${'0'.repeat(43)}15LJjm`;
    expect(isApiKey(key)).toBe(true);
    const at = 20;
    const other = key.charAt(at) === 'a' ? 'b' : 'a';
    expect(isApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
  });
});
