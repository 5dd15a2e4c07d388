import { describe, expect, it } from 'vitest';
import { auditedChanges } from './account-changes.js';

describe('auditedChanges', () => {
  it('names the fields as the API does, and never shows a password', () => {
    const changes = {
      isActive: false,
      expiresAt: null,
      parentUsername: 'seller',
      userType: 'client',
      requireToken: true,
      refundFailed: true,
      publicLookup: false,
      timeZone: 'UTC',
      allowedRoutes: ['carrier-1'],
      numberCheck: 'warn',
      permissions: { gsm: true },
      password: 'Rainy-Day-8',
    };
    expect(auditedChanges(changes)).toEqual({
      is_active: false,
      expires_at: null,
      parent_username: 'seller',
      user_type: 'client',
      require_token: true,
      refund_failed: true,
      public_lookup: false,
      time_zone: 'UTC',
      allowed_routes: ['carrier-1'],
      number_check: 'warn',
      permissions: { gsm: true },
      password: 'changed',
    });
    expect(auditedChanges({})).toEqual({});
  });
});
