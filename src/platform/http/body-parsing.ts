import type { IncomingMessage } from 'node:http';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { Request } from 'express';
import { MOST_PARTS } from '../../kernel/body-fields.js';
import { JsonRecords } from '../../kernel/json-records.js';
import { TooMuchJson } from '../../kernel/json-text.js';
import { isObject, keepInexact, refuseInexact, refuseInexactIn } from '../../kernel/json-values.js';
import { countJson, parseWithRecords } from '../../kernel/parse-records.js';
import { bodyErrors, protocolErrors } from './http.errors.js';

/** Lists and objects one within the other, the body itself counted (reference/requests#bodies). */
const DEEPEST = 32;

/**
 * Whether parsed JSON has more than 32 levels. Code that walks a body (validation, digests, JSON.stringify) does so by
 * calling itself, and would run out of stack on one that is deep enough.
 */
function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (!isInner(value)) return false;
  if (levels === 0) return true;
  if (value instanceof JsonRecords) return value.deepest >= levels;
  // no call for a text or a number, and no list of an object's values: a body has hundreds of thousands of them
  if (Array.isArray(value)) {
    for (let place = 0; place < value.length; place++) {
      const item: unknown = value[place];
      if (isInner(item) && isTooDeep(item, levels - 1)) return true;
    }
    return false;
  }
  for (const key in value) {
    const field: unknown = (value as Record<string, unknown>)[key];
    if (isInner(field) && isTooDeep(field, levels - 1)) return true;
  }
  return false;
}

const isInner = (value: unknown): value is object => typeof value === 'object' && value !== null;

const forms = new WeakSet<object>();

/** Marks a body that came as `application/x-www-form-urlencoded`, where every value is a text. */
export function markForm(body: object): void {
  forms.add(body);
}

/**
 * Reads the body of a route that takes forms beside JSON (reference/requests#forms). A JSON body is returned as it
 * stands, so that `"contacts": "91…,91…"` in JSON stays the fault that it is.
 * @param fields.lists comma-separated in a form (`contacts`); also taken as `contacts[]=…` repeated
 * @param fields.json arrays and objects that stand in a form as JSON text; what is no JSON stays the text
 * @throws AppError invalid `Malformed JSON body` for such a text with more than 32 levels
 */
export function fromForm(
  body: unknown,
  fields: { lists?: readonly string[]; json?: readonly string[] } = {},
): Record<string, unknown> {
  if (!isObject(body)) return {};
  if (!forms.has(body)) return body;
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const field = name.endsWith('[]') ? name.slice(0, -2) : name;
    if (fields.lists?.includes(field)) read[field] = list(value);
    else {
      const last = Array.isArray(value) ? (value.at(-1) as unknown) : value;
      read[field] = fields.json?.includes(field) ? json(last) : last;
    }
  }
  return read;
}

function list(value: unknown): unknown {
  if (typeof value === 'string' && value.trim() === '') return value;
  return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => String(item).split(','));
}

function json(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  let read: unknown;
  try {
    read = JSON.parse(refuseInexact(value));
  } catch {
    return value;
  }
  if (isTooDeep(read)) throw bodyErrors.malformedJson();
  return read;
}

/**
 * The fields of a form (`application/x-www-form-urlencoded`); one that comes twice has the list of its values. Takes time in
 * proportion to the length of the text, whatever names come how often.
 * @param charset of what is escaped
 * @throws AppError body_too_large for more than 100,000 fields
 */
function readForm(text: string, charset: 'utf-8' | 'iso-8859-1'): Record<string, unknown> {
  const parts = text.split('&', MOST_PARTS + 1);
  if (parts.length > MOST_PARTS) throw bodyErrors.tooLarge();
  const decode = charset === 'utf-8' ? decodeURIComponent : fromLatin;
  const lists = new Map<string, string[]>();
  for (const part of parts) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decoded(at < 0 ? part : part.slice(0, at), decode);
    const value = at < 0 ? '' : decoded(part.slice(at + 1), decode);
    const list = lists.get(name);
    if (list) list.push(value);
    else lists.set(name, [value]);
  }
  const fields: Record<string, unknown> = {};
  for (const [name, list] of lists) {
    // an object would take this name for its prototype
    if (name !== '__proto__' && name !== '') fields[name] = list.length === 1 ? list[0] : list;
  }
  return fields;
}

/** An escape that is none stays as it is. */
function decoded(text: string, decode: (text: string) => string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decode(spaced);
  } catch {
    return spaced;
  }
}

const fromLatin = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

const KB = 1024;
const MB = 1024 * KB;

/** The most that is read of a caller who is not known, but for the paths that are `open`. */
export const ANONYMOUS_LIMIT = 64 * KB;
/** Objects and lists in a body of a caller who is not known: none that such a caller may send has more. */
const MOST_ANONYMOUS = 10_000;

export interface BodyRule {
  prefix: string;
  /** only the path itself, and none below it */
  exact?: true;
  /** read by the route's `@LargeJson`: a list that may be long comes as `JsonRecords` */
  late?: LongList;
  /** bytes; none: `BODY_LIMIT` */
  limit?: number;
  /** takes `application/x-www-form-urlencoded` */
  form: boolean;
  /** the limit is that of callers who are not known too: the body says who they are, or proves them */
  open?: true;
  /** takes an array */
  list?: true;
  /** takes any JSON value as it stands */
  any?: true;
}

