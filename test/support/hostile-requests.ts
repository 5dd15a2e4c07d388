import fc from 'fast-check';
import type { Operation } from './api-contract.js';
import { asText, type DocumentedRequests, encodeBody, isObject, pathOf } from './documented-requests.js';
import type { RawRequest } from './raw-request.js';

/** What clients send by accident or on purpose, in the place of a good value. */
const HOSTILE: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308],
  ...['', ' ', '0', '-1', '1e9', 'NaN', 'null', 'undefined', '[object Object]', 'true', '[]', '{}', '{"a":1}', '[1'],
  ...["'", "' OR 1=1 -- ", '"; DROP TABLE accounts; --', '%', '_', '\\', '`', '{{1}}', '<script>', '=1+1', '../../x'],
  ...['\u0000', '\ud800', '\u202e', 'é', '😀'.repeat(120), 'x'.repeat(65), 'x'.repeat(300), 'x'.repeat(70_000)],
  ...['2026-02-30', '2026-13-01 25:61:61', '0000-00-00', '+999999-01-01T00:00:00Z', '2099-01-01 00:00:00', '99:99:99'],
  ...['http://', 'javascript:alert(1)', 'http://127.0.0.1:1/x', 'http://169.254.169.254/', 'file:///etc/passwd'],
  ...['1,2', '919812345678', '+49 (151) 1', '9'.repeat(31), '٣', 'a@b', 'super', 'demo', 'constructor', '__proto__'],
  ...[[], [[]], [null], ['919812345678', null], [{}], {}, { a: 1 }, { toString: 'x' }, { length: -1 }, { $ne: null }],
];
const BROKEN_BODIES = ['{', '{"a":', 'null', '"x"', '[]', '1', '\u0000', '['.repeat(20_000), '{"a":'.repeat(5_000)];
const RAW_PARAMETERS = ['%00', '%ff', '%2e%2e', '..%2f', "'", ';', '%F0%9F%98%80', '-1', '0', '1e3', '9'.repeat(30)];
const TOKENS = ['Bearer', 'Bearer ', 'Bearer x.y.z', 'Basic eDp5', 'null', `Bearer ${'a'.repeat(5_000)}`];
const OTHER_TYPES = ['text/plain', 'application/json; charset=klingon', 'multipart/form-data', 'application/xml', ''];
const EXTRA_HEADERS: Record<string, string>[] = [
  { 'x-api-key': 'garbage' },
  { cookie: 'auth_token=garbage; admin_session=%E0%A4' },
  { 'x-forwarded-for': "' OR 1" },
  { 'x-request-id': '<script>' },
  { range: 'bytes=9-1,-5' },
  { 'if-none-match': '*' },
  { 'accept-language': '*', accept: 'text/html' },
];
const EXTRA_QUERIES = ['a[b][c]=1', '__proto__[x]=1', '%', 'page=0', 'limit=-1', 'page=1e99', 'limit=1&limit=2'];

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.double({ noDefaultInfinity: true, noNaN: true })) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
const ABSENT = Symbol('absent');

/** The value, or one in which something is not as it should be; about every second one is as it was. */
function near(value: unknown, weight = 1): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 2 * weight, arbitrary: inside(value, weight) }, { weight: 1, arbitrary: hostile });
}

function inside(value: unknown, weight: number): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return fc.tuple(...value.map((item) => near(item, weight * (value.length + 1))));
  if (!isObject(value)) return fc.constant(value);
  const names = Object.keys(value);
  const fields = names.map((name) =>
    fc.oneof(
      { weight: 3 * (names.length + 1), arbitrary: near(value[name], weight * (names.length + 1)) },
      { weight: 1, arbitrary: fc.constant(ABSENT) },
    ),
  );
  return fc
    .tuple(...fields)
    .map((values) =>
      Object.fromEntries(names.map((name, index) => [name, values[index]]).filter(([, field]) => field !== ABSENT)),
    );
}

