import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isObject, type JsonObject, readJsonObject } from '../../../kernel/json-values.js';
import { type Account, assignedUserIdOf, loginOf } from './account.js';

const TOKEN_ISSUER = 'switchboard';

const TOKEN_SECONDS = 604_800;

export interface TokenClaims {
  iat: number;
  exp: number;
  iss: string;
  /** id of the assigned user, else of the account */
  sub: string;
  /** `name` can identify the account (reference/authentication#tokens), so it is the username, never a display name */
  data: { id: number; name: string; username: string; email: string | null; mobile: string | null };
}

/** Builds claims; in the second of a password change `iat` is its rounded-up time, so that only new tokens are valid. */
export function claimsFor(account: Account, at: Date): TokenClaims {
  const bearer = loginOf(account);
  const iat = Math.max(Math.floor(at.getTime() / 1000), Math.ceil(bearer.passwordChangedAt.getTime() / 1000));
  return {
    iat,
    exp: iat + TOKEN_SECONDS,
    iss: TOKEN_ISSUER,
    sub: String(bearer.id),
    data: {
      id: account.id,
      name: account.username,
      username: account.username,
      email: account.email,
      mobile: account.mobileNo,
    },
  };
}

/** Largest Date, in epoch seconds. */
const LAST_SECOND = 8_640_000_000_000;

const isMoment = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= LAST_SECOND;

/** Rejects what jsonwebtoken does not: a `null` payload, `crit` (RFC 7515 4.1.11), and dates outside Date. */
export function isOrdinaryToken(token: string): boolean {
  const [header, payload] = token.split('.', 2).map(objectOf);
  if (!header || !payload || 'crit' in header) return false;
  return isMoment(payload['iat']) && isMoment(payload['exp']);
}

const objectOf = (part: string): JsonObject | null => readJsonObject(Buffer.from(part, 'base64url').toString());

export interface ReadToken {
  /** `data.username`, else `data.name` */
  username: string;
  /** null = the account itself */
  assignedUserId: number | null;
  /** epoch seconds */
  issuedAt: number;
  /** epoch seconds */
  expiresAt: number;
  /** row of `login_sessions`; null = issued before there were sessions */
  sessionId: number | null;
  /** signing cell; null = a single-cell installation (reference/cells#staff) */
  cell: string | null;
}

/** Parses a verified payload; null without `exp`, `iat` or username, or for another issuer. */
export function readClaims(payload: unknown): ReadToken | null {
  if (!isObject(payload) || !isObject(payload['data'])) return null;
  const { exp, iat, iss, sub, sid = null, cell = null } = payload;
  if (typeof exp !== 'number' || typeof iat !== 'number') return null;
  if (iss !== undefined && iss !== TOKEN_ISSUER) return null;
  if (cell !== null && typeof cell !== 'string') return null;
  if (sid !== null && !Number.isSafeInteger(sid)) return null;
  const sessionId = sid as number | null;
  const username = payload['data']['username'] ?? payload['data']['name'];
  if (typeof username !== 'string' || username === '') return null;
  return { username, assignedUserId: assignedUserIdOf(sub), issuedAt: iat, expiresAt: exp, sessionId, cell };
}

/** True if the token is older than the bearer's last password change. */
export const isOutdated = (token: Pick<ReadToken, 'issuedAt'>, bearer: Pick<Account, 'passwordChangedAt'>): boolean =>
  token.issuedAt < Math.ceil(bearer.passwordChangedAt.getTime() / 1000);

/** A password change in whole seconds, rounded up, as in tokens, so that all earlier tokens end; two never share a second. */
export const passwordChange = (before: Pick<Account, 'passwordChangedAt'>, at: Date): Date =>
  new Date(
    Math.max(Math.floor(at.getTime() / 1000), Math.ceil(before.passwordChangedAt.getTime() / 1000)) * 1000 + 1000,
  );

/** A key is one or the other from birth (own/keys#test-keys). */
export const KEY_MODES = ['live', 'test'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

const PREFIXES: Readonly<Record<KeyMode, string>> = { live: 'swb_live_', test: 'swb_test_' };
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LETTERS = 43;
const CHECKSUM_LETTERS = 6;
const SHOWN = 16;
const FORM = /^swb_(live|test)_[0-9A-Za-z]{49}$/;
/** Keys of 0.3.0 and before have no checksum. */
const FORMER_PREFIX = 'sk_';
const FORMER_SHOWN = 11;
const FORMER_FORM = /^sk_[A-Za-z0-9_-]{43}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** 256 random bits (43 letters of 62): the digest needs no salt and no slow hash. The checksum is for secret scanners (own/keys). */
export function newApiKey(mode: KeyMode): string {
  const random = Array.from({ length: RANDOM_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const key = PREFIXES[mode] + random;
  return key + checksumOf(key);
}

/** CRC-32 of the text in base 62, most significant digit first, padded with 0. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let digit = 0; digit < CHECKSUM_LETTERS; digit += 1) {
    digits = `${LETTERS[rest % LETTERS.length]}${digits}`;
    rest = Math.floor(rest / LETTERS.length);
  }
  return digits;
}

/** A cheap check of format and checksum before a database lookup. */
export function isApiKey(text: string): boolean {
  if (FORMER_FORM.test(text)) return true;
  return FORM.test(text) && text.endsWith(checksumOf(text.slice(0, -CHECKSUM_LETTERS)));
}

/** True for what was meant as an API key, valid or not. */
export const looksLikeApiKey = (text: string): boolean =>
  Object.values(PREFIXES).some((prefix) => text.startsWith(prefix)) || FORMER_FORM.test(text);

/** Returns the stored form of a key: SHA-256 in hex. */
export const apiKeyDigest = (key: string): string => createHash('sha256').update(key).digest('hex');

export const isApiKeyDigest = (text: string): boolean => DIGEST.test(text);

/** Returns the start of a key, shown to its owner to identify it. */
export const apiKeyPrefix = (key: string): string => key.slice(0, key.startsWith(FORMER_PREFIX) ? FORMER_SHOWN : SHOWN);
