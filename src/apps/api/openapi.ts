import { STATUS_CODES } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { DRIVER_CONFIGS } from '../../modules/providers/index.js';
import { CUSTOMER_EVENT_TYPES, documentedEvents } from '../../modules/webhooks/index.js';
import {
  documentCsvFiles,
  documentErrors,
  documentWarnings,
  ERROR_SCHEMAS,
  type ErrorRow,
  errorRows,
  rowOf,
  withUnions,
} from '../../platform/http/index.js';
import { redisAway } from '../../platform/queues/index.js';
import { operationIdOf } from './operation-ids.js';

// The groups of the page that Swagger UI passes to a filter (immutable.js).
interface Collection<Value> {
  get(key: string): unknown;
  getIn(path: string[]): unknown;
  set(key: string, value: unknown): this;
  map(change: (value: Value, key: string) => Value): this;
  filter(holds: (value: Value) => boolean): this;
  size: number;
}
type Operations = Collection<Collection<unknown>>;

// Swagger UI's own filter searches groups only; this plugin also searches path, method, id and descriptions.
// Swagger UI gets its source text, so it must not use anything defined outside of it.
function findOperations(): object {
  return {
    fn: {
      opsFilter(groups: Collection<Collection<unknown>>, phrase: string) {
        const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
        const has = (...texts: unknown[]): boolean => {
          const text = texts.join(' ').toLowerCase();
          return words.every((word) => text.includes(word));
        };
        return groups
          .map((group, name) => {
            const about = [name, group.getIn(['tagDetails', 'description'])];
            const operations = group.get('operations') as Operations;
            const found = operations.filter((operation) =>
              has(
                ...about,
                operation.get('method'),
                operation.get('path'),
                ...['operationId', 'summary', 'description'].map((field) => operation.getIn(['operation', field])),
              ),
            );
            return group.set('operations', found);
          })
          .filter((group) => (group.get('operations') as Operations).size > 0);
      },
    },
  };
}

type Json = Record<string, unknown>;

// Values below these keys are data, not schemas.
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

// The decorators write OpenAPI 3.0: `nullable` becomes a type. Optional query parameters lose their examples, because
// Swagger UI would fill them in and hide results.
function asOpenApi31(document: OpenAPIObject): OpenAPIObject {
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
  // a reference: Nest puts it in `allOf` beside its description
  return { ...rest, anyOf: [...((allOf as unknown[] | undefined) ?? []), { type: 'null' }] };
}

function withoutPrefill(parameter: Json): Json {
  const { in: place, required, schema, ...rest } = parameter;
  if (place !== 'query' || required === true || typeof schema !== 'object') return parameter;
  const { example, ...plain } = schema as Json;
  const { example: own = example, ...said } = rest;
  return { ...said, in: place, required: false, schema: { ...plain, ...(own !== undefined && { examples: [own] }) } };
}

// Groups in the order of use; a test compares them with the routes.
const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['Authentication', 'Log in, register'],
  ['Account', 'Your credits, ledger, usage, password, API keys, and the people under your account'],
  ['SMS', 'Broadcasts, and one message by a plain GET'],
  ['Unofficial chat', 'Broadcasts over a self-hosted gateway'],
  ['Chat', 'Session messages to one recipient: v6 and v5'],
  ['Templates', 'Create and change message templates; staff or the provider approve them'],
  ['Template messages', 'Approved templates to one recipient or many'],
  ['Voice', 'Campaigns of calls with keypad menus'],
  ['Campaigns', 'What you sent on any channel: progress, recipients, pause, cancel, retry, price in advance'],
  ['Settlements', 'Signed proofs of what became of your campaigns, and what they cost'],
  ['Search', 'One box for numbers, request ids, names of campaigns, templates and accounts'],
  ['Recipients', 'Files and lists of recipients, with the variables of each'],
  ['Delivery reports', 'What became of each recipient, in the legacy shape'],
  ['Suppressions', 'The stop list: numbers that nothing is sent to'],
  ['Messages', 'One message at a time, over any channel; what was sent and received'],
  ['Verifications', 'Codes that prove a telephone number'],
  ['Inbound messages', 'SMS that people send, answers to them, and keywords'],
  ['Webhooks', 'Statuses pushed to you, signed and retried'],
  ['Sender ids', 'Who your messages and calls come from, approved by staff'],
  ['Profile requests', 'Display names to be verified'],
  ['Business profile', 'The live profile of a connected chat account'],
  ['Admin: accounts', 'Staff; resellers for their own clients'],
  ['Admin: credits', 'Staff; resellers for their own clients'],
  ['Admin: usage', 'What accounts were charged and got back'],
  ['Admin: alarms', 'What is wrong, what was, and what to do'],
  ['Admin: statistics', 'Charts: what was sent and what became of it'],
  ['Admin: rates', 'Prices by channel and prefix, for accounts of one’s choice'],
  ['Admin: campaigns', 'Campaigns of all accounts, and the verification of voice campaigns'],
  ['Admin: verifications', 'The texts of verifications'],
  ['Admin: search', 'The same over all accounts'],
  ['Admin: templates', 'The review of templates'],
  ['Admin: sender ids', 'The review of sender ids'],
  ['Admin: inbound messages', 'The inbox of the operator, and the numbers of accounts'],
  ['Admin: profile requests', 'The review of profile requests'],
  ['Admin: routes', 'The ways to the carriers'],
  ['Admin: routing', 'Which routes numbers leave over, by prefix, account and category'],
  ['Admin: chat accounts', 'The customers’ connections to the chat provider'],
  ['Admin: webhooks', 'Webhooks of all accounts: which fail, and how much waits'],
  ['Admin: audit', 'Who did what when'],
  ['Provider callbacks', 'For carriers alone'],
  ['Operations', 'For orchestrators and Prometheus'],
];

