import { createHash, randomBytes } from 'node:crypto';
import { isObject, type JsonObject, readJsonObject } from '../../../kernel/json-values.js';
import { type Account, assignedUserIdOf } from './account.js';

/** `iss` of our tokens (reference/authentication#tokens). */
export const TOKEN_ISSUER = 'switchboard';

/** 7 days. */
export const TOKEN_SECONDS = 604_800;

/** Claims of a token that we sign. `exp` = `iat` + 7 days. */
export interface TokenClaims {
  iat: number;
  exp: number;
  iss: string;
  /** the id as text: the account's, or that of the assigned user who acts for it */
  sub: string;
  /**
   * `name` is an acting username too (reference/authentication#tokens), so it is the username and never a display name
   */
  data: { id: number; name: string; username: string; email: string | null; mobile: string | null };
}

/**
 * Claims for an account, or for its assigned user, at a moment. A token issued in the very second of a password change carries the change's
 * (rounded up) second, so that it is good while every earlier one is not.
 */
export function claimsFor(account: Account, at: Date): TokenClaims {
  const bearer = account.assignedUser ?? account;
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

/** The last moment that a date can hold, in seconds since the epoch. */
const LAST_SECOND = 8_640_000_000_000;

const isMoment = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= LAST_SECOND;

/**
 * Whether a token is worth verifying: its parts are JSON objects, no extension is declared critical (we know none, and
 * a reader that does not must refuse, RFC 7515 4.1.11), and it is issued and expires at moments that a date can hold. A
 * signature of ours says nothing about the rest: jsonwebtoken trips over a payload that is `null`, and ignores `crit`.
 */
export function isOrdinaryToken(token: string): boolean {
  const [header, payload] = token.split('.', 2).map(objectOf);
  if (!header || !payload || 'crit' in header) return false;
  return isMoment(payload['iat']) && isMoment(payload['exp']);
}

const objectOf = (part: string): JsonObject | null => readJsonObject(Buffer.from(part, 'base64url').toString());

/** What counts of a verified token. */
export interface ReadToken {
  /** the acting username: `data.username` when present, else `data.name` */
  username: string;
  /** who acts for that account; null: it does itself */
  assignedUserId: number | null;
  /** seconds since the epoch */
  issuedAt: number;
  /** seconds since the epoch */
  expiresAt: number;
  /** letter of the cell that has signed it; null where there was one only (reference/cells#staff) */
  cell: string | null;
}

/**
 * Reads the payload of a token whose signature and expiry have been verified.
 * @returns null when it lacks `exp` or `iat`, names another issuer, or has no acting username
 */
export function readClaims(payload: unknown): ReadToken | null {
  if (!isObject(payload) || !isObject(payload['data'])) return null;
  const { exp, iat, iss, sub, cell = null } = payload;
  if (typeof exp !== 'number' || typeof iat !== 'number') return null;
  if (iss !== undefined && iss !== TOKEN_ISSUER) return null;
  if (cell !== null && typeof cell !== 'string') return null;
  const username = payload['data']['username'] ?? payload['data']['name'];
  if (typeof username !== 'string' || username === '') return null;
  return { username, assignedUserId: assignedUserIdOf(sub), issuedAt: iat, expiresAt: exp, cell };
}

/** True for a token that is older than the last password change of its account or person: it no longer counts. */
export const isOutdated = (token: Pick<ReadToken, 'issuedAt'>, bearer: Pick<Account, 'passwordChangedAt'>): boolean =>
  token.issuedAt < Math.ceil(bearer.passwordChangedAt.getTime() / 1000);

/**
 * What a password changed at a moment carries as the time of its change. Tokens have whole seconds: rounding up refuses
 * all that were issued before, in this very second too; and a second change in one second gets the next one.
 */
export const passwordChange = (before: Pick<Account, 'passwordChangedAt'>, at: Date): Date =>
  new Date(
    Math.max(Math.floor(at.getTime() / 1000), Math.ceil(before.passwordChangedAt.getTime() / 1000)) * 1000 + 1000,
  );

const PREFIX = 'sk_';
const RANDOM_BYTES = 32;
const SHOWN = 11;
const FORM = /^sk_[A-Za-z0-9_-]{43}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** A new key: 256 random bits, so that its digest needs no salt and no slow hash. */
export const newApiKey = (): string => PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');

/** True for a text that may be one of our keys; what is none needs no look into the database. */
export const isApiKey = (text: string): boolean => FORM.test(text);

/** What the database keeps of a key: SHA-256 in hexadecimal digits. */
export const apiKeyDigest = (key: string): string => createHash('sha256').update(key).digest('hex');

/** True for a text that may be such a digest. */
export const isApiKeyDigest = (text: string): boolean => DIGEST.test(text);

/** The beginning of a key, by which its owner tells it from others. */
export const apiKeyPrefix = (key: string): string => key.slice(0, SHOWN);
