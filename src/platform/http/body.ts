import { UnsupportedMediaTypeException } from '@nestjs/common';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment } from '../config/index.js';
import { MOST_PARTS } from '../../kernel/form-field.js';
import { TooMuchJson } from '../../kernel/json-load.js';
import { isObject } from '../../kernel/objects.js';
import { parseWithRecords } from '../../kernel/parse-records.js';
import { markForm } from './form-body.js';
import { isTooDeep } from './json-body.js';
import { bodyErrors, protocolErrors } from './request-errors.js';

const KB = 1024;
const MB = 1024 * KB;

/** A request of a provider callback, with the bytes that its signature covers. */
export interface RawBodyRequest extends Request {
  rawBody?: Buffer;
}

interface BodyRule {
  prefix: string;
  /** only the path itself, and none below it */
  exact?: true;
  /** read by the route's `@LargeJson`, once it is known who sends it: a list that may be long comes as `JsonRecords` */
  late?: LongList;
  /** bytes; none: `BODY_LIMIT` */
  limit?: number;
  /** takes `application/x-www-form-urlencoded` */
  form: boolean;
  /** keeps the bytes, and any JSON value as it stands */
  raw: boolean;
  /** takes an array */
  list?: true;
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
  { prefix: '/v1/auth/', limit: 64 * KB, form: false, raw: false },
  { prefix: '/v6/api/v1/auth/', limit: 64 * KB, form: false, raw: false },
  { prefix: '/webhook/api/getgsmreport.php', limit: 64 * KB, form: true, raw: false },
  { prefix: '/webhook/', form: true, raw: false },
  { prefix: '/v5/', limit: MB, form: true, raw: false },
  { prefix: '/v6/api/admin/rates/', form: false, raw: false, list: true },
  { prefix: '/v6/api/campaigns', exact: true, late: RECIPIENTS, limit: 64 * MB, form: false, raw: false },
  { prefix: '/v6/api/campaigns/quote', exact: true, late: RECIPIENTS, limit: 64 * MB, form: false, raw: false },
  { prefix: '/provider/', limit: 3 * MB, form: true, raw: true },
  { prefix: '/', form: false, raw: false },
];

const JSON_TYPE = /^\s*(application|text)\/([\w.-]+\+)?json\s*(;|$)/i;

/** The last one takes every path. */
const ruleOf = (path: string): BodyRule =>
  BODY_RULES.find(({ prefix, exact }) =>
    exact ? path.replace(/\/$/, '') === prefix : path.startsWith(prefix),
  ) as BodyRule;

/** How large a body may be on a path, in words. */
export function limitOfBodies(path: string): string {
  const { limit } = ruleOf(path.toLowerCase());
  if (limit === undefined) return 'BODY_LIMIT';
  return limit < MB ? `${limit / KB} KB` : `${limit / MB} MB`;
}

/** JSON by its type, or a body that names no type at all. */
function isJson(request: IncomingMessage): boolean {
  const type = request.headers['content-type'];
  return type === undefined || type === '' || JSON_TYPE.test(type);
}

/** Reads bodies within their limits. `request.body` is always an object afterwards, except below `/provider/` and where a list is taken. */
export function bodyReader(environment: Pick<Environment, 'BODY_LIMIT'>): RequestHandler {
  const readers = new Map(
    BODY_RULES.map((rule) => [rule, rule.late ? readLater : readerOf(rule, rule.limit ?? environment.BODY_LIMIT)]),
  );
  return (request, response, next) => readers.get(ruleOf(request.path.toLowerCase()))?.(request, response, next);
}

/** Reads the body of a route that takes large ones. */
export function lateReader(): RequestHandler {
  const readers = new Map(
    BODY_RULES.flatMap((rule) => (rule.late && rule.limit ? [[rule, readerOf(rule, rule.limit)] as const] : [])),
  );
  return (request, response, next) => {
    const reader = readers.get(ruleOf(request.path.toLowerCase()));
    if (!reader) throw new Error(`no rule for large bodies of ${request.path}`);
    request.body = undefined;
    reader(request, response, next);
  };
}

const readLater: RequestHandler = (request, _response, next) => {
  request.body = {};
  next();
};

function keepBytes(request: IncomingMessage, _response: ServerResponse, bytes: Buffer): void {
  (request as RawBodyRequest).rawBody = bytes;
}

function readerOf(rule: BodyRule, limit: number): RequestHandler {
  const options = rule.raw ? { limit, verify: keepBytes } : { limit };
  const json = rule.late
    ? jsonWithRecords(limit, rule.late)
    : express.json({ ...options, strict: false, type: isJson });
  const form = rule.form ? express.urlencoded({ ...options, extended: false, parameterLimit: MOST_PARTS }) : null;
  return (request, response, next) => {
    const done = (error?: unknown): void => {
      if (error) next(bodyFault(error));
      else finish(rule, request, response, next);
    };
    json(request, response, (error?: unknown) => {
      if (error || form === null || request.body !== undefined) done(error);
      else form(request, response, done);
    });
  };
}

/** As `express.json`, which makes an object of every item. */
function jsonWithRecords(limit: number | string, { field, most }: LongList): RequestHandler {
  const text = express.text({ limit, type: isJson, defaultCharset: 'utf-8', verify: keepBytes });
  const parse = async (request: RawBodyRequest): Promise<void> => {
    const read: unknown = request.body;
    const bytes = request.rawBody;
    delete request.rawBody;
    if (typeof read !== 'string') return;
    request.body = read === '' ? {} : await parseWithRecords(read, field, most, bytes);
  };
  return (request, response, next) => {
    // JSON is in Unicode (RFC 8259, section 8.1), texts need not be
    if (isJson(request) && !isUnicode(request)) {
      next(new UnsupportedMediaTypeException(protocolErrors.charset.message));
      return;
    }
    text(request, response, (error?: unknown) => {
      if (error) next(error);
      else parse(request).then(() => next(), next);
    });
  };
}

const isUnicode = ({ headers }: IncomingMessage): boolean =>
  /;\s*charset\s*=\s*(?!\s|"?utf-)/i.exec(headers['content-type'] ?? '') === null;

function finish(rule: BodyRule, request: Request, _response: Response, next: NextFunction): void {
  const body: unknown = request.body;
  if (isTooDeep(body)) {
    next(bodyErrors.malformedJson());
    return;
  }
  if (isObject(body) && !isJson(request)) markForm(body);
  // An endpoint reads fields: what is no object has none of them.
  const isTaken = isObject(body) || rule.raw || (rule.list && Array.isArray(body));
  if (!isTaken) request.body = {};
  next();
}

/** The parser's errors in our words. */
function bodyFault(error: unknown): Error {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.parse.failed' || error instanceof SyntaxError) return bodyErrors.malformedJson();
  if (status === 413 || error instanceof TooMuchJson) return bodyErrors.tooLarge();
  if (status === 415) return new UnsupportedMediaTypeException(protocolErrors.charset.message);
  return bodyErrors.unreadable();
}
