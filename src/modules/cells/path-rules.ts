import type { IncomingHttpHeaders } from 'node:http';
import { readFormField, readJsonField } from '../../kernel/body-fields.js';
import { isObject, readJsonObject } from '../../kernel/json-values.js';
import { readText } from '../../kernel/text.js';

/** How a request's cell is found (reference/cells#how-a-request-finds-its-cell). */
export type Way =
  | { by: 'caller' }
  /** as caller, but staff whose name exists in every cell must name a cell */
  | { by: 'staff' }
  /** `login`: the field may hold an e-mail */
  | { by: 'body'; field: string; login: boolean }
  | { by: 'query'; field: string; login: boolean }
  | { by: 'report' }
  | { by: 'new' }
  /** requests without an account, and addresses older than the front */
  | { by: 'first' }
  | { by: 'front' }
  /** no cell: only the front itself calls this route */
  | { by: 'none' };

export type Shape = 'standard' | 'v5' | 'public';

interface PathRule {
  /** lower case, without a trailing slash; empty = the root */
  path: string;
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

/** The first match wins; a test compares the rules with every route of the API. */
export const PATH_RULES: readonly PathRule[] = [
  { path: '/v6/api/v1/auth/login', way: LOGIN },
  { path: '/v1/auth/login', way: LOGIN },
  { path: '/v6/api/v1/auth/password-resets', way: LOGIN },
  // a link leads below the address of its cell
  { path: '/v6/api/v1/auth/links', below: true, way: FIRST },
  { path: '/v6/api/auth/oidc', below: true, way: FIRST },
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
  { path: '/.well-known/switchboard-settlement-keys', way: FIRST },
  { path: '/health', below: true, way: FRONT },
  { path: '/metrics', way: FRONT },
  { path: '/c', way: FRONT },
  { path: '', way: FRONT },
  { path: '/cell', below: true, way: { by: 'none' } },
];

/** Returns null for an unknown path, which the first cell answers. */
export function ruleOf(path: string): PathRule | null {
  const wanted = path.toLowerCase().replace(/\/$/, '');
  const fits = (rule: PathRule): boolean =>
    wanted === rule.path || (rule.below === true && wanted.startsWith(`${rule.path}/`));
  return PATH_RULES.find(fits) ?? null;
}

export interface Target {
  prefix: string | null;
  path: string;
  search: string;
}

const PREFIX = /^\/c\/([^/?]*)(?=[/?]|$)/i;

/** Returns null for a URL that is no path, such as another server's address. */
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

/** The claimed caller, verified by the cell only. `signer`: the cell named by the token, the only one that accepts it. */
export type Caller = { username: string; signer: string | null } | { apiKey: string } | null;

const BEARER = /^(?:Bearer +)?(\S+)$/i;
const COOKIE = /(?:^|;)\s*auth_token=("?)([^;"]*)\1/;
const LONGEST_TOKEN = 16_384;

/** Same precedence as a cell: `Authorization` of any kind, then the API key, then the cookie. */
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

const REPORT_IDS = ['request_id', 'requestid', 'provider_message_id', 'providermessageid'];

/** Returns the report id as the cell will parse it; '' = none. */
export function reportIdOf(query: Fields, inBody: (field: string) => unknown): string {
  const values = REPORT_IDS.flatMap((name) => [readText(query[name]), readText(inBody(name))]);
  const first = [...values, readText(inBody('providerMessageId'))].find(({ kind }) => kind !== 'empty');
  return first?.kind === 'text' ? first.value : '';
}

export type Fields = Readonly<Record<string, unknown>>;

/** The last value of a repeated field counts. */
export const fieldsIn = (encoded: string): Fields => Object.fromEntries(new URLSearchParams(encoded));

const isForm = (contentType: string | undefined): boolean =>
  /^\s*application\/x-www-form-urlencoded\b/i.test(contentType ?? '');

export function nameOf(value: unknown): string {
  const read = readText(value);
  return read.kind === 'text' ? read.value : '';
}

/** Reads a field of a JSON or form body without parsing all of a long one. */
export function bodyField(body: Buffer, contentType: string | undefined, field: string): unknown {
  const bytes = inUtf8(body, contentType);
  if (isForm(contentType)) return readFormField(bytes, field);
  // a body without the field's letters or an escape cannot contain it
  return bytes.includes(field) || bytes.includes('\\u') ? readJsonField(bytes, field) : undefined;
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Like a cell's parser: strips the byte order mark, accepts UTF-16; empty for an unknown charset. */
function inUtf8(body: Buffer, contentType: string | undefined): Buffer {
  const charset = CHARSET.exec(contentType ?? '')?.[1] ?? 'utf-8';
  if (/^utf-?8$/i.test(charset)) return body.subarray(body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0);
  try {
    return Buffer.from(new TextDecoder(charset).decode(body));
  } catch {
    return Buffer.alloc(0);
  }
}
