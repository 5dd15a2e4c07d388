import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { JsonRecords } from '../../kernel/json-records.js';

/** Characters of an `Idempotency-Key` (reference/idempotency#idempotency-key). */
export const LONGEST_KEY = 255;

/** How long a key is kept, in hours. */
export const KEPT_HOURS = 24;
/** A request that was broken off before its commit has done nothing: after this, another one may do it. */
export const LEASE_SECONDS = 120;

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
 * SHA-256 over a request's path parameters and body. The order of an object's fields does not count, that of a list does. A
 * body of 64 MB takes a second: other requests go on meanwhile.
 * @param body of any shape, as it was parsed
 */
export async function requestDigest(parameters: unknown, body: unknown): Promise<Buffer> {
  const hash = createHash('sha256');
  const written = { text: '' };
  for (const text of write([parameters ?? {}, body ?? {}], written)) {
    hash.update(text);
    await turn();
  }
  return hash.update(written.text).digest();
}

/** Characters that are digested before others have their turn. */
const CHARACTERS_A_TURN = 128 * 1024;

/** Appends a value in its one form, and hands over what has been written as often as it is so much. */
function* write(value: unknown, written: { text: string }): Generator<string, void, undefined> {
  if (Array.isArray(value) || value instanceof JsonRecords) {
    written.text += '[';
    let place = 0;
    for (const item of value) {
      if (place++ > 0) written.text += ',';
      yield* write(item, written);
    }
    written.text += ']';
  } else if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    written.text += '{';
    for (const [place, [name, field]] of fields.entries()) {
      written.text += `${place > 0 ? ',' : ''}${JSON.stringify(name)}:`;
      yield* write(field, written);
    }
    written.text += '}';
  } else written.text += JSON.stringify(value ?? null);
  if (written.text.length < CHARACTERS_A_TURN) return;
  yield written.text;
  written.text = '';
}
