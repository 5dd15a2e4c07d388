import type { IncomingHttpHeaders } from 'node:http';
import { readFormField } from '../../../kernel/form-field.js';
import { readJsonField } from '../../../kernel/json-field.js';
import { isObject, readJsonObject } from '../../../kernel/objects.js';
import { readText } from '../../../kernel/text.js';

/**
 * Whom a request says that it comes from; the cell judges whether it is so.
 * `signer`: the cell that a token says it is from, which alone would take it
 */
export type Caller = { username: string; signer: string | null } | { apiKey: string } | null;

const BEARER = /^(?:Bearer +)?(\S+)$/i;
const COOKIE = /(?:^|;)\s*auth_token=("?)([^;"]*)\1/;
/** Longer ones no cell has made. */
const LONGEST_TOKEN = 16_384;

/** In the order in which a cell looks: `Authorization` of any kind, then the key, then the cookie. */
export function callerOf(headers: IncomingHttpHeaders): Caller {
  const authorization = headers.authorization?.trim();
  if (authorization) return nameIn(BEARER.exec(authorization)?.[1] ?? '');
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key.trim() !== '') return { apiKey: key.trim() };
  return nameIn(COOKIE.exec(headers.cookie ?? '')?.[2] ?? '');
}

function nameIn(token: string): Caller {
  const payload = token.length > LONGEST_TOKEN ? undefined : token.split('.')[1];
  if (payload === undefined) return null;
  const { data, cell } = readJsonObject(Buffer.from(payload, 'base64url').toString()) ?? {};
  if (!isObject(data)) return null;
  const username = data['username'] ?? data['name'];
  if (typeof username !== 'string' || username === '') return null;
  return { username, signer: typeof cell === 'string' ? cell : null };
}

/** Fields by which a report is asked for, in the order in which they count. */
const REPORT_IDS = ['request_id', 'requestid', 'provider_message_id', 'providermessageid'];

/**
 * The id of a report as the cell will read it. @param inBody what a field of the body holds
 * @returns '' for none, or for something else than a text or number
 */
export function reportIdOf(query: Fields, inBody: (field: string) => unknown): string {
  const values = REPORT_IDS.flatMap((name) => [readText(query[name]), readText(inBody(name))]);
  const first = [...values, readText(inBody('providerMessageId'))].find(({ kind }) => kind !== 'empty');
  return first?.kind === 'text' ? first.value : '';
}

export type Fields = Readonly<Record<string, unknown>>;

/** Fields of a query. Of a name that comes twice the last one counts. */
export const fieldsIn = (encoded: string): Fields => Object.fromEntries(new URLSearchParams(encoded));

const isForm = (contentType: string | undefined): boolean =>
  /^\s*application\/x-www-form-urlencoded\b/i.test(contentType ?? '');

/** A text, or a finite number as its text; '' for everything else. */
export function nameOf(value: unknown): string {
  const read = readText(value);
  return read.kind === 'text' ? read.value : '';
}

/** What a field of a body holds that was read whole, JSON or a form. Of a long one little is looked at. */
export function bodyField(body: Buffer, contentType: string | undefined, field: string): unknown {
  const bytes = inUtf8(body, contentType);
  if (isForm(contentType)) return readFormField(bytes, field);
  // unless its letters, or an escape, occur there is no such field
  return bytes.includes(field) || bytes.includes('\\u') ? readJsonField(bytes, field) : undefined;
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** As a cell's parser, which takes the byte order mark away, and JSON in UTF-16. @returns nothing of a charset that is not known */
function inUtf8(body: Buffer, contentType: string | undefined): Buffer {
  const charset = CHARSET.exec(contentType ?? '')?.[1] ?? 'utf-8';
  if (/^utf-?8$/i.test(charset)) return body.subarray(body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0);
  try {
    return Buffer.from(new TextDecoder(charset).decode(body));
  } catch {
    return Buffer.alloc(0);
  }
}
