import type { IncomingHttpHeaders } from 'node:http';
import { readFormField, readJsonField } from '../../kernel/body-fields.js';
import { isObject, readJsonObject } from '../../kernel/json-values.js';
import { readText } from '../../kernel/text.js';

/** How the cell of a request is found (reference/cells#how-a-request-finds-its-cell). */
export type Way =
  /** by whose token, key or cookie it carries */
  | { by: 'caller' }
  /** the same; staff whose name stands in every cell must name one */
  | { by: 'staff' }
  /** by a name in the body, else the caller; `login`: it may be an e-mail */
  | { by: 'body'; field: string; login: boolean }
  /** by a name in the query, else the caller */
  | { by: 'query'; field: string; login: boolean }
  /** by the id of a report */
  | { by: 'report' }
  /** any cell that takes new accounts */
  | { by: 'new' }
  /** the first cell: what concerns no account, and addresses from before the front */
  | { by: 'first' }
  /** the front answers itself */
  | { by: 'front' }
  /** no cell, not even one that is named: what the front alone asks of cells */
  | { by: 'none' };

/** Bodies of errors, as `platform/http` names them. */
export type Shape = 'standard' | 'v5' | 'public';

interface PathRule {
  /** in lower case, without a slash at its end; empty = the root */
  path: string;
  /** and everything below it */
  below?: true;
  way: Way;
  shape?: Shape;
}

export const CALLER: Way = { by: 'caller' };
const STAFF: Way = { by: 'staff' };
const FIRST: Way = { by: 'first' };
const FRONT: Way = { by: 'front' };
const LOGIN: Way = { by: 'body', field: 'email_or_username', login: true };
const SENDER: Way = { by: 'body', field: 'username', login: false };
const NEW: Way = { by: 'new' };

/** The first that fits. A test holds it against every route of the API. */
export const PATH_RULES: readonly PathRule[] = [
  { path: '/v6/api/v1/auth/login', way: LOGIN },
  { path: '/v1/auth/login', way: LOGIN },
  { path: '/v6/api/v1/auth/register', way: NEW },
  { path: '/v1/auth/register', way: NEW },
  { path: '/v1/auth/logout', way: CALLER },
  { path: '/webhook/api/addbroadcastgsm.php', way: SENDER },
  { path: '/webhook/api/addbroadcastunofficial.php', way: SENDER },
  { path: '/webhook/api/getgsmreport.php', way: { by: 'report' } },
  { path: '/webhook/api/templates.php', way: { by: 'query', field: 'username', login: false } },
  { path: '/webhook/api/createtemplates.php', way: CALLER },
  { path: '/v5/api/sms_get.php', way: { by: 'query', field: 'username', login: true }, shape: 'v5' },
  { path: '/v5', below: true, way: CALLER, shape: 'v5' },
  {
    path: '/v6/api/public/profile-request',
    way: { by: 'query', field: 'parent_username', login: false },
    shape: 'public',
  },
  { path: '/v6/api/admin', below: true, way: STAFF },
  { path: '/v6/api', below: true, way: CALLER },
  { path: '/provider', below: true, way: FIRST },
  { path: '/audio', below: true, way: FIRST },
  { path: '/admin', below: true, way: FIRST },
  { path: '/app', below: true, way: FIRST },
  { path: '/docs', below: true, way: FIRST },
  { path: '/docs-json', way: FIRST },
  { path: '/health', below: true, way: FRONT },
  { path: '/metrics', way: FRONT },
  { path: '/c', way: FRONT },
  { path: '', way: FRONT },
  { path: '/cell', below: true, way: { by: 'none' } },
];

/** @returns null for a path that no rule knows: the first cell says what it thinks of it */
export function ruleOf(path: string): PathRule | null {
  const wanted = path.toLowerCase().replace(/\/$/, '');
  const fits = (rule: PathRule): boolean =>
    wanted === rule.path || (rule.below === true && wanted.startsWith(`${rule.path}/`));
  return PATH_RULES.find(fits) ?? null;
}

/** Where a request goes, as its first line says. */
export interface Target {
  /** letter of the prefix; null = none */
  prefix: string | null;
  /** without the prefix and the query */
  path: string;
  /** with the question mark; empty = none */
  search: string;
}

const PREFIX = /^\/c\/([^/?]*)(?=[/?]|$)/i;

/** @returns null for what is no path, such as the address of another server */
export function readTarget(url: string): Target | null {
  if (!url.startsWith('/')) return null;
  const [whole = ''] = PREFIX.exec(url) ?? [];
  const rest = url.slice(whole.length);
  const at = rest.indexOf('?');
  const path = at < 0 ? rest : rest.slice(0, at);
  return {
    prefix: whole === '' ? null : whole.slice(3),
    path: path === '' ? '/' : path,
    search: at < 0 ? '' : rest.slice(at),
  };
}

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
