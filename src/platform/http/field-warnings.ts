import { type CanActivate, type ExecutionContext, Injectable, SetMetadata, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Response } from 'express';
import { isObject } from '../../kernel/objects.js';
import { cutCodePoints } from '../../kernel/text.js';
import { ERROR_SHAPE_METADATA } from './error-shape.js';

/** Something about a request that was not refused for it (reference/requests#warnings). */
export interface AnswerWarning {
  code: string;
  field: string;
  message: string;
}

const MOST = 10;
const LONGEST_NAME = 64;
/** Where answers are ours, or have room for more than clients know. */
const TELLING = ['/v6/api/', '/webhook/api/'];
/** Where @nestjs/swagger keeps what decorators said. */
const SWAGGER_PARAMETERS = 'swagger/apiParameters';
const SWAGGER_PROPERTIES = 'swagger/apiModelPropertiesArray';
const ALSO_TAKES_METADATA = 'switchboard:also-takes';
const EXACT_METADATA = 'switchboard:exact-answer';

/** Names of fields that a route takes beside those that its documented body has. */
export const AlsoTakes = (...names: readonly string[]): MethodDecorator => SetMetadata(ALSO_TAKES_METADATA, names);

/** The route's answer is another's, handed on: nothing is added. */
export const ExactAnswer = (): MethodDecorator => SetMetadata(EXACT_METADATA, true);

/**
 * Lists in `warnings` of an answer what the request had beyond the fields of its endpoint, so that a misspelt optional
 * field does not go unnoticed. Nothing is refused or kept for it, and no value is shown. A guard, since it is told the
 * handler: the observables of an interceptor would cost a small request a tenth of its time.
 */
@Injectable()
export class FieldWarnings implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const known = fieldsOf(context.getClass(), context.getHandler());
    if (known) {
      const response = context.switchToHttp().getResponse<Response>();
      const json = response.json.bind(response);
      response.json = (answer: unknown) => json(warned(answer, response, known));
    }
    return true;
  }
}

/** Asked when the answer is there: large bodies are read by the route. */
function warned(answer: unknown, { req, statusCode }: Response, known: ReadonlySet<string>): unknown {
  const body: unknown = req.body;
  if (statusCode >= 300 || !isObject(answer) || !isObject(body)) return answer;
  const names = Object.keys(body).filter((name) => !known.has(name));
  return names.length > 0 && isTelling(req.path) ? withWarnings(answer, names) : answer;
}

function isTelling(path: string): boolean {
  const lower = path.toLowerCase();
  return TELLING.some((prefix) => lower.startsWith(prefix));
}

function withWarnings(answer: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const own = (answer['warnings'] as AnswerWarning[] | undefined) ?? [];
  return { ...answer, warnings: [...own, ...names.slice(0, MOST).map(warningOf)] };
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
  const of = <T>(key: string): T | undefined =>
    (Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller)) as T | undefined;
  if (of(EXACT_METADATA) === true || (of<string>(ERROR_SHAPE_METADATA) ?? 'standard') !== 'standard') return null;
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
  const name = (handler as { name: string }).name;
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, { index: number }>;
  const [, body] = Object.entries(args).find(([key]) => key.startsWith(`${RouteParamtypes.BODY}:`)) ?? [];
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) ?? []) as unknown[];
  return body && types[body.index];
}

/** The schema of a warning, as the document keeps it. */
export const WARNING_SCHEMA = {
  type: 'object' as const,
  required: ['code', 'field', 'message'],
  properties: {
    code: {
      type: 'string',
      enum: ['unknown_field', 'unknown_route', 'dlt_not_sent', 'contacts_left_out', 'contacts_repeated'],
    },
    field: { type: 'string', description: 'the field of the request', maxLength: LONGEST_NAME },
    message: { type: 'string' },
  },
};

/** `warnings` of an answer, as the document shows it. */
export const WARNINGS_PROPERTY = {
  type: 'array' as const,
  items: { $ref: '#/components/schemas/Warning' },
  description: 'what was ignored of the request; absent when there is nothing to say',
};
