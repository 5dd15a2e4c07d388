import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { JsonRecords } from '../../kernel/json-records.js';

export const LONGEST_KEY = 255;

export const KEPT_HOURS = 24;
/** of a message's `client_ref` */
export const REFS_KEPT_HOURS = 48;
/** A request interrupted before its commit has done nothing; another may take over after this time. */
export const LEASE_SECONDS = 120;

export type Endpoint =
  | 'sms_broadcast'
  | 'unofficial_broadcast'
  | 'template_message'
  | 'branded_campaign'
  | 'session_message'
  | 'v5_session'
  | 'voice_send'
  | 'retry_failed'
  | 'bulk_campaign'
  | 'inbound_reply'
  | 'message'
  | 'message_ref';

/** Keys of test keys are apart: the same key may stand for a test and for a live request. */
export type IdempotentEndpoint = Endpoint | `test_${Endpoint}`;

export const endpointOf = (endpoint: Endpoint, isTest: boolean): IdempotentEndpoint =>
  isTest ? `test_${endpoint}` : endpoint;

export interface IdempotentRequest {
  accountId: number;
  endpoint: IdempotentEndpoint;
  key: string;
  /** SHA-256 of the parts that must be equal in a repeated request */
  digest: Buffer;
}

/** Returns SHA-256 over path parameters and body, ignoring field order. Yields between chunks: 64 MB take a second. */
export async function requestDigest(parameters: unknown, body: unknown): Promise<Buffer> {
  const hash = createHash('sha256');
  const written = { text: '' };
  for (const text of write([parameters ?? {}, body ?? {}], written)) {
    hash.update(text);
    await yieldToOthers();
  }
  return hash.update(written.text).digest();
}

/** Characters digested before yielding to the event loop. */
const CHARACTERS_AT_ONCE = 128 * 1024;

/** Serializes a value canonically and yields the text in chunks. */
function* write(value: unknown, written: { text: string }): Generator<string, void, undefined> {
  if (Array.isArray(value) || value instanceof JsonRecords) {
    written.text += '[';
    let index = 0;
    for (const item of value) {
      if (index++ > 0) written.text += ',';
      yield* write(item, written);
    }
    written.text += ']';
  } else if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    written.text += '{';
    for (const [index, [name, field]] of fields.entries()) {
      written.text += `${index > 0 ? ',' : ''}${JSON.stringify(name)}:`;
      yield* write(field, written);
    }
    written.text += '}';
  } else written.text += JSON.stringify(value ?? null);
  if (written.text.length < CHARACTERS_AT_ONCE) return;
  yield written.text;
  written.text = '';
}
