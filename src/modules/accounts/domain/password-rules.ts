import { createRequire } from 'node:module';
import { type DefinedError, invalid } from '../../../kernel/errors.js';

const MOST_COMMON = 10_000;

/** Read when a password is first judged: the list is half a megabyte, and few processes need it. */
let common: ReadonlySet<string> | null = null;

function readCommon(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as {
    dictionary: Readonly<Record<'passwords-common', readonly string[]>>;
  };
  // ordered by how often they are used
  return new Set(dictionary['passwords-common'].slice(0, MOST_COMMON).map((password) => password.toLowerCase()));
}

/** Whether a password is one of the 10,000 that are used most, in any case of letters. */
export const isCommonPassword = (password: string): boolean => (common ??= readCommon()).has(password.toLowerCase());

/** bcrypt ignores what comes after, so a longer password would promise more than it keeps. */
const MAX_BYTES = 72;
/** Code points from which on a password needs no classes, except at registration. */
const PASSPHRASE_LENGTH = 16;

const rule = (text: string, reason: string): DefinedError => invalid('password_rule', text, reason);

/** What is said of a new password, in the order of the rules. */
export const passwordErrors = {
  short: rule('Password must be at least 8 characters', 'too short'),
  noUpperCase: rule('Password must contain at least one uppercase letter', 'none'),
  noLowerCase: rule('Password must contain at least one lowercase letter', 'none'),
  noDigit: rule('Password must contain at least one digit', 'none'),
  noSpecial: rule('Password must contain at least one special character', 'none'),
  long: rule(`Password must be at most ${MAX_BYTES} bytes`, 'too long'),
  common: rule('Password is too common', 'one of the 10,000 that are used most, in any case of letters'),
};

/** Where a password is confirmed. */
export const unconfirmed = rule('Passwords do not match', 'confirmation differs');

/**
 * The rules of registration, in the order of reference/authentication#passwords; ours (72 bytes, not a common one) come last.
 * Length counts Unicode code points; upper and lower case, digits and letters of every script count.
 * @returns the first rule it breaks, or null
 */
export const registrationPasswordFault = (password: string): DefinedError | null =>
  classFault(password) ?? oursFault(password);

/** The rules wherever else a password is set: a long passphrase needs no classes. @returns the first rule it breaks, or null */
export const passwordFault = (password: string): DefinedError | null =>
  (Array.from(password).length >= PASSPHRASE_LENGTH ? null : classFault(password)) ?? oursFault(password);

function classFault(password: string): DefinedError | null {
  if (Array.from(password).length < 8) return passwordErrors.short;
  if (!/\p{Lu}/u.test(password)) return passwordErrors.noUpperCase;
  if (!/\p{Ll}/u.test(password)) return passwordErrors.noLowerCase;
  if (!/\p{Nd}/u.test(password)) return passwordErrors.noDigit;
  if (!/[^\p{L}\p{N}]/u.test(password)) return passwordErrors.noSpecial;
  return null;
}

function oursFault(password: string): DefinedError | null {
  if (Buffer.byteLength(password, 'utf8') > MAX_BYTES) return passwordErrors.long;
  return isCommonPassword(password) ? passwordErrors.common : null;
}
