import { describe, expect, it } from 'vitest';
import type { Account } from './account.js';
import {
  assertManager,
  assertMayChange,
  assertMaySee,
  assertMaySetParent,
  assertMaySetUserType,
  assertOwner,
  assertUserManager,
} from './account-policy.js';
import { defaultPermissions } from './permissions.js';

let ids = 0;
const person = (userType: string | null, fields: Partial<Account> = {}): Account =>
  ({
    id: ++ids,
    username: `u${ids}`,
    userType,
    parentId: null,
    permissions: defaultPermissions(),
    setByStaff: [],
    ...fields,
  }) as Account;
const outcome = (check: () => void): string => {
  try {
    check();
    return 'ok';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('who may do what to whom', () => {
  it('follows the roles', () => {
    const matrix: [string, string | null, string][] = [
      ['super', 'super', 'ok'],
      ['super', 'client', 'ok'],
      ['admin', 'super', 'Forbidden'],
      ['admin', 'admin', 'Forbidden'],
      ['admin', 'reseller', 'Forbidden'],
      ['admin', 'client', 'ok'],
      ['admin', null, 'ok'],
      ['reseller', 'client', 'Account not found'],
      ['reseller', 'super', 'Account not found'],
    ];
    for (const [actor, target, expected] of matrix) {
      expect([actor, target, outcome(() => assertMayChange(person(actor), person(target)))]).toEqual([
        actor,
        target,
        expected,
      ]);
    }
    const seller = person('reseller');
    expect(outcome(() => assertMayChange(seller, person('client', { parentId: seller.id })))).toBe('ok');
    expect(outcome(() => assertMayChange(seller, person('reseller', { parentId: seller.id })))).toBe('Forbidden');
    expect(outcome(() => assertMaySee(seller, seller))).toBe('Account not found');
  });

  it('guards user_type and parent', () => {
    const root = person('super');
    expect(outcome(() => assertMaySetUserType(root, root, 'client'))).toBe('Forbidden');
    expect(outcome(() => assertMaySetUserType(root, root, 'super'))).toBe('ok');
    expect(outcome(() => assertMaySetUserType(root, person('client'), 'super'))).toBe('ok');
    expect(outcome(() => assertMaySetUserType(person('admin'), person('client'), 'reseller'))).toBe('Forbidden');
    expect(outcome(() => assertMaySetUserType(person('admin'), person(null), 'client'))).toBe('ok');
    const seller = person('reseller');
    expect(outcome(() => assertMaySetParent(seller, seller.username))).toBe('ok');
    expect(outcome(() => assertMaySetParent(seller, null))).toBe('Forbidden');
    expect(outcome(() => assertMaySetParent(root, null))).toBe('ok');
  });

  it('asks for client_management, but not of super', () => {
    const permissions = { ...defaultPermissions(), client_management: false };
    expect(outcome(() => assertManager(person('reseller', { permissions })))).toBe('Permission denied');
    expect(outcome(() => assertManager(person('admin', { permissions })))).toBe('Permission denied');
    expect(outcome(() => assertManager(person('super', { permissions })))).toBe('ok');
  });

  it('keeps keys and people to the account itself', () => {
    const assignedUser = { id: 1 } as NonNullable<Account['assignedUser']>;
    const permissions = { ...defaultPermissions(), client_management: false };
    expect(outcome(() => assertOwner(person('client')))).toBe('ok');
    expect(outcome(() => assertOwner(person('client', { assignedUser })))).toBe('Permission denied');
    expect(outcome(() => assertUserManager(person('client')))).toBe('ok');
    expect(outcome(() => assertUserManager(person('client', { permissions })))).toBe('Permission denied');
    expect(outcome(() => assertUserManager(person('super', { permissions })))).toBe('ok');
    expect(outcome(() => assertUserManager(person('super', { assignedUser })))).toBe('Permission denied');
  });
});
