import { createHash } from 'node:crypto';

/** Characters of an `Idempotency-Key` (reference/idempotency#idempotency-key). */
export const LONGEST_KEY = 255;

/** How long a key is kept, in hours. */
export const KEPT_HOURS = 24;

/** What a client may name in `Idempotency-Key`: each counts its keys by itself. */
export type IdempotentEndpoint =
  | 'sms_broadcast'
  | 'unofficial_broadcast'
  | 'template_message'
  | 'branded_campaign'
  | 'session_message'
  | 'v5_session'
  | 'voice_send'
  | 'retry_failed'
  | 'bulk_campaign';

/** A request that came with an `Idempotency-Key`. */
export interface IdempotentRequest {
  accountId: number;
  endpoint: IdempotentEndpoint;
  key: string;
  /** SHA-256 of what must be the same in a request that comes again */
  digest: Buffer;
}

/**
 * SHA-256 over a request's path parameters and body. The order of an object's fields does not count, that of a list does.
 * @param body of any shape, as it was parsed
 */
export const requestDigest = (parameters: unknown, body: unknown): Buffer =>
  createHash('sha256')
    .update(canonicalText([parameters ?? {}, body ?? {}]))
    .digest();

function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalText(field)}`).join(',')}}`;
}
