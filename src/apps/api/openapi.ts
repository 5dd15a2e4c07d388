import { STATUS_CODES } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
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
import { CUSTOMER_EVENT_TYPES, documentedEvents } from '../../modules/webhooks/index.js';
import { DRIVER_CONFIGS } from '../../modules/providers/index.js';
import { redisAway } from '../../platform/queues/index.js';
import { findOperations } from './docs-filter.js';
import { asOpenApi31 } from './openapi-31.js';
import { TAGS } from './openapi-tags.js';
import { operationIdOf } from './operation-ids.js';

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

/**
 * The OpenAPI document of the running application; the drift check writes it again and compares.
 * @param base path below which the world finds the API, such as that of a cell
 */
export function createOpenApiDocument(app: INestApplication, base = ''): OpenAPIObject {
  const document = scanned(app, base);
  documentCsvFiles(document);
  documentErrors(app, document, OPERATIONS_TAG);
  documentWarnings(app, document);
  return asOpenApi31(completed(document));
}

/** Every error that an endpoint documents (docs/generated/errors.md is made of them). */
export const documentedErrors = (app: INestApplication): ErrorRow[] => [
  ...errorRows(app, scanned(app, '')),
  // the queue dashboard is a page, and none of the endpoints
  rowOf(redisAway),
];

/** What the decorators say, with the ids that Nest gives the operations. */
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
    // the last, because the cursor stands there when Authorize opens
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
      // every body and answer shows its own; the list of all below the page says nothing more
      defaultModelsExpandDepth: -1,
    },
  });
}

/** Adds the schemas of errors and what Nest leaves out, and names the operations. */
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

/** Nest leaves the type out where a controller reads a parameter by itself. */
function typed(parameter: NonNullable<Operation['parameters']>[number]): void {
  if (!('schema' in parameter) || '$ref' in parameter.schema) return;
  parameter.schema.type ??= typeof parameter.schema.example === 'number' ? 'integer' : 'string';
}
