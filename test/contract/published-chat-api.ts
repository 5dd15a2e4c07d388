import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;

/** A place where the description contradicts itself, and what is held to instead. */
export interface Amendment {
  name: string;
  /** the description's own example of the messages endpoint that the schema as published refuses; null: none has it */
  example: string | null;
  /** why, where no example says so */
  reason?: string;
  change: (schemas: Record<string, Json>) => void;
}

const MESSAGE_SCHEMAS = ['Text', 'Audio', 'Document', 'Image', 'Location', 'Video', 'Sticker', 'Reaction'].concat([
  'Interactive',
  'Template',
  'Contacts',
]);

const at = (schemas: Record<string, Json>, ...path: (string | number)[]): Json =>
  path.reduce<Json>((value, step) => value[step] as Json, schemas);

/** Where the schemas are at odds with their own published examples. Everything else is taken literally. */
export const AMENDMENTS: readonly Amendment[] = [
  {
    // `additionalProperties: false` stands in the second half of an `allOf`, so that it refuses the first half's fields
    // (messaging_product, to …) and with them every request there is. Meant is: no field but those of both halves.
    name: 'fields of both halves of a message',
    example: 'Send Text Message',
    change: (schemas) => {
      for (const type of MESSAGE_SCHEMAS) {
        const schema = at(schemas, `${type}Message`);
        delete at(schemas, `${type}Message`, 'allOf', 1)['additionalProperties'];
        schema['unevaluatedProperties'] = false;
      }
    },
  },
  {
    name: 'coordinates are numbers',
    example: 'Send Location Message',
    change: (schemas) => {
      const location = at(schemas, 'LocationMessage', 'allOf', 1, 'properties', 'location', 'properties');
      for (const field of ['latitude', 'longitude']) location[field] = { type: ['number', 'string'] };
    },
  },
  {
    name: 'a language without policy',
    example: 'Send Message Template Text',
    change: (schemas) => {
      at(schemas, 'LanguageObject')['required'] = ['code'];
    },
  },
  {
    // The pattern `^[2-6, 11-14]$` is a list of numbers in a character class: it allows "," and refuses "0".
    name: 'button places from 0 on',
    example: 'Send Message Template Interactive',
    change: (schemas) => {
      for (const place of [
        at(schemas, 'TemplateComponent', 'properties'),
        at(schemas, 'ButtonComponent', 'allOf', 1, 'properties'),
      ]) {
        place['index'] = { type: ['string', 'integer'], pattern: '^[0-9]$', minimum: 0, maximum: 9 };
      }
    },
  },
  {
    name: 'biz_opaque_callback_data',
    example: null,
    reason: 'described for marketing messages and calls, left out of the messages endpoint, which takes it as well',
    change: (schemas) => {
      at(schemas, 'BaseMessageProperties', 'properties')['biz_opaque_callback_data'] = {
        type: 'string',
        minLength: 1,
        maxLength: 512,
      };
    },
  },
  {
    name: 'interactive cta_url',
    example: null,
    reason: 'the guide has URL buttons in free-form messages; the description leaves the type out altogether',
    change: (schemas) => {
      (at(schemas, 'InteractiveObject', 'properties', 'type')['enum'] as string[]).push('cta_url');
      (at(schemas, 'ActionObject')['oneOf'] as Json[]).push({
        required: ['name', 'parameters'],
        additionalProperties: false,
        properties: {
          name: { const: 'cta_url' },
          parameters: {
            type: 'object',
            required: ['display_text', 'url'],
            additionalProperties: false,
            properties: { display_text: { type: 'string', maxLength: 20 }, url: { type: 'string', format: 'uri' } },
          },
        },
      });
    },
  },
];

/**
 * A `discriminator` beside no `oneOf` validates nothing by itself: lists of such objects (template components, their
 * parameters) are here held to the schema that the discriminator names.
 */
function resolveDiscriminators(schemas: Record<string, Json>): void {
  const bare = Object.entries(schemas).filter(([, schema]) => schema['discriminator'] && !schema['oneOf']);
  const known = new Map(bare.map(([name, schema]) => [`#/components/schemas/${name}`, choice(schema)]));
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const record = value as Json;
    const found = known.get(String((record['items'] as Json | undefined)?.['$ref']));
    if (found) record['items'] = found;
    for (const inner of Object.values(record)) visit(inner);
  };
  visit(schemas);
}

