import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;

/** What stands below these is data of ours, and no schema. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

/**
 * Says in the words of OpenAPI 3.1 what the decorators said in those of 3.0: `nullable` becomes a type of its own, and the
 * example of a query parameter that may be left out is none that Swagger UI fills in, since it would hide results.
 */
export function asOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return { ...(converted(document) as OpenAPIObject), openapi: '3.1.1' };
}

function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, DATA.has(key) ? inner : converted(inner)]),
  );
  return withoutPrefill(withNull(copy));
}

function withNull({ nullable, ...schema }: Json): Json {
  if (typeof nullable !== 'boolean') return nullable === undefined ? schema : { ...schema, nullable };
  if (!nullable) return schema;
  const values = schema['enum'];
  if (Array.isArray(values)) schema['enum'] = [...new Set([...(values as unknown[]), null])];
  const { allOf, type, ...rest } = schema;
  if (typeof type === 'string' && allOf === undefined) return { ...schema, type: [type, 'null'] };
  // a reference, which stands in `allOf` beside its description
  return { ...rest, anyOf: [...((allOf as unknown[] | undefined) ?? []), { type: 'null' }] };
}

function withoutPrefill(parameter: Json): Json {
  const { in: place, required, schema, ...rest } = parameter;
  if (place !== 'query' || required === true || typeof schema !== 'object') return parameter;
  const { example, ...plain } = schema as Json;
  const { example: own = example, ...said } = rest;
  return { ...said, in: place, required: false, schema: { ...plain, ...(own !== undefined && { examples: [own] }) } };
}
