import { isTimeZone, readExpiry } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { isEmail, normalEmail } from './identity.js';
import { passwordFault } from './password-rules.js';
import { isPermission, type Permissions } from './permissions.js';

/** DATETIME holds years of four digits. */
const LAST_YEAR = 9999;

/** Reads a time zone; '' clears it (APP_TIME_ZONE then counts). */
export function readTimeZone(text: string | null): string | null {
  if (text === null || text.trim() === '') return null;
  if (text.length > 64 || !isIanaName(text) || !isTimeZone(text)) throw fieldErrors.invalid('time_zone');
  return text;
}

/** Reads an expiry in the account's zone; a bare date ends with that day; '' clears it. */
export function readExpiresAt(text: string | null, zone: string): Date | null {
  if (text === null || text.trim() === '') return null;
  const at = readExpiry(text.trim(), zone);
  if (!at || at.getUTCFullYear() > LAST_YEAR || at.getUTCFullYear() < 1970) throw fieldErrors.invalid('expires_at');
  return at;
}

/** Reads an e-mail into its stored form; '' is none. */
export function readEmail(text: string | null): string | null {
  if (text === null || text.trim() === '') return null;
  const email = normalEmail(text);
  if (!isEmail(email)) throw fieldErrors.invalid('email');
  return email;
}

/** Refuses a new password that breaks a rule of reference/authentication#passwords. */
export function assertPassword(password: string): void {
  const fault = passwordFault(password);
  if (fault !== null) throw fault();
}

/** The permissions after a change that names some of them. */
export function changedPermissions(before: Permissions, change: Record<string, unknown>): Permissions {
  const after = { ...before };
  for (const [name, value] of Object.entries(change)) {
    if (!isPermission(name) || typeof value !== 'boolean')
      throw fieldErrors.invalid(`permissions.${name.slice(0, 64)}`);
    after[name] = value;
  }
  return after;
}

/** The clock takes more than IANA names (`local`, `UTC+3`); those would mean something else on another machine. */
function isIanaName(text: string): boolean {
  try {
    return /^[A-Za-z]/.test(text) && Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));
  } catch {
    return false;
  }
}
