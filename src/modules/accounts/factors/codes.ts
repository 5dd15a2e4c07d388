import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** What authenticator apps take without settings of their own (RFC 6238): SHA-1, 6 digits, 30 s. */
const SETTINGS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** Steps before and after the present one: clocks differ. */
const WINDOW = 1;

/** A new secret in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** What an app reads from the QR code. @param label username */
export const totpUri = (secret: string, issuer: string, label: string): string =>
  new TOTP({ ...SETTINGS, issuer, label, secret: Secret.fromBase32(secret) }).toString();

/** The step (30 s since 1970) whose code this is, near `at`; null for another code. Compares in constant time. */
export function totpStep(secret: string, code: string, at: Date): number | null {
  const totp = new TOTP({ ...SETTINGS, secret: Secret.fromBase32(secret) });
  const timestamp = at.getTime();
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}

export const RECOVERY_CODES = 10;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LETTERS = 16;
const GROUP = 4;
const FORM = /^[a-z2-7]{16}$/;

/** 80 random bits each, in four groups of four: `abcd-efgh-ijkl-mnop`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const letters = Array.from(randomBytes(LETTERS), (byte) => ALPHABET[byte & 31]).join('');
    return letters.replace(new RegExp(`.{${GROUP}}(?=.)`, 'g'), '$&-');
  });

/** Its stored form, or null for a text that is none; case, spaces and dashes do not count. */
export function recoveryDigest(text: string): Buffer | null {
  const letters = text.toLowerCase().replace(/[\s-]/g, '');
  return FORM.test(letters) ? createHash('sha256').update(letters).digest() : null;
}
