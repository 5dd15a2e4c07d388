import { type CanActivate, type ExecutionContext, Injectable, SetMetadata, type Type } from '@nestjs/common';
import type { Request } from 'express';
import { isObject } from '../../kernel/objects.js';
import { cutCodePoints } from '../../kernel/text.js';
import { type AnswerWarning, isExact, warningsOf } from './answer-warnings.js';
import { bodyParameter } from './body.guard.js';

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
