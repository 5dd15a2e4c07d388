import type { IncomingMessage } from 'node:http';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import { parseXml, XmlElement, XmlText } from '@rgrove/parse-xml';
import type { Request } from 'express';
import { MOST_PARTS } from '../../kernel/body-fields.js';
import { JsonRecords } from '../../kernel/json-records.js';
import { TooMuchJson } from '../../kernel/json-text.js';
import { isObject, keepInexact, refuseInexact, refuseInexactIn } from '../../kernel/json-values.js';
import { countJson, parseWithRecords } from '../../kernel/parse-records.js';
import { bodyErrors, protocolErrors } from './http.errors.js';

/** Maximum nesting, including the body itself (reference/requests#bodies). */
const DEEPEST = 32;

/** Whether JSON is nested too deeply: recursive code (validation, digests, JSON.stringify) would overflow the stack. */
function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (!isInner(value)) return false;
  if (levels === 0) return true;
  if (value instanceof JsonRecords) return value.deepest >= levels;
  // No calls for scalars, and no list of values: a body has hundreds of thousands.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
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

/** Marks a form body (`application/x-www-form-urlencoded`), where every value is a text. */
export function markForm(body: object): void {
  forms.add(body);
}

/** Converts form fields (reference/requests#forms); JSON bodies stay. @param fields.lists `a,b` or `name[]` @throws AppError */
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

/** Fields of a form in linear time; repeated ones become lists. @throws AppError body_too_large above 100,000 fields */
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
    // `__proto__` would set the object's prototype.
    if (name !== '__proto__' && name !== '') fields[name] = list.length === 1 ? list[0] : list;
  }
  return fields;
}

/** Keeps an invalid escape unchanged. */
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

/** Maximum body of unauthenticated callers, except on `open` paths. */
export const ANONYMOUS_LIMIT = 64 * KB;
/** Maximum objects and lists in an unauthenticated body; no permitted one needs more. */
const MOST_ANONYMOUS = 10_000;

export interface BodyRule {
  prefix: string;
  /** matches the path only, not a prefix */
  exact?: true;
  /** read by the route's `@LargeJson`: a long list becomes `JsonRecords` */
  late?: LongList;
  /** bytes; default `BODY_LIMIT` */
  limit?: number;
  form: boolean;
  /** the limit applies to unauthenticated callers too: the body authenticates them */
  open?: true;
  list?: true;
  /** takes any JSON value, XML, and JSON, XML or a form under another type: carriers name their bodies wrongly */
  any?: true;
}

interface LongList {
  field: string;
  most: number;
}

const RECIPIENTS: LongList = { field: 'recipients', most: 100_000 };

/** Bodies by path (reference/requests#bodies); the first matching prefix decides. */
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
  { prefix: '/v6/api/campaigns/skipped.csv', exact: true, late: RECIPIENTS, limit: 64 * MB, form: false },
  { prefix: '/provider/', open: true, limit: MB, form: true, any: true },
  { prefix: '/', form: false },
];

const JSON_TYPE = /^\s*(application|text)\/([\w.-]+\+)?json\s*(;|$)/i;
const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

export function ruleOf(path: string): BodyRule {
  const lower = path.toLowerCase();
  return BODY_RULES.find(({ prefix, exact }) =>
    exact ? lower.replace(/\/$/, '') === prefix : lower.startsWith(prefix),
  ) as BodyRule;
}

/** Text of the maximum body size of a path. */
export function limitOfBodies(path: string): string {
  const { limit } = ruleOf(path);
  if (limit === undefined) return 'BODY_LIMIT';
  return limit < MB ? `${limit / KB} KB` : `${limit / MB} MB`;
}

