/** bcrypt ignores what comes after, so a longer password would promise more than it keeps. */
const MAX_BYTES = 72;

/**
 * The rules of a new password, in the order of reference/authentication#passwords; ours (72 bytes) comes last.
 * Length counts Unicode code points; upper and lower case, digits and letters of every script count.
 * @returns the text of the first rule it breaks, or null
 */
export function passwordFault(password: string): string | null {
  if (Array.from(password).length < 8) return 'Password must be at least 8 characters';
  if (!/\p{Lu}/u.test(password)) return 'Password must contain at least one uppercase letter';
  if (!/\p{Ll}/u.test(password)) return 'Password must contain at least one lowercase letter';
  if (!/\p{Nd}/u.test(password)) return 'Password must contain at least one digit';
  if (!/[^\p{L}\p{N}]/u.test(password)) return 'Password must contain at least one special character';
  if (Buffer.byteLength(password, 'utf8') > MAX_BYTES) return `Password must be at most ${MAX_BYTES} bytes`;
  return null;
}
