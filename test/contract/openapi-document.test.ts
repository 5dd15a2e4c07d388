import { describe, expect, it } from 'vitest';
import { CUSTOMER_EVENT_TYPES } from '../../src/modules/webhooks/index.js';
import { ApiContract, type MediaType, pointerTo } from '../support/api-contract.js';

const contract = ApiContract.read();
const { schemas } = contract.document.components;

/** Examples of a media type that its own schema refuses. */
function faultsOf(pointer: string, { example, examples = {} }: MediaType): string[] {
  const values = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
  // as clients read it too: of `oneOf`, an example fits one schema and no other
  return values.flatMap((value) =>
    (['api', 'document'] as const).flatMap((as) => {
      const fault = contract.valueFault(`${pointer}/schema`, value, as);
      return fault === null ? [] : [`${fault}: ${JSON.stringify(value)}`];
    }),
  );
}

describe('what is pushed to customers', () => {
  const { webhooks } = contract.document;

  it('is described for every type that an endpoint can subscribe to', () => {
    expect(Object.keys(webhooks)).toEqual(CUSTOMER_EVENT_TYPES);
  });

  it.each(Object.keys(webhooks))('%s: its example fits its schema', (type) => {
    const media = webhooks[type]?.post.requestBody.content['application/json'] ?? {};
    const pointer = pointerTo('webhooks', type, 'post', 'requestBody', 'content', 'application/json');
    expect(media.example).toMatchObject({ event: type });
    expect(faultsOf(pointer, media)).toEqual([]);
  });
});

describe('a file of CSV', () => {
  it.each(['/v6/api/uploads', '/v6/api/suppressions/import'])('%s is taken as a form, and as it stands', (path) => {
    const operation = contract.operations.find((each) => each.path === path && each.method === 'POST');
    expect(Object.keys(operation?.body ?? {})).toEqual(['multipart/form-data', 'text/csv']);
    expect(operation?.body['text/csv']?.schema).toMatchObject({ type: 'string' });
  });
});

describe('every example of the OpenAPI document fits its schema', () => {
  it.each(Object.keys(schemas))('%s', (name) => {
    const faults = Object.entries(schemas[name]?.properties ?? {}).flatMap(([field, { example }]) => {
      if (example === undefined) return [];
      const fault = contract.valueFault(pointerTo('components', 'schemas', name, 'properties', field), example);
      return fault === null ? [] : [`${field}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it.each(contract.operations.map((operation) => [operation.name, operation] as const))('%s', (_, operation) => {
    const base = pointerTo('paths', operation.path, operation.method.toLowerCase());
    const faults = [
      ...Object.entries(operation.body).flatMap(([type, media]) =>
        faultsOf(`${base}${pointerTo('requestBody', 'content', type)}`, media),
      ),
      ...Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content).flatMap(([type, media]) =>
          faultsOf(`${base}${pointerTo('responses', status, 'content', type)}`, media),
        ),
      ),
      ...operation.parameters.flatMap(({ name, schema }, index) => {
        if (schema?.example === undefined) return [];
        const fault = contract.valueFault(`${base}${pointerTo('parameters', String(index), 'schema')}`, schema.example);
        return fault === null ? [] : [`${name}: ${fault}`];
      }),
    ];
    expect(faults).toEqual([]);
  });
});
