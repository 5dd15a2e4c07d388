import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiContract, type Operation } from '../support/api-contract.js';
import { openInstallation, type Installation } from '../support/installation.js';
import { DocumentedRequests } from '../support/documented-requests.js';
import { requestsOf } from '../support/hostile-requests.js';
import { type RawAnswer, type RawRequest, sendRaw } from '../support/raw-request.js';

const SEED = 20_261_121;
const RUNS = 60;
/** Where a password is hashed or a voice speaks, a request takes a tenth of a second. */
const SLOW = /\/auth\/|\/voice\/send|POST .*\/(users|accounts)$|PATCH .*\/(users|accounts)\/|sms_get|\/password/;
const SLOW_RUNS = 15;
/** Where a carrier is waited for, and there is none here. */
const WAITING = /\/routes\/\{name\}\/test/;
const WAITING_RUNS = 4;

/** What no client may ever read: statements, classes and places of ours. */
const LEAK =
  /\bER_[A-Z]|SQLSTATE|sqlMessage|QueryFailed|SQL syntax|node_modules|\bat \S+ \(|\/src\/|\.[jt]s:\d|\$2[aby]\$\d|\w+Error\b|Cannot read prop/;

const contract = ApiContract.read();
const requests = new DocumentedRequests(contract.document.components.schemas);
/** What removes things comes last, so that the others find them. */
const operations = [...contract.operations].sort(
  (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
);
let installation: Installation;

beforeAll(async () => {
  installation = await openInstallation();
});
afterAll(() => installation.stop());

function faultOf({ method, path }: RawRequest, { status, headers, body }: RawAnswer): string | null {
  if (status === 500) return `500: ${body}`;
  // nothing hostile that is sent looks like this, so it is not quoted
  if (LEAK.test(body)) return `leak: ${body}`;
  if ([installation.owner.token, installation.staff.token, installation.apiKey].some((secret) => body.includes(secret)))
    return 'a secret';
  if (!headers['x-request-id']) return 'no X-Request-Id';
  const plain = path.split('?')[0] ?? '';
  return contract.fault({ method, path: plain, status, contentType: headers['content-type'], body: body || null });
}

function runsOf(name: string): number {
  if (WAITING.test(name)) return WAITING_RUNS;
  return SLOW.test(name) ? SLOW_RUNS : RUNS;
}

/** Those who ask: mostly who may, so that it is in earnest. */
function actorsOf(operation: Operation): Record<string, string>[] {
  const asker = installation.asker(operation);
  const [owner, staff] =
    asker === installation.owner || asker === installation.staff
      ? [installation.owner, installation.staff]
      : [asker, asker];
  return [
    ...Array.from({ length: 5 }, () => installation.bearer(owner)),
    installation.bearer(staff),
    { 'x-api-key': installation.apiKey },
    { cookie: `auth_token=${owner.token}` },
    {},
    ...(asker === installation.staff ? Array.from({ length: 20 }, () => installation.bearer(installation.staff)) : []),
  ];
}

describe('asked well, badly and with malice, and by whoever', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s answers as documented',
    async (name, operation) => {
      const sources = {
        requests,
        known: (parameter: string) => installation.known(operation, parameter),
        localised: installation.localised,
        actors: actorsOf(operation),
      };
      await fc.assert(
        fc.asyncProperty(requestsOf(operation, sources), async (request) => {
          expect(faultOf(request, await sendRaw(installation.url, request))).toBeNull();
        }),
        { seed: SEED, numRuns: runsOf(name) },
      );
      // otherwise the rest would only be refused
      for (const member of [installation.owner, installation.staff]) {
        expect((await installation.get('/v6/api/account/credits', member)).status).toBe(200);
      }
    },
  );
});
