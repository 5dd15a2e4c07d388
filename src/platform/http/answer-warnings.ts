import { createParamDecorator, type ExecutionContext, SetMetadata, type Type } from '@nestjs/common';
import type { Response } from 'express';
import { isObject } from '../../kernel/objects.js';

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
export function warningsOf(context: ExecutionContext, late?: (response: Response) => AnswerWarning[]): AnswerWarning[] {
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
