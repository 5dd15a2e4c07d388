import { describe, expect, it } from 'vitest';
import { staffSettingsAfter } from './staff-settings.js';

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
