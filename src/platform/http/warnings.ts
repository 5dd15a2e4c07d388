import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { isObject } from '../../kernel/json-values.js';
import { cutCodePoints } from '../../kernel/text.js';
import { bodyParameter } from './bodies.js';

/** A warning about an accepted request (reference/requests#warnings). */
export interface AnswerWarning {
  code: string;
  /** not in the header */
  message: string;
  field?: string;
  count?: number;
  /** index of an entry in `field`, from 0 */
  index?: number;
  /** row of a file or a list, from 1 */
  row?: number;
  /** the number as given in the row */
  value?: string;
  reason?: string;
  /** ISO 3166 code of the number's country, if known */
  country?: string;
}

export type Warn = (...warnings: readonly AnswerWarning[]) => void;

/** Header for endpoints whose body is fully specified. */
export const WARNINGS_HEADER = 'Switchboard-Warnings';

const EXACT_METADATA = 'switchboard:exact-answer';
const MOST_HEADER_BYTES = 2_048;

/** The success body has only the specified fields: warnings go into the header. */
export const ExactAnswer = (): MethodDecorator & ClassDecorator => SetMetadata(EXACT_METADATA, true);

/** Parameter: the function that adds warnings to the answer. */
export const Warnings = createParamDecorator((_: unknown, context: ExecutionContext): Warn => {
  const found = warningsOf(context);
  return (...warnings) => found.push(...warnings);
});

/** Adds a warning to the answer of an endpoint whose body has only the specified fields. */
export function warnExact(context: ExecutionContext, warning: AnswerWarning): void {
  if (isExact(context.getClass(), context.getHandler())) warningsOf(context).push(warning);
}

/** The answer is about something sent with a test key. */
export const TEST_WARNING: AnswerWarning = {
  code: 'test',
  message: 'Sent with a test key: nothing leaves or is charged',
};

export function isExact(controller: Type, handler: object): boolean {
  return (Reflect.getMetadata(EXACT_METADATA, handler) ?? Reflect.getMetadata(EXACT_METADATA, controller)) === true;
}

const collected = new WeakMap<Response, AnswerWarning[]>();

/** The answer's list of warnings; later additions are included. @param late further ones, computed with the answer */
function warningsOf(context: ExecutionContext, late?: (response: Response) => AnswerWarning[]): AnswerWarning[] {
  const response = context.switchToHttp().getResponse<Response>();
  const known = collected.get(response);
  if (known) return known;
  const warnings: AnswerWarning[] = [];
  collected.set(response, warnings);
  const all = (): AnswerWarning[] => {
    if (response.statusCode >= 300) return [];
    return late ? [...warnings, ...late(response)] : warnings;
  };
  if (isExact(context.getClass(), context.getHandler())) inHeader(response, all);
  else inBody(response, all);
  return warnings;
}

type GatheredWarnings = () => readonly AnswerWarning[];

/** Written with the headers, also of a streamed answer. */
function inHeader(response: Response, all: GatheredWarnings): void {
  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => Response;
  response.writeHead = (...given: unknown[]) => {
    const warnings = all();
    if (warnings.length > 0) response.setHeader(WARNINGS_HEADER, headerOf(warnings));
    return writeHead(...given);
  };
}

function inBody(response: Response, all: GatheredWarnings): void {
  const json = response.json.bind(response);
  response.json = (answer: unknown) => {
    const warnings = all();
    return json(warnings.length > 0 && isObject(answer) ? { ...answer, warnings } : answer);
  };
}

/** Warnings as a header: ASCII, at most 2 KB; drops entries at the end. */
function headerOf(warnings: readonly AnswerWarning[]): string {
  const entries: string[] = [];
  let length = 2;
  for (const { code, field, count } of warnings) {
    const entry = asciiJson({ code, ...(field !== undefined && { field }), ...(count !== undefined && { count }) });
    length += entry.length + (entries.length > 0 ? 1 : 0);
    if (length > MOST_HEADER_BYTES) break;
    entries.push(entry);
  }
  return `[${entries.join(',')}]`;
}

/** JSON in printable ASCII, with other characters as `\uXXXX`. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const CODES = [
  'unknown_field',
  'unknown_route',
  'dlt_not_sent',
  'contacts_left_out',
  'contacts_repeated',
  'numbers_look_wrong',
  'number_looks_wrong',
  'language_by_code',
  'language_fallback',
  'file_windows_1252',
  'schedule_time_moved',
  'test',
  'verification_open',
] as const;

export const WARNING_SCHEMA = {
  type: 'object' as const,
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', enum: [...CODES] },
    field: { type: 'string', description: 'the field of the request', maxLength: 64 },
    count: { type: 'integer', description: 'how many entries it is about' },
    index: { type: 'integer', description: 'place in `field`, 0 = the first' },
    row: { type: 'integer', description: 'row of an upload or a list, 1 = the first' },
    value: { type: 'string', description: 'what the entry gave as the number' },
    reason: { type: 'string', description: 'what is wrong with the entry, for programs' },
    country: { type: 'string', description: 'ISO 3166 code of the number, where it is known' },
    message: { type: 'string' },
  },
};

export const WARNINGS_PROPERTY = {
  type: 'array' as const,
  items: { $ref: '#/components/schemas/Warning' },
  description: 'hints about the request; absent when there are none',
};

export const WARNINGS_HEADER_DOCUMENT = {
  description:
    'Hints about the request: a JSON array of `{ code, field?, count? }` in ASCII, at most 2 KB; absent when there are none.',
  schema: { type: 'string' as const, maxLength: MOST_HEADER_BYTES },
  example: '[{"code":"unknown_field","field":"sceduled_time"}]',
};

/** Contacts of a send that skips invalid ones. */
interface ContactRule {
  /** name of the list in the request */
  field: string;
  /** the normalized number; null = skipped */
  read: (entry: unknown) => string | null;
  /** description of a valid number */
  wanted: string;
  duplicates: 'charged' | 'removed';
}

