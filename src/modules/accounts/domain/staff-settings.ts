import { fieldErrors } from '../../../kernel/field-errors.js';
import { accountErrors } from './account.errors.js';
import type { Account } from './account.js';
import { isPermission } from './permissions.js';

/** Which fields staff set on an account, by the names of the API, and how long it lasts at most. */
export interface StaffSettings {
  /** such as `time_zone` or `permissions.gsm`; `is_active` = staff closed it; `expires_at` = staff set an expiry */
  setByStaff: readonly string[];
  /** the expiry that staff set; null = none */
  staffExpiresAt: Date | null;
}

/** Only staff of the house set these, whatever the account has now. */
const STAFF_ONLY = /^(require|refund)_/;

/** A reseller cannot change these at all, so nothing is kept about them. */
const NEVER_A_RESELLERS = new Set(['parent_username', 'rate_plan', 'allowed_routes']);

/** What staff can give back to a reseller: a permission is written as `permissions.gsm`. */
const RELEASABLE = ['is_active', 'expires_at', 'public_lookup', 'time_zone', 'number_check', 'password', 'user_type'];
const PERMISSION = /^permissions\.(\w+)$/;
export const RELEASABLE_FIELDS = [...RELEASABLE, 'permissions.<name>'].join(', ');

/** @throws AppError 400 `released_fields must be one of: …` for a name that no field has */
export function assertReleasable(fields: readonly string[]): void {
  const isField = (field: string) => RELEASABLE.includes(field) || isPermission(PERMISSION.exec(field)?.[1] ?? '');
  if (!fields.every(isField)) throw fieldErrors.noWord('released_fields', RELEASABLE_FIELDS);
}

const isReseller = (actor: Pick<Account, 'userType'>): boolean => actor.userType === 'reseller';

/**
 * Staff closed the account: a reseller changes nothing of it, by no endpoint.
 * @throws AppError forbidden `Account was closed by staff`
 */
export function assertNotClosedByStaff(
  actor: Pick<Account, 'userType'>,
  { setByStaff }: Pick<StaffSettings, 'setByStaff'>,
): void {
  if (isReseller(actor) && setByStaff.includes('is_active')) throw accountErrors.closedByStaff();
}

/**
 * What staff set, only staff change. A reseller may let the account end earlier than staff do, not later.
 * @param fields what the reseller changes, by the names of the API
 * @param expiresAt the new expiry; undefined = it stays
 * @throws AppError forbidden, naming the first field at fault
 */
export function assertNotStaffs(
  actor: Pick<Account, 'userType'>,
  target: StaffSettings,
  fields: readonly string[],
  expiresAt: Date | null | undefined,
): void {
  if (!isReseller(actor)) return;
  for (const field of fields) {
    if (STAFF_ONLY.test(field)) throw accountErrors.staffOnly(field);
    if (field !== 'expires_at' && target.setByStaff.includes(field)) throw accountErrors.setByStaff(field);
  }
  if (expiresAt !== undefined && isLater(expiresAt, target.staffExpiresAt))
    throw accountErrors.setByStaff('expires_at');
}

/**
 * The owner of an account changes a setting of its own.
 * @throws AppError forbidden when staff set it
 */
export function assertOwnSetting({ setByStaff }: Pick<StaffSettings, 'setByStaff'>, field: string): void {
  if (setByStaff.includes(field)) throw accountErrors.setByStaff(field);
}

/**
 * What is kept after a change: what staff set is theirs, until they give it back.
 * @param fields what was changed, by the names of the API
 * @param after the row's values afterwards
 * @param released what staff give back to the reseller
 */
export function staffSettingsAfter(
  actor: Pick<Account, 'userType'>,
  before: StaffSettings,
  fields: readonly string[],
  after: { isActive: boolean; expiresAt: Date | null },
  released: readonly string[] = [],
): StaffSettings {
  // `before` may be a whole row, and a caller merges what this returns
  if (isReseller(actor)) return { setByStaff: before.setByStaff, staffExpiresAt: before.staffExpiresAt };
  const kept = new Set(before.setByStaff);
  for (const field of fields) if (!STAFF_ONLY.test(field) && !NEVER_A_RESELLERS.has(field)) kept.add(field);
  for (const field of released) kept.delete(field);
  if (after.isActive) kept.delete('is_active');
  const staffExpiresAt = fields.includes('expires_at') ? after.expiresAt : before.staffExpiresAt;
  if (staffExpiresAt === null) kept.delete('expires_at');
  return { setByStaff: [...kept].sort(), staffExpiresAt: kept.has('expires_at') ? staffExpiresAt : null };
}

const isLater = (at: Date | null, bound: Date | null): boolean =>
  bound !== null && (at === null || at.getTime() > bound.getTime());
