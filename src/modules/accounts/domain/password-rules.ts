import { type DefinedError, invalid } from '../../../kernel/define-error.js';

/** bcrypt ignores what comes after, so a longer password would promise more than it keeps. */
const MAX_BYTES = 72;

const rule = (text: string, reason: string): DefinedError => invalid('password_rule', text, reason);

/** What is said of a new password, in the order of the rules. */
export const passwordErrors = {
  short: rule('Password must be at least 8 characters', 'too short'),
  noUpperCase: rule('Password must contain at least one uppercase letter', 'none'),
  noLowerCase: rule('Password must contain at least one lowercase letter', 'none'),
  noDigit: rule('Password must contain at least one digit', 'none'),
  noSpecial: rule('Password must contain at least one special character', 'none'),
  long: rule(`Password must be at most ${MAX_BYTES} bytes`, 'too long'),
};

/** Where a password is confirmed. */
export const unconfirmed = rule('Passwords do not match', 'confirmation differs');

/**
 * The rules of a new password, in the order of reference/authentication#passwords; ours (72 bytes) comes last.
 * Length counts Unicode code points; upper and lower case, digits and letters of every script count.
 * @returns the first rule it breaks, or null
 */
export function passwordFault(password: string): DefinedError | null {
  if (Array.from(password).length < 8) return passwordErrors.short;
  if (!/\p{Lu}/u.test(password)) return passwordErrors.noUpperCase;
  if (!/\p{Ll}/u.test(password)) return passwordErrors.noLowerCase;
  if (!/\p{Nd}/u.test(password)) return passwordErrors.noDigit;
  if (!/[^\p{L}\p{N}]/u.test(password)) return passwordErrors.noSpecial;
  if (Buffer.byteLength(password, 'utf8') > MAX_BYTES) return passwordErrors.long;
  return null;
}
