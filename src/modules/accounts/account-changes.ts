import { isTimeZone, readExpiry } from '../../kernel/clock.js';
import { fieldErrors } from '../../kernel/errors.js';
import { isCountry } from '../numbers/index.js';
import { normalIpRange } from '../../platform/security/index.js';
import { assertReleasable } from './domain/account-policy.js';
import { accountErrors } from './domain/account.errors.js';
import { isPermission, type Permissions, readPermissions } from './domain/account.js';
import { isEmail, normalEmail } from './domain/identity.js';
import { passwordFault } from './domain/password-rules.js';
import type { AccountEntity } from './tables.js';

const LAST_YEAR = 9999;

/** Parses a time zone; '' clears it, so that APP_TIME_ZONE applies. */
export function readTimeZone(text: string | null): string | null {
  if (text === null || text.trim() === '') return null;
  if (text.length > 64 || !isIanaName(text) || !isTimeZone(text)) throw fieldErrors.invalid('time_zone');
  return text;
}

/** An optional time zone of a registration: null when it is none. */
export const knownTimeZone = (text: string | null): string | null =>
  text !== null && text.length <= 64 && isIanaName(text) && isTimeZone(text) ? text : null;

/** Parses a country; '' clears it. @throws AppError invalid `country is invalid` */
export function readCountry(text: string | null): string | null {
  if (text === null || text.trim() === '') return null;
  if (!isCountry(text)) throw fieldErrors.invalid('country');
  return text;
}

/** Parses an expiry in the account's zone; a bare date means the end of that day; '' clears it. */
export function readExpiresAt(text: string | null, zone: string): Date | null {
  if (text === null || text.trim() === '') return null;
  const at = readExpiry(text.trim(), zone);
  if (!at || at.getUTCFullYear() > LAST_YEAR || at.getUTCFullYear() < 1970) throw fieldErrors.invalid('expires_at');
  return at;
}

export function readEmail(text: string | null): string | null {
  if (text === null || text.trim() === '') return null;
  const email = normalEmail(text);
  if (!isEmail(email)) throw fieldErrors.invalid('email');
  return email;
}

export function assertPassword(password: string): void {
  const fault = passwordFault(password);
  if (fault !== null) throw fault();
}

function changedPermissions(before: Permissions, change: Record<string, unknown>): Permissions {
  const after = { ...before };
  for (const [name, value] of Object.entries(change)) {
    if (!isPermission(name) || typeof value !== 'boolean')
      throw fieldErrors.invalid(`permissions.${name.slice(0, 64)}`);
    after[name] = value;
  }
  return after;
}

/** Luxon also accepts `local` and `UTC+3`, which are not portable. */
function isIanaName(text: string): boolean {
  try {
    return /^[A-Za-z]/.test(text) && Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));
  } catch {
    return false;
  }
}

/** The fields to change (reference/admin#accounts); absent keeps, null clears where a field may be empty. */
export interface AccountChanges {
  isActive?: boolean;
  expiresAt?: string | null;
  parentUsername?: string | null;
  userType?: string;
  requireToken?: boolean;
  requireSender?: boolean;
  refundFailed?: boolean;
  refundRefused?: boolean;
  publicLookup?: boolean;
  timeZone?: string | null;
  /** null = standard prices */
  ratePlan?: string | null;
  /** null = all routes; only staff set it */
  allowedRoutes?: readonly string[] | null;
  numberCheck?: string;
  /** null = not known */
  country?: string | null;
  strictNumbers?: boolean;
  permissions?: Record<string, unknown>;
  password?: string;
  revokeApiKeys?: boolean;
  /** with a password: sets the account's people inactive */
  revokeUsers?: boolean;
  /** ends what these keys and people made */
  revokeCreated?: boolean;
  /** fields that staff release to the reseller (reference/accounts#set-by-staff) */
  releasedFields?: readonly string[];
}

/** Converts changes to columns, except parent and password. @throws AppError 400 for the first invalid value */
export function accountPatch(row: AccountEntity, changes: AccountChanges, defaultZone: string): Partial<AccountEntity> {
  const patch: Partial<AccountEntity> = {};
  const { isActive, requireToken, requireSender, refundFailed, refundRefused, publicLookup, userType, numberCheck } =
    changes;
  const { strictNumbers } = changes;
  const plain = {
    isActive,
    requireToken,
    requireSender,
    refundFailed,
    refundRefused,
    publicLookup,
    userType,
    numberCheck,
    strictNumbers,
  };
  Object.assign(patch, Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)));
  assertReleasable(changes.releasedFields ?? []);
  if (changes.ratePlan !== undefined) patch.ratePlan = changes.ratePlan;
  if (changes.allowedRoutes !== undefined) {
    patch.allowedRoutes = changes.allowedRoutes && JSON.stringify([...new Set(changes.allowedRoutes)]);
  }
  if (changes.country !== undefined) {
    patch.countryCode = readCountry(changes.country);
    patch.countryChosen = patch.countryCode !== null;
  }
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

const FIELDS: Record<keyof AccountChanges, string> = {
  isActive: 'is_active',
  expiresAt: 'expires_at',
  parentUsername: 'parent_username',
  userType: 'user_type',
  requireToken: 'require_token',
  requireSender: 'require_sender',
  refundFailed: 'refund_failed',
  refundRefused: 'refund_refused',
  publicLookup: 'public_lookup',
  timeZone: 'time_zone',
  ratePlan: 'rate_plan',
  allowedRoutes: 'allowed_routes',
  numberCheck: 'number_check',
  country: 'country',
  strictNumbers: 'strict_numbers',
  permissions: 'permissions',
  password: 'password',
  revokeApiKeys: 'revoke_api_keys',
  revokeUsers: 'revoke_users',
  revokeCreated: 'revoke_created',
  releasedFields: 'released_fields',
};

export function changedFields(changes: AccountChanges): string[] {
  const { permissions = {}, revokeApiKeys, revokeUsers, revokeCreated, releasedFields, ...plain } = changes;
  const fields = Object.entries(FIELDS).filter(([field]) => plain[field as keyof typeof plain] !== undefined);
  return [...fields.map(([, name]) => name), ...Object.keys(permissions).map((name) => `permissions.${name}`)];
}

/** Returns the audited values as given; of a password only the fact that it changed. */
export function auditedChanges(changes: AccountChanges): Record<string, unknown> {
  const details: Record<string, unknown> = {};
  for (const [field, name] of Object.entries(FIELDS) as [keyof AccountChanges, string][]) {
    if (changes[field] !== undefined) details[name] = field === 'password' ? 'changed' : changes[field];
  }
  return details;
}

const MOST_RANGES = 100;

/** Returns distinct canonical ranges. @throws AppError 400 for the first invalid one of `field`, or more than 100 */
export function readIpRanges(field: string, texts: readonly string[]): string[] {
  if (texts.length > MOST_RANGES) throw accountErrors.tooManyIpRanges(field, MOST_RANGES);
  const ranges = texts.map((text, index) => {
    const range = normalIpRange(text);
    if (range === null) throw accountErrors.ipRange(field, index);
    return range;
  });
  return [...new Set(ranges)];
}
