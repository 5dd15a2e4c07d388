import { createRequire } from 'node:module';
import { type DefinedError, invalid } from '../../../kernel/errors.js';

const MOST_COMMON = 10_000;

/** Loaded on first use: the list has half a megabyte, and few processes need it. */
let common: ReadonlySet<string> | null = null;

function readCommon(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as {
    dictionary: Readonly<Record<'passwords-common', readonly string[]>>;
  };
  // sorted by frequency
  return new Set(dictionary['passwords-common'].slice(0, MOST_COMMON).map((password) => password.toLowerCase()));
}

/** True for one of the 10,000 most frequent passwords, in any case. */
export const isCommonPassword = (password: string): boolean => (common ??= readCommon()).has(password.toLowerCase());

/** bcrypt ignores later bytes. */
const MAX_BYTES = 72;
/** Code points above which a password needs no character classes, except at registration. */
const PASSPHRASE_LENGTH = 16;

const rule = (text: string, reason: string): DefinedError => invalid('password_rule', text, reason);

/** Errors of a new password in validation order. */
export const passwordErrors = {
  short: rule('Password must be at least 8 characters', 'too short'),
  noUpperCase: rule('Password must contain at least one uppercase letter', 'none'),
  noLowerCase: rule('Password must contain at least one lowercase letter', 'none'),
  noDigit: rule('Password must contain at least one digit', 'none'),
  noSpecial: rule('Password must contain at least one special character', 'none'),
  long: rule(`Password must be at most ${MAX_BYTES} bytes`, 'too long'),
  common: rule('Password is too common', 'one of the 10,000 that are used most, in any case of letters'),
};

export const unconfirmed = rule('Passwords do not match', 'confirmation differs');

/** Returns the first broken registration rule (reference/authentication#passwords), or null. Counts code points. */
export const registrationPasswordFault = (password: string): DefinedError | null =>
  classFault(password) ?? oursFault(password);

/** Like registration, but a long passphrase needs no character classes. */
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
