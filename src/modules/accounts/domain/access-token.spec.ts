import { describe, expect, it } from 'vitest';
import type { Account } from './account.js';
import { claimsFor, isOutdated, readClaims } from './access-token.js';

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
    expect(isOutdated(readClaims(before) ?? { username: '', issuedAt: 0 }, changed)).toBe(true);
    expect(isOutdated(readClaims(after) ?? { username: '', issuedAt: 0 }, changed)).toBe(false);
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
