import { describe, expect, it } from 'vitest';
import { identitiesOf, isEmail, isUsername, looksLikeEmail, normalEmail, normalMobile } from './identity.js';

describe('identities', () => {
  it('tells an e-mail from a username as login does', () => {
    for (const text of ['a@b.c', ' A@B.C ', 'x y@z.de']) expect(looksLikeEmail(text)).toBe(true);
    for (const text of ['jane', 'jane@', '@', 'jane@host', 'a@b c.d e']) expect(looksLikeEmail(text)).toBe(false);
  });

  it('tells it of a stranger’s text as fast as it reads it', () => {
    for (const text of ['@a@b.c', 'a@.b.c', 'a@b..c']) expect(looksLikeEmail(text)).toBe(true);
    for (const text of ['a@.b', 'a@b.', `@${'.'.repeat(200_000)} x`]) expect(looksLikeEmail(text)).toBe(false);
  });

  it('knows usernames', () => {
    for (const text of ['abc', 'A.b_c-9', 'a'.repeat(64)]) expect(isUsername(text)).toBe(true);
    for (const text of ['ab', 'a'.repeat(65), 'a b c', 'abc\n', 'a@b.c', 'jäne']) expect(isUsername(text)).toBe(false);
  });

  it('knows e-mails', () => {
    for (const text of ['a@b.co', "o'neil+x@mail.example.com"]) expect(isEmail(text)).toBe(true);
    for (const text of ['a@b', 'a@b.c\n', 'a@@b.co', `a@${'b'.repeat(64)}.co`, `a@${'b.'.repeat(130)}co`]) {
      expect(isEmail(text)).toBe(false);
    }
  });

  it('normalises', () => {
    expect(normalEmail(' Jane@Example.COM ')).toBe('jane@example.com');
    expect(normalMobile('+49 (151) 23-4')).toBe('49151234');
    expect(normalMobile('none')).toBeNull();
    expect(normalMobile('1'.repeat(31))).toBeNull();
    expect(identitiesOf({ username: 'Jane', email: 'j@x.de', mobileNo: '49' })).toEqual([
      { kind: 'email', value: 'j@x.de' },
      { kind: 'username', value: 'jane' },
      { kind: 'mobile', value: '49' },
    ]);
    expect(identitiesOf({ username: 'J', email: null, mobileNo: null })).toHaveLength(1);
  });
});
