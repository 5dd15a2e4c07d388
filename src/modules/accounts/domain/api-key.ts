import { createHash, randomBytes } from 'node:crypto';

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