/** Warnings about contacts that such a send skipped (reference/requests#warnings). */
export function contactWarnings(entries: unknown, { field, read, wanted, duplicates }: ContactRule): AnswerWarning[] {
  if (!Array.isArray(entries)) return [];
  const numbers = (entries as unknown[]).map(read);
  const valid = numbers.filter((number) => number !== null);
  const invalid = numbers.length - valid.length;
  const again = duplicates === 'removed' ? valid.length - new Set(valid).size : 0;
  const warnings: AnswerWarning[] = [];
  if (invalid > 0) {
    const first = `the first is ${field}[${numbers.indexOf(null)}]`;
    warnings.push({
      code: 'contacts_left_out',
      field,
      count: invalid,
      message: `Left out: ${invalid}, ${first}; ${wanted}`,
    });
  }
  if (again > 0) {
    warnings.push({
      code: 'contacts_repeated',
      field,
      count: again,
      message: `Left out: ${again}, which stand there before`,
    });
  }
  return warnings;
}

const MOST = 10;
const LONGEST_NAME = 64;
/** Prefix of the endpoints whose answers have `warnings`. */
const OWN = '/v6/api/';
/** Metadata of @nestjs/swagger's decorators. */
const SWAGGER_PARAMETERS = 'swagger/apiParameters';
const SWAGGER_PROPERTIES = 'swagger/apiModelPropertiesArray';
const ALSO_TAKES_METADATA = 'switchboard:also-takes';

/** Further fields that a route accepts. */
export const AlsoTakes = (...names: readonly string[]): MethodDecorator => SetMetadata(ALSO_TAKES_METADATA, names);

/** Warns about unknown fields (misspelt options). A guard: an interceptor costs a small request 10 % more time. */
@Injectable()
export class FieldWarnings implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const known = fieldsOf(context.getClass(), context.getHandler());
    if (known && (isExact(context.getClass(), context.getHandler()) || isOwn(context))) {
      warningsOf(context, (response) => unknownFields(response.req.body, known));
    }
    return true;
  }
}

const isOwn = (context: ExecutionContext): boolean =>
  context.switchToHttp().getRequest<Request>().path.toLowerCase().startsWith(OWN);

/** Runs with the answer: routes read large bodies themselves. */
function unknownFields(body: unknown, known: ReadonlySet<string>): AnswerWarning[] {
  if (!isObject(body)) return [];
  const names = Object.keys(body).filter((name) => !known.has(name));
  return names.slice(0, MOST).map(warningOf);
}

function warningOf(name: string): AnswerWarning {
  const field = cutCodePoints(name, LONGEST_NAME);
  return { code: 'unknown_field', field, message: 'This endpoint has no such field: it was ignored' };
}

const known = new WeakMap<object, ReadonlySet<string> | null>();

/** Fields of a handler's body; null = no warnings. */
export function fieldsOf(controller: Type, handler: object): ReadonlySet<string> | null {
  let fields = known.get(handler);
  if (fields === undefined) known.set(handler, (fields = readFields(controller, handler)));
  return fields;
}

function readFields(controller: Type, handler: object): ReadonlySet<string> | null {
  const of = <T>(key: string): T | undefined => Reflect.getMetadata(key, handler) as T | undefined;
  const parameters = of<{ in: string; type?: unknown; schema?: unknown }[]>(SWAGGER_PARAMETERS) ?? [];
  const documented = parameters.find((parameter) => parameter.in === 'body');
  if (documented?.schema) return null;
  const model = documented?.type ?? bodyTypeOf(controller, handler);
  if (typeof model !== 'function') return null;
  const names = Reflect.getMetadata(SWAGGER_PROPERTIES, model.prototype as object) as string[] | undefined;
  if (!names) return null;
  return new Set([...names.map((name) => name.replace(/^:/, '')), ...(of<string[]>(ALSO_TAKES_METADATA) ?? [])]);
}

function bodyTypeOf(controller: Type, handler: object): unknown {
  const { name } = handler as { name: string };
  const index = bodyParameter(controller, handler);
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) ?? []) as unknown[];
  return index === null ? undefined : types[index];
}
