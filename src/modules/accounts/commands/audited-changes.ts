import type { AccountChanges } from './change-account.command.js';

/** The API's name of every field that can be changed, as the audit log shows it. */
const FIELDS: Record<keyof AccountChanges, string> = {
  isActive: 'is_active',
  expiresAt: 'expires_at',
  parentUsername: 'parent_username',
  userType: 'user_type',
  requireToken: 'require_token',
  refundFailed: 'refund_failed',
  publicLookup: 'public_lookup',
  timeZone: 'time_zone',
  permissions: 'permissions',
  password: 'password',
  revokeApiKeys: 'revoke_api_keys',
  revokeUsers: 'revoke_users',
};

/** What the audit log keeps of a change: the values as they were given, and of a password only that it changed. */
export function auditedChanges(changes: AccountChanges): Record<string, unknown> {
  const details: Record<string, unknown> = {};
  for (const [field, name] of Object.entries(FIELDS) as [keyof AccountChanges, string][]) {
    if (changes[field] !== undefined) details[name] = field === 'password' ? 'changed' : changes[field];
  }
  return details;
}
