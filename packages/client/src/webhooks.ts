import type { webhooks } from './schema.js';

/** Names of the events that are pushed. */
export type WebhookEventType = keyof webhooks;

/** Body of an event, told apart by its `event`. */
export type WebhookEvent<Type extends WebhookEventType = WebhookEventType> = {
  [Name in Type]: webhooks[Name]['post']['requestBody']['content']['application/json'];
}[Type];

/** A request that does not come from the service, or is too old. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** Headers of a request, as servers and frameworks have them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** `whsec_…`; all that count now, such as the old and the new one while a secret is rotated */
  secret: string | readonly string[];
  headers: WebhookHeaders;
  /** the body as it came, before anything parsed it */
  body: string | Uint8Array;
  /** seconds by which the clocks may differ; default 300 */
  tolerance?: number;
  now?: Date;
}

const PREFIX = 'whsec_';
const VERSION = 'v1,';

/**
 * The event of a webhook request, once its signature and time are found good (Standard Webhooks). Works wherever Web Crypto
 * does.
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(options: VerifyOptions): Promise<WebhookEvent> {
  const { secret, headers, tolerance = 300, now = new Date() } = options;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  const age = now.getTime() / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > tolerance)
    throw new WebhookVerificationError('The request is too old');
  const encoder = new TextEncoder();
  const body = typeof options.body === 'string' ? encoder.encode(options.body) : options.body;
  const signed = joined(encoder.encode(`${id}.${timestamp}.`), body);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const given = signatures
    .split(' ')
    .flatMap((one) => (one.startsWith(VERSION) ? [bytesOf(one.slice(VERSION.length))] : []));
  for (const each of secrets) {
    const raw = bytesOf(each.startsWith(PREFIX) ? each.slice(PREFIX.length) : each);
    if (!raw || raw.length === 0) throw new TypeError('A secret is not of the form whsec_<base64>');
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of given) {
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return eventOf(body);
    }
  }
  throw new WebhookVerificationError('No signature fits');
}

function eventOf(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch (cause) {
    throw new WebhookVerificationError('The body is no JSON', { cause });
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = Array.isArray(value) ? (value as readonly string[])[0] : (value as string | null | undefined);
  if (!text) throw new WebhookVerificationError(`The header ${name} is missing`);
  return text;
}

/** Bytes with a buffer of their own, as Web Crypto wants them. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}
