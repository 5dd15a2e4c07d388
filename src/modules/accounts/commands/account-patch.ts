import { changedPermissions, readExpiresAt, readTimeZone } from '../domain/account-values.js';
import { readPermissions } from '../domain/permissions.js';
import type { AccountEntity } from '../persistence/account.entity.js';
import type { AccountChanges } from './change-account.command.js';

/**
 * What a change writes into an account's row, but for parent and password.
 * @param defaultZone of an account that has no time zone of its own
 * @throws AppError 400 with the first value at fault
 */
export function accountPatch(row: AccountEntity, changes: AccountChanges, defaultZone: string): Partial<AccountEntity> {
  const patch: Partial<AccountEntity> = {};
  const { isActive, requireToken, refundFailed, publicLookup, userType } = changes;
  const plain = { isActive, requireToken, refundFailed, publicLookup, userType };
  Object.assign(patch, Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)));
  if (changes.timeZone !== undefined) patch.timeZone = readTimeZone(changes.timeZone);
  if (changes.expiresAt !== undefined) {
    const zone = (patch.timeZone === undefined ? row.timeZone : patch.timeZone) ?? defaultZone;
    patch.expiresAt = readExpiresAt(changes.expiresAt, zone);
  }
  if (changes.permissions !== undefined) {
    const before = readPermissions(JSON.parse(row.permissions) as Record<string, unknown>);
    patch.permissions = JSON.stringify(changedPermissions(before, changes.permissions));
  }
  return patch;
}