/** JSON by its type, or a body without a type. */
function isJson({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'];
  return type === undefined || type === '' || JSON_TYPE.test(type);
}

const isForm = ({ headers }: IncomingMessage): boolean => FORM_TYPE.test(headers['content-type'] ?? '');

/** Whether the path takes a body of this type; other bodies are not read. */
export const isTaken = (rule: BodyRule, request: IncomingMessage): boolean =>
  isJson(request) || (rule.form && isForm(request)) || rule.any === true;

/** Parses a body; counts its values first, against small bodies that expand. @throws AppError malformed_json etc.; 415 */
export async function readBody(request: Request, rule: BodyRule, bytes: Buffer, isKnown: boolean): Promise<unknown> {
  const body = await parsed(request, rule, bytes, isKnown);
  if (isTooDeep(body)) throw bodyErrors.malformedJson();
  return isObject(body) || rule.any || (rule.list && Array.isArray(body)) ? body : {};
}

async function parsed(request: Request, rule: BodyRule, sentBytes: Buffer, isKnown: boolean): Promise<unknown> {
  const charset = CHARSET.exec(request.headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  const kind = rule.any ? kindOf(request, sentBytes) : isJson(request) ? 'json' : 'form';
  if (kind === 'xml') return xmlOf(sentBytes, charset);
  if (kind === 'form') return formOf(sentBytes, charset);
  if (kind === null) throw bodyErrors.unknownType();
  // JSON must be Unicode (RFC 8259, section 8.1), other texts need not.
  if (!charset.startsWith('utf')) throw unreadableCharset();
  const isUtf8 = charset === 'utf-8';
  const most = isKnown ? undefined : MOST_ANONYMOUS;
  try {
    // Before the text is built.
    if (isUtf8 && !rule.late) await countJson(sentBytes, most);
    // Carriers and providers sign their own bytes: do not change them.
    const bytes = !rule.any && isUtf8 ? refuseInexactIn(sentBytes) : sentBytes;
    const sent = textOf(bytes, charset);
    if (sent === '') return {};
    const text = rule.any ? keepInexact(sent) : isUtf8 ? sent : refuseInexact(sent);
    if (rule.late) return await parseWithRecords(text, rule.late.field, rule.late.most, isUtf8 ? bytes : undefined);
    // `refuseInexactIn` turns refused numbers into objects.
    if (bytes !== sentBytes || !isUtf8) await countJson(isUtf8 ? bytes : Buffer.from(text), most);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw bodyErrors.malformedJson();
    if (error instanceof TooMuchJson) throw bodyErrors.tooLarge();
    throw error;
  }
}

const HEAD_BYTES = 256;
const FORM_HEAD = /^[\w.%[\]+-]{1,128}=/;

function kindOf(request: IncomingMessage, bytes: Buffer): 'json' | 'form' | 'xml' | null {
  const head = bytes.toString('latin1', 0, HEAD_BYTES).replace(/^(?:\xef\xbb\xbf)?\s+|^\xef\xbb\xbf/, '');
  if (head.startsWith('<')) return 'xml';
  if (head === '' || /^[{[]/.test(head)) return 'json';
  if (isForm(request)) return 'form';
  if (isJson(request)) return 'json';
  return FORM_HEAD.test(head) ? 'form' : null;
}

const MOST_TAGS = 50_000;

function xmlOf(bytes: Buffer, charset: string): Record<string, unknown> {
  const declared = /^[^>]*encoding=["']([\w.-]+)["']/i.exec(bytes.toString('latin1', 0, HEAD_BYTES))?.[1];
  const read = readXml(textOf(bytes, declared?.toLowerCase() ?? charset));
  if (!read) throw bodyErrors.malformedXml();
  return read;
}

/** An XML document as an object (reference/providers#http-gateway): paths may name the root or not. @returns null = no XML */
export function readXml(text: string): Record<string, unknown> | null {
  if (text.split('<', MOST_TAGS + 1).length > MOST_TAGS) return null;
  try {
    const { root } = parseXml(text.trim(), { ignoreUndefinedEntities: true });
    if (!root) return null;
    const value = valueOfElement(root, DEEPEST - 1);
    const fields = isObject(value) ? value : { text: value };
    return { ...fields, [root.name]: value };
  } catch {
    return null;
  }
}

function valueOfElement(element: XmlElement, levels: number): unknown {
  if (levels === 0) throw new SyntaxError('too deep');
  const fields = new Map<string, unknown[]>();
  const add = (name: string, value: unknown): void => {
    const list = fields.get(name);
    if (list) list.push(value);
    else if (name !== '__proto__') fields.set(name, [value]);
  };
  let text = '';
  for (const child of element.children) {
    if (child instanceof XmlElement) add(child.name, valueOfElement(child, levels - 1));
    else if (child instanceof XmlText) text += child.text;
  }
  for (const [name, value] of Object.entries(element.attributes)) if (!fields.has(name)) add(name, value);
  if (fields.size === 0) return text.trim();
  if (text.trim() !== '' && !fields.has('text')) add('text', text.trim());
  return Object.fromEntries([...fields].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}

function formOf(bytes: Buffer, charset: string): Record<string, unknown> {
  if (charset !== 'utf-8' && charset !== 'iso-8859-1') throw unreadableCharset();
  const form = readForm(textOf(bytes, charset), charset);
  markForm(form);
  return form;
}

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
