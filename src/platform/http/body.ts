import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { Request } from 'express';
import type { IncomingMessage } from 'node:http';
import { keepInexact, refuseInexact, refuseInexactIn } from '../../kernel/exact-numbers.js';
import { TooMuchJson } from '../../kernel/json-load.js';
import { isObject } from '../../kernel/objects.js';
import { countJson, parseWithRecords } from '../../kernel/parse-records.js';
import { markForm } from './form-body.js';
import { readForm } from './form-text.js';
import { isTooDeep } from './json-body.js';
import { bodyErrors, protocolErrors } from './request-errors.js';

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