/** A list of small objects in a body. */
interface LongList {
  field: string;
  /** items that a route looks at; it refuses more */
  most: number;
}

const RECIPIENTS: LongList = { field: 'recipients', most: 100_000 };

/** What bodies each family of paths takes (reference/requests#bodies); the first prefix that fits decides. */
const BODY_RULES: readonly BodyRule[] = [
  { prefix: '/v1/auth/', limit: ANONYMOUS_LIMIT, form: false },
  { prefix: '/v6/api/v1/auth/', limit: ANONYMOUS_LIMIT, form: false },
  { prefix: '/webhook/api/getgsmreport.php', limit: ANONYMOUS_LIMIT, form: true },
  { prefix: '/webhook/api/addbroadcastgsm.php', open: true, form: true },
  { prefix: '/webhook/api/addbroadcastunofficial.php', open: true, form: true },
  { prefix: '/webhook/', form: true },
  { prefix: '/v5/', limit: MB, form: true },
  { prefix: '/v6/api/admin/rates/', form: false, list: true },
  { prefix: '/v6/api/campaigns', exact: true, late: RECIPIENTS, limit: 64 * MB, form: false },
  { prefix: '/v6/api/campaigns/quote', exact: true, late: RECIPIENTS, limit: 64 * MB, form: false },
  { prefix: '/provider/', open: true, limit: MB, form: true, any: true },
  { prefix: '/', form: false },
];

const JSON_TYPE = /^\s*(application|text)\/([\w.-]+\+)?json\s*(;|$)/i;
const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** The last one takes every path. */
export function ruleOf(path: string): BodyRule {
  const lower = path.toLowerCase();
  return BODY_RULES.find(({ prefix, exact }) =>
    exact ? lower.replace(/\/$/, '') === prefix : lower.startsWith(prefix),
  ) as BodyRule;
}

/** How large a body may be on a path, in words. */
export function limitOfBodies(path: string): string {
  const { limit } = ruleOf(path);
  if (limit === undefined) return 'BODY_LIMIT';
  return limit < MB ? `${limit / KB} KB` : `${limit / MB} MB`;
}

/** JSON by its type, or a body that names no type at all. */
function isJson({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'];
  return type === undefined || type === '' || JSON_TYPE.test(type);
}

const isForm = ({ headers }: IncomingMessage): boolean => FORM_TYPE.test(headers['content-type'] ?? '');

/** Whether a body is of a type that its path takes: no other is read. */
export const isTaken = (rule: BodyRule, request: IncomingMessage): boolean =>
  isJson(request) || (rule.form && isForm(request));

/**
 * What the bytes of a body say; an object, except where a path takes something else. Looked through before it is parsed, so that
 * a small body does not become a large one.
 * @throws AppError malformed_json, body_too_large; 415 for an unknown charset
 */
export async function readBody(request: Request, rule: BodyRule, bytes: Buffer, isKnown: boolean): Promise<unknown> {
  const body = await parsed(request, rule, bytes, isKnown);
  if (isTooDeep(body)) throw bodyErrors.malformedJson();
  // An endpoint reads fields: what is no object has none of them.
  return isObject(body) || rule.any || (rule.list && Array.isArray(body)) ? body : {};
}

async function parsed(request: Request, rule: BodyRule, sentBytes: Buffer, isKnown: boolean): Promise<unknown> {
  const charset = CHARSET.exec(request.headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (!isJson(request)) return formOf(sentBytes, charset);
  // JSON is in Unicode (RFC 8259, section 8.1), texts need not be
  if (!charset.startsWith('utf')) throw unreadableCharset();
  const isUtf8 = charset === 'utf-8';
  const most = isKnown ? undefined : MOST_ANONYMOUS;
  try {
    // before a text is made of them
    if (isUtf8 && !rule.late) await countJson(sentBytes, most);
    // carriers and providers have their own bytes signed
    const bytes = !rule.any && isUtf8 ? refuseInexactIn(sentBytes) : sentBytes;
    const sent = textOf(bytes, charset);
    if (sent === '') return {};
    const text = rule.any ? keepInexact(sent) : isUtf8 ? sent : refuseInexact(sent);
    if (rule.late) return await parseWithRecords(text, rule.late.field, rule.late.most, isUtf8 ? bytes : undefined);
    // a number that is refused has become an object
    if (bytes !== sentBytes || !isUtf8) await countJson(isUtf8 ? bytes : Buffer.from(text), most);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw bodyErrors.malformedJson();
    if (error instanceof TooMuchJson) throw bodyErrors.tooLarge();
    throw error;
  }
}

function formOf(bytes: Buffer, charset: string): Record<string, unknown> {
  if (charset !== 'utf-8' && charset !== 'iso-8859-1') throw unreadableCharset();
  const form = readForm(textOf(bytes, charset), charset);
  markForm(form);
  return form;
}

/** Without a mark of the byte order. */
function textOf(bytes: Buffer, charset: string): string {
  if (charset === 'utf-8') {
    const text = bytes.toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  if (charset === 'iso-8859-1') return bytes.toString('latin1');
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    throw unreadableCharset();
  }
}

const unreadableCharset = (): Error => new UnsupportedMediaTypeException(protocolErrors.charset.message);
