import { describe, expect, it } from 'vitest';
import { isCommonPassword, passwordErrors, passwordFault, registrationPasswordFault } from './password-rules.js';

describe('rules of a password', () => {
  it.each([
    ['Sh-1', passwordErrors.short],
    ['lower-case-1', passwordErrors.noUpperCase],
    ['UPPER-CASE-1', passwordErrors.noLowerCase],
    ['No-digit-x', passwordErrors.noDigit],
    ['NoSpecial12', passwordErrors.noSpecial],
    [`Aa1-${'x'.repeat(69)}`, passwordErrors.long],
    ['P@ssw0rd', passwordErrors.common],
    ['p@SSW0RD', passwordErrors.common],
    ['Sunny-Day-7', null],
    ['Demo-1234!', null],
    ['Admin-1234!', null],
  ])('%s, where registered and elsewhere', (password, fault) => {
    expect(registrationPasswordFault(password)).toBe(fault);
    if (Array.from(password).length < 16) expect(passwordFault(password)).toBe(fault);
  });

  it.each([
    ['correct horse battery staple', null],
    ['a'.repeat(15), passwordErrors.noUpperCase],
    ['plain words here', null],
    ['пароль из пяти слов', null],
    ['a'.repeat(72), null],
    ['a'.repeat(73), passwordErrors.long],
    ['PolniyPizdec0211', passwordErrors.common],
  ])('%s, a passphrase, is taken everywhere but at registration', (password, fault) => {
    expect(passwordFault(password)).toBe(fault);
    expect(registrationPasswordFault(password)).not.toBeNull();
  });

  it('knows the commonest, in any case', () => {
    for (const password of ['123456', 'password', 'QWERTY', 'P@ssw0rd']) expect(isCommonPassword(password)).toBe(true);
    for (const password of ['Sunny-Day-7', 'Correct-Horse-1', '']) expect(isCommonPassword(password)).toBe(false);
  });
});
