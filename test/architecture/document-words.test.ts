import { describe, expect, it } from 'vitest';
import { ApiContract, type Schema } from '../support/api-contract.js';

const { document } = ApiContract.read();
const { schemas } = document.components;

/** Properties whose words are few and known. */
const WORDS = /^(status|channel|phase|state|kind|event|driver|controller_status)$/;
/** Properties that are moments. */
const MOMENTS = /(_at|_time|_until|^Time|^Date|_date)$/;

/** Words that are not ours to list: schema and property, and why. */
const OPEN: Readonly<Record<string, string>> = {
  'ChatNoticeData.kind': 'the provider names its fields, and adds some',
  'ChatNoticeCountData.kind': 'the provider names its fields, and adds some',
};

/** Each property of a schema and of those within it, by its path. */
function propertiesOf(name: string, schema: Schema): [path: string, property: string, schema: Schema][] {
  const within = [schema.items, schema.additionalProperties, ...['allOf', 'oneOf', 'anyOf'].map((key) => schema[key])]
    .flat()
    .filter((inner): inner is Schema => typeof inner === 'object' && inner !== null);
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([property, inner]): [string, string, Schema][] => [
      [`${name}.${property}`, property, inner],
      ...propertiesOf(`${name}.${property}`, inner),
    ]),
    ...within.flatMap((inner) => propertiesOf(name, inner)),
  ];
}

const properties = Object.entries(schemas).flatMap(([name, schema]) => propertiesOf(name, schema));

/** Whether a schema, or each part of it that is not null, has one of these keywords. */
function says(schema: Schema, keywords: readonly string[]): boolean {
  if (keywords.some((keyword) => keyword in schema)) return true;
  if (schema.$ref !== undefined) return says(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, keywords);
  const parts = ['oneOf', 'anyOf', 'allOf'].flatMap((key) => (schema[key] as Schema[] | undefined) ?? []);
  const told = parts.filter(({ type }) => type !== 'null');
  return told.length > 0 && told.every((part) => says(part, keywords));
}

describe('what the document says of', () => {
  it('words that are few: it lists them', () => {
    const open = properties
      .filter(([path, property, schema]) => WORDS.test(property) && !(path in OPEN) && !says(schema, ['enum', 'const']))
      .map(([path]) => path);
    expect(open).toEqual([]);
    expect(properties.filter(([, property]) => WORDS.test(property)).length).toBeGreaterThan(40);
  });

  it('moments: what they look like, and in which time zone they are', () => {
    const moments = properties.filter(
      ([, property, { type }]) => MOMENTS.test(property) && [type].flat().includes('string'),
    );
    expect(moments.filter(([, , schema]) => !says(schema, ['format', 'pattern'])).map(([path]) => path)).toEqual([]);
    const zoneless = moments.filter(
      ([, , { format, pattern, description }]) =>
        format === undefined && /\[|d\{2\}:/.test(String(pattern)) && !/time zone/.test(String(description)),
    );
    expect(zoneless.map(([path]) => path)).toEqual([]);
    expect(moments.length).toBeGreaterThan(60);
  });

  it('a query that may be left out: nothing that Swagger UI would fill in, and so hide results', () => {
    const filled = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { parameters = [] }]) =>
        parameters
          .filter((parameter) => {
            const { in: place, required, schema = {}, ...more } = parameter as typeof parameter & Schema;
            const prefilled = ['example', 'default'].some((key) => key in schema || key in more);
            return place === 'query' && required !== true && prefilled;
          })
          .map(({ name }) => `${method} ${path} ${name}`),
      ),
    );
    expect(filled).toEqual([]);
  });
});
