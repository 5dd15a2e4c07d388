import { type INestApplicationContext, SetMetadata, type Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { DocumentedError, ErrorHelp } from '../../kernel/errors.js';
import { RATE_LIMIT_METADATA, rateLimitErrors, type RateRule } from '../security/index.js';
import { limitOfBodies, ruleOf } from './body-parsing.js';
import { STATUS_OF } from './error.filter.js';
import { bodyErrors, protocolErrors, serverErrors, unknownResource } from './http.errors.js';
import { ERROR_SHAPE_METADATA, errorBody, errorSchema, type ErrorShapeName, NO_HEAD_METADATA } from './route-table.js';
import {
  fieldsOf,
  isExact,
  WARNING_SCHEMA,
  WARNINGS_HEADER,
  WARNINGS_HEADER_DOCUMENT,
  WARNINGS_PROPERTY,
} from './warnings.js';

export interface ErrorRow {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly reason: string;
  readonly help: Readonly<ErrorHelp>;
}

/** Sources of errors before the handler: guards, then (after the rate limit) readers of the request. */
type ErrorSource = 'authentication' | 'session' | 'path' | 'role' | 'right' | 'confirmation' | 'upload' | 'idempotency';

/** Metadata key: rows of a handler, or shared by a controller. */
export const API_ERRORS_METADATA = 'switchboard:api-errors';

/** Metadata key: rows of a source; those of a handler replace its controller's. */
const sourceMetadata = (source: ErrorSource): string => `${API_ERRORS_METADATA}:${source}`;

/** Documents a handler's errors in the order of their checks; a controller's come first. `ErrorRow`: error without a kind. */
export const ApiErrors = (...errors: readonly (DocumentedError | ErrorRow)[]): MethodDecorator & ClassDecorator =>
  SetMetadata(API_ERRORS_METADATA, errors.map(rowOf));

/** For decorators of guards and interceptors: documents their errors. */
export const ApiErrorsOf = (
  source: ErrorSource,
  ...errors: readonly DocumentedError[]
): MethodDecorator & ClassDecorator => SetMetadata(sourceMetadata(source), errors.map(rowOf));

const NO_FAULTS_METADATA = 'switchboard:no-faults';

/** Documents no 500: the endpoint answers before it asks for anything. */
export const AnswersFirst = (): MethodDecorator => SetMetadata(NO_FAULTS_METADATA, true);

/** An error as a row. @throws Error when it needs arguments and has no example */
export function rowOf(error: DocumentedError | ErrorRow): ErrorRow {
  if ('status' in error) return error;
  const { kind, code, text, reason, help } = error;
  if (text === '') throw new Error(`The error ${code} is documented without the words that it shows: add shown(…)`);
  return { status: STATUS_OF[kind], code, message: text, reason, help };
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
const GUARDS: readonly ErrorSource[] = ['authentication', 'session', 'path', 'role', 'right', 'confirmation'];
const READERS: readonly ErrorSource[] = ['upload', 'idempotency'];

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

interface DescribedHandler {
  controller: Type;
  method: object;
}

/** Adds error answers; keeps those of a handler's own document. @param ownWords tag of endpoints that document all (probes) */
export function documentErrors(app: INestApplicationContext, document: OpenAPIObject, ownWords: string): void {
  for (const { operation, handler, rows } of tablesOf(app, document)) {
    if (operation.tags?.includes(ownWords)) continue;
    const shape = metadata<ErrorShapeName>(ERROR_SHAPE_METADATA, handler) ?? 'standard';
    const byStatus = groupedBy(rows, ({ status }) => status);
    for (const [status, same] of byStatus) operation.responses[status] ??= answerOf(shape, status, merged(same));
  }
}

/** Documents warnings: in the header for fully specified bodies, else in `warnings`. */
export function documentWarnings(app: INestApplicationContext, document: OpenAPIObject): void {
  const schemas = ((document.components ??= {}).schemas ??= {});
  for (const { operation, handler } of tablesOf(app, document)) {
    if (!operation.requestBody || !fieldsOf(handler.controller, handler.method)) continue;
    const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    const isHeader = isExact(handler.controller, handler.method);
    for (const [, answer] of answers) {
      if (isHeader) {
        if (answer && !('$ref' in answer))
          answer.headers = { ...answer.headers, [WARNINGS_HEADER]: WARNINGS_HEADER_DOCUMENT };
        continue;
      }
      const schema = answer && 'content' in answer ? answer.content['application/json']?.schema : undefined;
      const name = schema && '$ref' in schema ? schema.$ref.split('/').at(-1) : undefined;
      const found = name === undefined ? schema : schemas[name];
      if (found && 'properties' in found) found.properties = { ...found.properties, warnings: WARNINGS_PROPERTY };
    }
  }
  schemas['Warning'] = WARNING_SCHEMA;
}

/** All rows of all endpoints and of requests before routing, for the page of error codes. */
export function errorRows(app: INestApplicationContext, document: OpenAPIObject): ErrorRow[] {
  return [
    ...tablesOf(app, document).flatMap(({ rows }) => rows),
    ...[unknownResource, ...Object.values(bodyErrors), ...Object.values(serverErrors)].map(rowOf),
    ...Object.values(protocolErrors),
  ];
}

interface DescribedOperation {
  operation: Operation;
  handler: DescribedHandler;
  rows: ErrorRow[];
}

/** The error table of each operation. Needs Swagger's original operation ids. */
function tablesOf(app: INestApplicationContext, document: OpenAPIObject): DescribedOperation[] {
  const handlers = handlersOf(app);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const handler = operation && handlers.get(operation.operationId?.replace(/\[\d+\]$/, '') ?? '');
      return handler ? [{ operation, handler, rows: rowsOf(handler, path, operation) }] : [];
    }),
  );
}

