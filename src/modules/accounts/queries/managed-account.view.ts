import { dateTime } from '../../../kernel/clock.js';
import { type Account, displayName, type Role, roleOf } from '../domain/account.js';
import type { Permissions } from '../domain/permissions.js';
import type { AccountEntity } from '../persistence/account.entity.js';

/** An account as its managers see it; times in the account's own zone. */
export interface ManagedAccountView {
  id: number;
  username: string;
  email: string | null;
  mobile_no: string | null;
  firstname: string;
  lastname: string;
  name: string;
  country: string | null;
  user_type: string | null;
  role: Role;
  parent_username: string | null;
  is_active: boolean;
  expires_at: string | null;
  time_zone: string;
  require_token: boolean;
  refund_failed: boolean;
  public_lookup: boolean;
  permissions: Permissions;
  api_base_url: string | null;
  created_at: string;
  updated_at: string;
}

export const managedAccountView = (
  account: Account,
  row: AccountEntity,
  usernames: Map<number, string>,
): ManagedAccountView => ({
  id: account.id,
  username: account.username,
  email: account.email,
  mobile_no: account.mobileNo,
  firstname: account.firstname,
  lastname: account.lastname,
  name: displayName(account),
  country: row.country,
  user_type: account.userType,
  role: roleOf(account.userType),
  parent_username: account.parentId === null ? null : (usernames.get(account.parentId) ?? null),
  is_active: account.isActive,
  expires_at: account.expiresAt && dateTime(account.expiresAt, account.timeZone),
  time_zone: account.timeZone,
  require_token: account.requireToken,
  refund_failed: account.refundFailed,
  public_lookup: account.publicLookup,
  permissions: account.permissions,
  api_base_url: account.apiBaseUrl,
  created_at: dateTime(row.createdAt, account.timeZone),
  updated_at: dateTime(row.updatedAt, account.timeZone),
});