const VERSION = '0.3.0';
const OPERATIONS_TAG = 'Operations';
const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

const DESCRIPTION = `
Messaging and campaigns over SMS, chat and voice. The [guide](BASE/docs/guide) tells how to begin on each channel, what
statuses and prices mean, and how to run the service.

**Your first request.** In development a demo account with credits exists.

1. *Authentication*, \`POST /v6/api/v1/auth/login\`: **Try it out**, **Execute**. The example is the demo account.
2. Copy the \`token\` of the answer, press **Authorize** at the top and paste it where the cursor stands, under *bearer*.
   It is kept in this browser.
3. *SMS*, \`POST /webhook/api/addbroadcastgsm.php\`: **Try it out**, **Execute**. The answer brings a \`request_id\`.
4. *Delivery reports*, \`GET /webhook/api/getGSMreport.php\` with that id tells what became of each recipient.

**Authentication.** \`Authorization: Bearer <token>\` everywhere; the legacy routes also take the token as the cookie
\`auth_token\`. Where both come, the header counts. The v5 routes take the token with or without \`Bearer\`. Programs may
send an API key as \`X-API-Key\` instead, except to the admin routes and those of passwords, keys and people; beside a
token the token counts.

**Errors.** \`{ "success": false, "statusCode": 400, "message": "…", "error": "Bad Request" }\`; the v5 routes answer
\`{ "status": "error", "textsent": "error", "message": "…" }\`. Beside them stand \`code\` (stable, for programs), \`doc_url\` and,
where there is something to say, \`field\`, \`index\` and \`hint\`. Every answer carries \`X-Request-Id\`; name it when you ask
for help. A 429 says in \`Retry-After\` how many seconds to wait.
`.trim();

/** The OpenAPI document of the application. `base` is the public path prefix of the API, such as that of a cell. */
export function createOpenApiDocument(app: INestApplication, base = ''): OpenAPIObject {
  const document = scanned(app, base);
  documentCsvFiles(document);
  documentErrors(app, document, OPERATIONS_TAG);
  documentWarnings(app, document);
  return asOpenApi31(completed(document));
}

/** Every error that an endpoint documents (source of docs/generated/errors.md). */
export const documentedErrors = (app: INestApplication): ErrorRow[] => [
  ...errorRows(app, scanned(app, '')),
  // the queue dashboard is a page, not an endpoint
  rowOf(redisAway),
];

function scanned(app: INestApplication, base: string): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Switchboard')
    .setDescription(DESCRIPTION.replace('BASE', base))
    .setVersion(VERSION)
    .setLicense('Proprietary', 'about:blank')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'METRICS_TOKEN' }, 'metrics')
    .addCookieAuth('auth_token', { type: 'apiKey', in: 'cookie', description: 'The same token as a cookie' }, 'cookie')
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The token, with or without `Bearer `' },
      'v5',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key of `POST /v6/api/account/api-keys`' },
      'apiKey',
    )
    // last, because Swagger UI puts the cursor there when Authorize opens
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Token of the login' },
      'bearer',
    );
  if (base !== '') builder.addServer(base, 'this cell');
  for (const [name, description] of TAGS) builder.addTag(name, description);
  return SwaggerModule.createDocument(app, builder.build());
}

/** Serves the document and Swagger UI at `/docs` and `/docs-json`. */
export function serveDocs(app: INestApplication, base: string): void {
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app, base), {
    jsonDocumentUrl: 'docs-json',
    raw: ['json'],
    customSiteTitle: 'Switchboard API',
    swaggerOptions: {
      persistAuthorization: true,
      displayRequestDuration: true,
      filter: true,
      plugins: [findOperations],
      // every body and answer shows its own schema
      defaultModelsExpandDepth: -1,
    },
  });
}

function completed(document: OpenAPIObject): OpenAPIObject {
  const { webhooks, schemas } = documentedEvents(CUSTOMER_EVENT_TYPES);
  document.components = {
    ...document.components,
    schemas: { ...withUnions(document.components?.schemas ?? {}), ...ERROR_SCHEMAS, ...DRIVER_CONFIGS, ...schemas },
  };
  document.webhooks = webhooks;
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      operation.operationId = operationIdOf(operation.operationId ?? '', path);
      const { responses } = operation;
      for (const [status, response] of Object.entries(responses)) {
        if (response && 'description' in response) response.description ||= STATUS_CODES[status] ?? '';
      }
      for (const parameter of operation.parameters ?? []) typed(parameter);
    }
  }
  return document;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

// Nest omits the type if a controller reads a parameter itself.
function typed(parameter: NonNullable<Operation['parameters']>[number]): void {
  if (!('schema' in parameter) || '$ref' in parameter.schema) return;
  parameter.schema.type ??= typeof parameter.schema.example === 'number' ? 'integer' : 'string';
}