function handlersOf(app: INestApplicationContext): Map<string, DescribedHandler> {
  const handlers = new Map<string, DescribedHandler>();
  const scanner = new MetadataScanner();
  for (const module of app.get(ModulesContainer).values()) {
    for (const { metatype } of module.controllers.values()) {
      if (typeof metatype !== 'function') continue;
      const controller = metatype as Type;
      const prototype = controller.prototype as Record<string, object>;
      for (const name of scanner.getAllMethodNames(prototype)) {
        const method = prototype[name];
        if (method && Reflect.hasMetadata(METHOD_METADATA, method)) {
          handlers.set(`${controller.name}_${name}`, { controller, method });
        }
      }
    }
  }
  return handlers;
}

const metadata = <T>(key: string, { controller, method }: DescribedHandler): T | undefined =>
  (Reflect.getMetadata(key, method) ?? Reflect.getMetadata(key, controller)) as T | undefined;

/** The full table of an endpoint, in the order of the checks. */
function rowsOf(handler: DescribedHandler, path: string, operation: Operation): ErrorRow[] {
  const rule = metadata<RateRule>(RATE_LIMIT_METADATA, handler) ?? 'user';
  const of = (sources: readonly ErrorSource[]): ErrorRow[] =>
    sources.flatMap((source) => metadata<ErrorRow[]>(sourceMetadata(source), handler) ?? []);
  const own = [handler.controller, handler.method].flatMap(
    (target) => (Reflect.getMetadata(API_ERRORS_METADATA, target) as ErrorRow[] | undefined) ?? [],
  );
  const guards = of(GUARDS);
  const isKnown = guards.length > 0 && !ruleOf(path).open;
  return [
    methodRow(handler),
    ...guards,
    ...(rule === 'none' ? [] : [rowOf(rateLimitErrors[rule])]),
    ...bodyRows(path, typesOf(operation), isKnown),
    ...of(READERS),
    ...own,
    ...(metadata<boolean>(NO_FAULTS_METADATA, handler)
      ? []
      : faultRows(metadata<ErrorShapeName>(ERROR_SHAPE_METADATA, handler))),
  ];
}

function methodRow(handler: DescribedHandler): ErrorRow {
  const { method } = protocolErrors;
  const noHead = metadata<boolean>(NO_HEAD_METADATA, handler) === true;
  return noHead ? { ...method, reason: `${method.reason}; HEAD too` } : method;
}

const typesOf = ({ requestBody }: Operation): string[] =>
  requestBody && 'content' in requestBody ? Object.keys(requestBody.content) : [];

/** Errors of the body itself, except a file's limit. @param isKnown whether guards authenticate the caller */
function bodyRows(path: string, types: readonly string[], isKnown: boolean): ErrorRow[] {
  if (types.length === 0) return [];
  const isFile = types.includes('multipart/form-data');
  return [
    ...(isFile ? [] : [rowOf(bodyErrors.tooLarge.because(`body over ${limitOfBodies(path)}`))]),
    protocolErrors.charset,
    ...(isKnown ? [] : [rowOf(bodyErrors.compressed)]),
    rowOf(bodyErrors.tooSlow),
    ...(types.includes('application/json') ? [rowOf(bodyErrors.malformedJson)] : []),
  ];
}

const faultRows = (shape?: ErrorShapeName): ErrorRow[] =>
  (shape === 'public' ? [serverErrors.lookUp] : [serverErrors.internal, serverErrors.databaseAway]).map(rowOf);

/** Merges rows of one text, with all their reasons. */
function merged(rows: readonly ErrorRow[]): ErrorRow[] {
  return [...groupedBy(rows, ({ message }) => message).values()].map((same) => ({
    ...(same[0] as ErrorRow),
    reason: [...new Set(same.map(({ reason }) => reason).filter((reason) => reason !== ''))].join('; '),
  }));
}

/** Groups in order of their first members. */
function groupedBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

function answerOf(shape: ErrorShapeName, status: number, rows: readonly ErrorRow[]) {
  return {
    description: rows.map(({ message, reason }) => `\`${message}\`${reason && `: ${reason}`}`).join('  \n'),
    content: {
      'application/json': {
        schema: errorSchema(shape),
        examples: Object.fromEntries(
          rows.map((row, index) => [
            `${status}-${index + 1}`,
            { summary: row.message, description: row.reason, value: errorBody(shape, status, row, '') },
          ]),
        ),
      },
    },
  };
}
