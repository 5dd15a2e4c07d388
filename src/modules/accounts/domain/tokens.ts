import { createHash, randomBytes } from 'node:crypto';
import { isObject, type JsonObject, readJsonObject } from '../../../kernel/json-values.js';
import { type Account, assignedUserIdOf } from './account.js';

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
  /** signing cell; null = a single-cell installation (reference/cells#staff) */
  cell: string | null;
}

/** Parses a verified payload; null without `exp`, `iat` or username, or for another issuer. */
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

/** True if the token is older than the bearer's last password change. */
export const isOutdated = (token: Pick<ReadToken, 'issuedAt'>, bearer: Pick<Account, 'passwordChangedAt'>): boolean =>
  token.issuedAt < Math.ceil(bearer.passwordChangedAt.getTime() / 1000);

/** A password change in whole seconds, rounded up, as in tokens, so that all earlier tokens end; two never share a second. */
export const passwordChange = (before: Pick<Account, 'passwordChangedAt'>, at: Date): Date =>
  new Date(
    Math.max(Math.floor(at.getTime() / 1000), Math.ceil(before.passwordChangedAt.getTime() / 1000)) * 1000 + 1000,
  );

const PREFIX = 'sk_';
const RANDOM_BYTES = 32;
const SHOWN = 11;
const FORM = /^sk_[A-Za-z0-9_-]{43}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** 256 random bits: the digest needs no salt and no slow hash. */
export const newApiKey = (): string => PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');

/** A cheap check of the format before a database lookup. */
export const isApiKey = (text: string): boolean => FORM.test(text);

/** Returns the stored form of a key: SHA-256 in hex. */
export const apiKeyDigest = (key: string): string => createHash('sha256').update(key).digest('hex');

export const isApiKeyDigest = (text: string): boolean => DIGEST.test(text);

/** Returns the start of a key, shown to its owner to identify it. */
export const apiKeyPrefix = (key: string): string => key.slice(0, SHOWN);
