import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A schema of the document, as far as tests read it. */
export interface Schema {
  $ref?: string;
  /** several where null is one of them */
  type?: string | string[];
  enum?: unknown[];
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}

export interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema?: Schema;
}

/** One endpoint of the document. */
export interface Operation {
  /** such as `GET /v6/api/campaigns/{request_id}` */
  name: string;
  /** the same for all paths of one handler */
  handler: string;
  method: string;
  path: string;
  parameters: Parameter[];
  security: Record<string, unknown>[];
  /** by media type; empty for an endpoint that takes no body */
  body: Record<string, MediaType>;
  /** by status */
  responses: Record<string, { content?: Record<string, MediaType> }>;
}

/** What the API answered. */
export interface SeenAnswer {
  method: string;
  /** as it was sent, without the query */
  path: string;
  status: number;
  contentType: string | undefined;
  /** null: a stream, a body too large to keep, or none */
  body: string | null;
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        summary: string;
        tags?: string[];
        parameters?: Parameter[];
        security?: Record<string, unknown>[];
        requestBody?: { content: Record<string, MediaType> };
        responses: Operation['responses'];
      }
    >
  >;
  components: { schemas: Record<string, Schema> };
  webhooks: Record<string, { post: { requestBody: { content: Record<string, MediaType> } } }>;
}

const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url);

/** The OpenAPI document as a check of answers. That it is what the code says is tested by test/architecture. */
export class ApiContract {
  readonly operations: readonly Operation[];
  private readonly matchers: readonly { operation: Operation; pattern: RegExp; literals: number }[];
  private readonly ajv: Ajv2020;
  private readonly validators = new Map<string, ValidateFunction>();

  private constructor(readonly document: Document) {
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        handler: [method, operation.tags, operation.summary].join(' '),
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        security: (operation.security ?? []).filter((way) => Object.keys(way).length > 0),
        body: operation.requestBody?.content ?? {},
        responses: operation.responses,
      })),
    );
    this.matchers = this.operations
      .map((operation) => ({
        operation,
        // Express takes any case and a slash at the end
        pattern: new RegExp(`^${operation.path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}/?$`, 'i'),
        literals: operation.path.replace(/\{[^}]+\}/g, '').length,
      }))
      .sort((a, b) => b.literals - a.literals);
    this.ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false });
    formats.default(this.ajv);
    this.ajv.addSchema(closed(document) as object, 'api');
    this.ajv.addSchema(document, 'document');
  }

  static read(): ApiContract {
    return new ApiContract(JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document);
  }

  /** Endpoints that live at a path as it was sent, the most literal first; none for hidden and unknown paths. */
  at(path: string): Operation[] {
    try {
      decodeURIComponent(path);
    } catch {
      return [];
    }
    return this.matchers.filter(({ pattern }) => pattern.test(path)).map(({ operation }) => operation);
  }

  /**
   * Which documented answers an answer is: of its endpoint, or of every endpoint of the path when it says that the
   * method is wrong.
   */
  answered({ method, path, status }: Pick<SeenAnswer, 'method' | 'path' | 'status'>): Operation[] {
    const here = this.at(path);
    const operation = here.find((known) => known.method === (method === 'HEAD' ? 'GET' : method));
    return (status === 405 ? here : operation ? [operation] : []).filter(
      ({ responses }) => String(status) in responses,
    );
  }

  /** What is wrong with an answer, in one line; null when the document tells of it. */
  fault(answer: SeenAnswer): string | null {
    const { method, path, status, contentType, body } = answer;
    const here = this.at(path);
    if (here.length === 0 || method === 'OPTIONS') return null;
    const operation = here.find((known) => known.method === (method === 'HEAD' ? 'GET' : method));
    // of a method that the path has not, 405 is to be said, or that there were too many of it
    if (!operation) return status === 405 || status === 429 ? null : `${method} ${here[0]?.path} is ${status}, not 405`;
    const name = `${operation.name} ${status}`;
    const documented = operation.responses[status];
    if (!documented) return status === 405 && method === 'HEAD' ? null : `${name} is not documented: ${body ?? ''}`;
    const type = contentType?.split(';')[0]?.trim();
    if (!documented.content || type === undefined || method === 'HEAD') return null;
    if (!(type in documented.content)) return `${name} is ${type}`;
    if (type !== 'application/json' || body === null) return null;
    return this.bodyFault(operation, String(status), body);
  }

  /**
   * What is wrong with a value under the schema at a JSON pointer of the document; null when it fits.
   * @param as `api`: fields that are not documented are a fault; `document`: the schema as clients read it
   */
  valueFault(pointer: string, value: unknown, as: 'api' | 'document' = 'api'): string | null {
    const key = `${as}#${pointer}`;
    let validate = this.validators.get(key);
    if (!validate) {
      validate = this.ajv.compile({ $ref: key });
      this.validators.set(key, validate);
    }
    if (validate(value)) return null;
    return this.ajv.errorsText(validate.errors, { dataVar: 'body' });
  }

  private bodyFault(operation: Operation, status: string, body: string): string | null {
    const base = pointerTo('paths', operation.path, operation.method.toLowerCase(), 'responses', status);
    const fault = this.valueFault(`${base}${pointerTo('content', 'application/json', 'schema')}`, JSON.parse(body));
    return fault && `${operation.name} ${status}: ${fault}: ${body.slice(0, 500)}`;
  }
}

/** A JSON pointer, fit for the fragment of a URI. */
export const pointerTo = (...keys: string[]): string =>
  keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Every object schema that names its fields has no others, unless it says so: what is not documented is a fault. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  const isObject = [copy['type']].flat().includes('object') && copy['properties'] !== undefined;
  return isObject && copy['additionalProperties'] === undefined ? { ...copy, additionalProperties: false } : copy;
}
