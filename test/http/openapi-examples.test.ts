import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiContract } from '../support/api-contract.js';
import { openInstallation, type Installation } from '../support/installation.js';
import { DocumentedRequests, encodeBody, pathOf } from '../support/documented-requests.js';
import { sendRaw } from '../support/raw-request.js';

const contract = ApiContract.read();
const requests = new DocumentedRequests(contract.document.components.schemas);
let installation: Installation;

beforeAll(async () => {
  installation = await openInstallation();
});
afterAll(() => installation.stop());

/** What Swagger UI offers to send: each body of each endpoint that takes JSON, and each file of CSV. */
const examples = contract.operations.flatMap((operation) =>
  Object.entries(operation.body)
    .filter(([type]) => type === 'application/json' || type === 'text/csv')
    .flatMap(([type, media]) =>
      requests
        .bodies(media)
        .map((body, index) => [`${operation.name}, no. ${index + 1}`, operation, type, body] as const),
    ),
);

describe('an example of a request can be sent as it stands', () => {
  it.each(examples)('%s', async (_name, operation, type, example) => {
    const { contentType, body } = encodeBody(type, installation.localised(example));
    const answer = await sendRaw(installation.url, {
      method: operation.method,
      path: pathOf(operation, (parameter) => installation.known(operation, parameter)[0] ?? ''),
      headers: { 'content-type': contentType, ...installation.bearer(installation.asker(operation)) },
      body,
    });
    expect(answer.status, answer.body).not.toBe(400);
  });
});
