import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret as customers get it: `whsec_<base64>` (Standard Webhooks). */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The key that such a secret stands for. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/**
 * `webhook-signature` of Standard Webhooks: one `v1,` entry a key, the newest first.
 * @param timestamp seconds since 1970, as in `webhook-timestamp`
 */
export const signatures = (keys: readonly Buffer[], id: string, timestamp: number, body: string): string =>
  keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`).join(' ');
