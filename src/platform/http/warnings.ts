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

/** A hint about a request that was not refused for it (reference/requests#warnings). */
export interface AnswerWarning {
  code: string;
  /** in words; not in the header */
  message: string;
  /** of the request */
  field?: string;
  /** entries or rows that the warning is about */
  count?: number;
  /** place of an entry in `field`, 0 = the first */
  index?: number;
  /** row of a file or a list, 1 = the first */
  row?: number;
  /** what the row gave as the number */
  value?: string;
  /** what is wrong with the row, a word for programs */
  reason?: string;
  /** ISO 3166 code of the number's country, where it is known */
  country?: string;
}

/** Adds hints to the answer of the request. They are shown only when it succeeds. */
export type Warn = (...warnings: readonly AnswerWarning[]) => void;

/** Header of the hints of endpoints whose body is specified to the field. */
export const WARNINGS_HEADER = 'Switchboard-Warnings';

const EXACT_METADATA = 'switchboard:exact-answer';
const MOST_HEADER_BYTES = 2_048;

/** The success body of a route, or of all routes of a controller, has the specified fields only: hints go into the header. */
export const ExactAnswer = (): MethodDecorator & ClassDecorator => SetMetadata(EXACT_METADATA, true);

/** For a handler: the function that adds hints to its answer. */
export const Warnings = createParamDecorator((_: unknown, context: ExecutionContext): Warn => {
  const found = warningsOf(context);
  return (...warnings) => found.push(...warnings);
});

/** Whether hints of a handler go into the header. */
export function isExact(controller: Type, handler: object): boolean {
  return (Reflect.getMetadata(EXACT_METADATA, handler) ?? Reflect.getMetadata(EXACT_METADATA, controller)) === true;
}

const collected = new WeakMap<Response, AnswerWarning[]>();

/**
 * The hints of a request that is being answered; what is added to them stands in the answer.
 * @param late further hints, asked for when the answer is there
 */
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

type Told = () => readonly AnswerWarning[];

/** Written with the head of the answer, also of one that is streamed. */
function inHeader(response: Response, all: Told): void {
  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => Response;
  response.writeHead = (...given: unknown[]) => {
    const warnings = all();
    if (warnings.length > 0) response.setHeader(WARNINGS_HEADER, headerOf(warnings));
    return writeHead(...given);
  };
}

function inBody(response: Response, all: Told): void {
  const json = response.json.bind(response);
  response.json = (answer: unknown) => {
    const warnings = all();
    return json(warnings.length > 0 && isObject(answer) ? { ...answer, warnings } : answer);
  };
}

/** The hints as a header: ASCII, at most 2 KB; entries at the end that do not fit are left out. */
export function headerOf(warnings: readonly AnswerWarning[]): string {
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

/** JSON whose texts have every character beyond printable ASCII as `\uXXXX`. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Codes of hints, for the document. */
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
  'schedule_time_moved',
] as const;

/** The schema of a hint, as the document keeps it. */
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

/** `warnings` of an answer, as the document shows it. */
export const WARNINGS_PROPERTY = {
  type: 'array' as const,
  items: { $ref: '#/components/schemas/Warning' },
  description: 'hints about the request; absent when there are none',
};

/** The header, as the document shows it. */
export const WARNINGS_HEADER_DOCUMENT = {
  description:
    'Hints about the request: a JSON array of `{ code, field?, count? }` in ASCII, at most 2 KB; absent when there are none.',
  schema: { type: 'string' as const, maxLength: MOST_HEADER_BYTES },
  example: '[{"code":"unknown_field","field":"sceduled_time"}]',
};

/** How a send that leaves out bad contacts reads them. */
interface ContactRule {
  /** of the request, a list of contacts */
  field: string;
  /** the number as the send takes it; null for one that it leaves out */
  read: (entry: unknown) => string | null;
  /** what a number must be, in words */
  wanted: string;
  duplicates: 'charged' | 'removed';
}

/** Hints about the contacts that such a send left out (reference/requests#warnings). */
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
/** Prefix of the endpoints whose answers have room for hints beside their data. */
const OWN = '/v6/api/';
/** Where @nestjs/swagger keeps what decorators said. */
const SWAGGER_PARAMETERS = 'swagger/apiParameters';
const SWAGGER_PROPERTIES = 'swagger/apiModelPropertiesArray';
const ALSO_TAKES_METADATA = 'switchboard:also-takes';

/** Names of fields that a route takes beside those that its documented body has. */
export const AlsoTakes = (...names: readonly string[]): MethodDecorator => SetMetadata(ALSO_TAKES_METADATA, names);

/**
 * Names in the hints of an answer what the request had beyond the fields of its endpoint, so that a misspelt optional field
 * does not go unnoticed. Nothing is refused or kept for it, and no value is shown. A guard, since it is told the handler: the
 * observables of an interceptor would cost a small request a tenth of its time.
 */
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

/** Asked when the answer is there: large bodies are read by the route. */
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

/** Fields that a handler's body has; null where nothing is told of others. */
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

/** The class of the parameter with `@Body()`, where the body is described by it. */
function bodyTypeOf(controller: Type, handler: object): unknown {
  const { name } = handler as { name: string };
  const place = bodyParameter(controller, handler);
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) ?? []) as unknown[];
  return place === null ? undefined : types[place];
}