function choice(schema: Json): Json {
  const { propertyName, mapping } = schema['discriminator'] as {
    propertyName: string;
    mapping: Record<string, string>;
  };
  return {
    type: 'object',
    required: [propertyName],
    properties: { [propertyName]: { enum: Object.keys(mapping) } },
    allOf: Object.entries(mapping).map(([word, $ref]) => ({
      if: { properties: { [propertyName]: { const: word } }, required: [propertyName] },
      then: { $ref },
    })),
  };
}

/** An operation of the description. */
export interface Operation {
  path: string;
  method: 'get' | 'post' | 'delete';
}

/** The upstream's OpenAPI description, ready to check requests. */
export class PublishedChatApi {
  private readonly ajv: Ajv2020;
  private readonly validators = new Map<string, ValidateFunction>();

  private constructor(private readonly document: Json) {
    this.ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.ajv);
    this.ajv.addSchema({ $id: 'published', ...document });
  }

  /**
   * @param file the description as it is published (YAML or JSON), @see test/contract/chat-openapi.test.ts
   * @param amendments default: all
   */
  static async open(file: string, amendments: readonly Amendment[] = AMENDMENTS): Promise<PublishedChatApi> {
    const document = JSON.parse(await asJson(file)) as Json;
    const { schemas } = document['components'] as { schemas: Record<string, Json> };
    for (const { change } of amendments) change(schemas);
    resolveDiscriminators(schemas);
    return new PublishedChatApi(document);
  }

  get version(): string {
    const { title, version } = this.document['info'] as { title: string; version: string };
    return `${title} ${version}`;
  }

  /** Faults of a message's body by the schema of its `type`. */
  messageFaults(body: unknown): string[] {
    const { mapping } = this.schema('Message')['discriminator'] as { mapping: Record<string, string> };
    const $ref = mapping[String((body as Json)['type'])];
    return $ref === undefined ? ['/type is none of the description'] : this.faults($ref, body);
  }

  /** Faults of any value by a schema of the description, such as `#/components/schemas/WebhookPayload`. */
  faults(pointer: string, value: unknown): string[] {
    const validate = this.validators.get(pointer) ?? this.ajv.compile({ $ref: `published${pointer}` });
    this.validators.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  }

  /** Where the schema of an operation's JSON body stands. */
  bodyOf({ path, method }: Operation): string {
    const escaped = path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
    return `#/paths/${escaped}/${method}/requestBody/content/application~1json/schema`;
  }

  /** Names of the operation's query parameters, its own and its path's. */
  queryOf({ path, method }: Operation): string[] {
    type Parameters = { in?: string; name?: string }[] | undefined;
    const lists = [this.operation({ path, method }), this.paths[path] ?? {}].map(
      ({ parameters }) => (parameters as Parameters) ?? [],
    );
    return lists.flat().flatMap((parameter) => (parameter.in === 'query' && parameter.name ? [parameter.name] : []));
  }

  /** The operation's own example of a JSON body, with addresses where it has `http(s)://…`. */
  example(operation: Operation, name: string): unknown {
    const { requestBody } = this.operation(operation) as {
      requestBody: { content: { 'application/json': { examples: Record<string, { value: unknown }> } } };
    };
    const text = JSON.stringify(requestBody.content['application/json'].examples[name]?.value ?? null);
    return JSON.parse(text.replaceAll('http(s)://', 'https://a.example/')) as unknown;
  }

  private schema(name: string): Json {
    return ((this.document['components'] as Json)['schemas'] as Record<string, Json>)[name] ?? {};
  }

  private get paths(): Record<string, Json> {
    return this.document['paths'] as Record<string, Json>;
  }

  private operation({ path, method }: Operation): Json {
    return (this.paths[path]?.[method] ?? {}) as Json;
  }
}

/** YAML or JSON as JSON, by the tool that checks our own document too. */
async function asJson(file: string): Promise<string> {
  const { resolve } = createRequire(import.meta.url);
  const tool = join(dirname(resolve('@redocly/cli/package.json')), 'bin/cli.js');
  const folder = await mkdtemp(join(tmpdir(), 'published-chat-api-'));
  try {
    const target = join(folder, 'api.json');
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    await promisify(execFile)(process.execPath, [tool, 'bundle', file, '--output', target], { env });
    return await readFile(target, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
