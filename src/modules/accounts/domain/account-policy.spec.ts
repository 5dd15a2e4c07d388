import { describe, expect, it } from 'vitest';
import {
  assertManager,
  assertMayChange,
  assertMaySee,
  assertMaySetParent,
  assertMaySetUserType,
  staffSettingsAfter,
} from './account-policy.js';
import { type Account, defaultPermissions } from './account.js';

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
    expect(outcome(() => assertManager(person('client')))).toBe('ok');
    expect(outcome(() => assertManager(person('client', { permissions })))).toBe('Permission denied');
    expect(outcome(() => assertManager(person('reseller', { permissions })))).toBe('Permission denied');
    expect(outcome(() => assertManager(person('admin', { permissions })))).toBe('Permission denied');
    expect(outcome(() => assertManager(person('super', { permissions })))).toBe('ok');
  });
});

const END = new Date('2027-01-01T00:00:00Z');
const open = { isActive: true, expiresAt: null };

describe('what staff set on an account', () => {
  it('stays after a change by a reseller, and brings nothing else of the row along', () => {
    const row = { setByStaff: ['time_zone'], staffExpiresAt: END, numberCheck: 'off', userType: 'client' };
    expect(staffSettingsAfter({ userType: 'reseller' }, row, ['number_check'], open)).toEqual({
      setByStaff: ['time_zone'],
      staffExpiresAt: END,
    });
  });

  it('grows by what staff change, but for what a reseller can never set, and shrinks by what they give back', () => {
    const before = { setByStaff: ['time_zone'], staffExpiresAt: null };
    const fields = ['number_check', 'require_token', 'parent_username', 'expires_at'];
    const after = { isActive: true, expiresAt: END };
    expect(staffSettingsAfter({ userType: 'admin' }, before, fields, after, ['time_zone'])).toEqual({
      setByStaff: ['expires_at', 'number_check'],
      staffExpiresAt: END,
    });
  });

  it('ends with a closing that staff take back, and with an expiry that they lift', () => {
    const before = { setByStaff: ['expires_at', 'is_active'], staffExpiresAt: END };
    expect(staffSettingsAfter({ userType: 'super' }, before, ['is_active', 'expires_at'], open)).toEqual({
      setByStaff: [],
      staffExpiresAt: null,
    });
  });
});