const sometimes = <T>(values: readonly T[], absent: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...values) });

/** What requests of one endpoint are made of. */
export interface RequestSources {
  requests: DocumentedRequests;
  /** good values of a parameter in the path */
  known: (name: string) => string[];
  /** a documented value with addresses and ids of this installation; a parameter's comes with its name */
  localised: (value: unknown, name?: string) => unknown;
  /** headers of those who send; nobody's are random */
  actors: Record<string, string>[];
}

/** Requests of an endpoint, from good ones to hostile ones, from those who may and those who may not. */
export function requestsOf(operation: Operation, sources: RequestSources): fc.Arbitrary<RawRequest> {
  const names = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const parameter = (name: string): fc.Arbitrary<string> =>
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...sources.known(name)).map(encodeURIComponent) },
      { weight: 1, arbitrary: hostile.map((value) => encodeURIComponent(asText(value).slice(0, 1_000)) || 'x') },
      { weight: 1, arbitrary: fc.constantFrom(...RAW_PARAMETERS) },
    );
  return fc
    .record({
      path: fc.tuple(...names.map(parameter)),
      query: queryOf(operation, sources),
      body: bodyOf(operation, sources),
      actor: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...sources.actors) },
        {
          weight: 1,
          arbitrary: sometimes(TOKENS, 1).map((token) => (token === undefined ? {} : { authorization: token })),
        },
      ),
      headers: headersOf(operation),
    })
    .map(({ path, query, body, actor, headers }) => ({
      method: operation.method,
      path: pathOf(operation, (name) => path[names.indexOf(name)] ?? '') + (query === '' ? '' : `?${query}`),
      headers: { ...headers, ...actor, ...(body?.contentType && { 'content-type': body.contentType }) },
      body: body?.body ?? null,
    }));
}

function queryOf(operation: Operation, { requests, localised }: RequestSources): fc.Arbitrary<string> {
  const pairs = operation.parameters
    .filter((known) => known.in === 'query')
    .map(({ name, schema = {} }) =>
      fc
        .oneof(
          { weight: 2, arbitrary: near(localised(requests.value(schema), name), 3) },
          { weight: 1, arbitrary: fc.constant(ABSENT) },
        )
        .map((value) => (value === ABSENT ? [] : [`${name}=${encodeURIComponent(asText(value).slice(0, 8_000))}`])),
    );
  return fc
    .tuple(fc.tuple(...pairs), sometimes(EXTRA_QUERIES, 4))
    .map(([parts, extra]) => [...parts.flat(), ...(extra === undefined ? [] : [extra])].join('&'));
}

function bodyOf(operation: Operation, { requests, localised }: RequestSources) {
  const type = requests.mediaType(operation);
  if (type === null) return fc.constant(null);
  const bodies = requests.bodies(operation.body[type] ?? {}).map((body) => localised(body));
  const good = fc.constantFrom(...bodies).chain((body) => near(body, 8));
  const wrongType = sometimes(OTHER_TYPES, 12);
  return fc.oneof(
    {
      weight: 10,
      arbitrary: fc
        .tuple(good, fc.constantFrom(...Object.keys(operation.body)), wrongType)
        .map(([value, form, other]) => {
          const encoded = encodeBody(form, value);
          return other === undefined ? encoded : { ...encoded, contentType: other };
        }),
    },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN_BODIES).map((body) => ({ contentType: type, body })) },
  );
}

function headersOf(operation: Operation): fc.Arbitrary<Record<string, string>> {
  const named = operation.parameters
    .filter((known) => known.in === 'header')
    .map(({ name }) =>
      sometimes(['k', 'x'.repeat(256), ' ', 'é', "' OR 1", 'x'.repeat(255)], 3).map((value) => ({ name, value })),
    );
  return fc.tuple(fc.tuple(...named), sometimes(EXTRA_HEADERS, 3)).map(([pairs, extra]) => ({
    ...Object.fromEntries(pairs.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
    ...extra,
  }));
}
