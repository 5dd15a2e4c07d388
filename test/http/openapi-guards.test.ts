import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type RunningApi, startApi } from '../support/api.js';
import { ApiContract, type Operation } from '../support/api-contract.js';
import { openInstallation, type Installation } from '../support/installation.js';
import { DocumentedRequests, encodeBody, pathOf } from '../support/documented-requests.js';
import { type Member, PASSWORD } from '../support/sms.js';
import { type RawAnswer, type RawRequest, sendRaw } from '../support/raw-request.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const TOKEN_TEXT = 'Invalid Authorization token';
/** The callbacks' limit, of all the largest (reference/requests#bodies) once BODY_LIMIT is small. */
const LARGEST = 3 * 1024 * 1024;
/** Of a personalised send and its quote, whatever BODY_LIMIT is (reference/bulk#recipients). */
const LARGEST_CAMPAIGN = 64 * 1024 * 1024;

const contract = ApiContract.read();
const requests = new DocumentedRequests(contract.document.components.schemas);
let installation: Installation;

/** Of a login: factors are set up in a session whose password was shown within ten minutes. */
let sessionToken: string;

beforeAll(async () => {
  installation = await openInstallation({ BODY_LIMIT: 2_048 });
  const { username } = installation.owner.account;
  const body = { email_or_username: username, password: PASSWORD };
  sessionToken = String((await installation.post('/v6/api/v1/auth/login', null, body)).body['token']);
});
afterAll(() => installation.stop());

const documenting = (status: number): [string, Operation][] =>
  contract.operations.filter(({ responses }) => String(status) in responses).map((known) => [known.name, known]);
/** Routes of JSON or a form whose body is read before anything that no guard knows of is proved. */
const reading = contract.operations.filter(
  ({ path, body }) =>
    !/^\/(provider|cell)\//.test(path) && Object.keys(body).some((type) => /json|urlencoded/.test(type)),
);
const readingAnd = (status: number): [string, Operation][] =>
  reading.filter(({ responses }) => String(status) in responses).map((known) => [known.name, known]);
/** Their bearer is a token of the installation, which is no matter of accounts. */
const WITH_OWN_TOKEN = ['/metrics', '/cell/holdings'];
const secured = contract.operations.filter(({ security }) => security.length > 0);
const isAdmin = ({ path }: Operation): boolean => path.startsWith('/v6/api/admin');

/** The documented request of an endpoint, from one who may. */
function goodRequest(operation: Operation, change: Partial<RawRequest> = {}): RawRequest {
  const type = requests.mediaType(operation);
  const [body] =
    type === null ? [] : requests.bodies(operation.body[type] ?? {}).map((known) => installation.localised(known));
  const encoded = type === null ? null : encodeBody(type, body);
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(
      ({ name, schema = {} }) =>
        `${name}=${encodeURIComponent(String(installation.localised(requests.value(schema), name)))}`,
    );
  const path = pathOf(operation, (name) => installation.known(operation, name)[0] ?? '');
  return {
    method: operation.method,
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: {
      ...installation.bearer(installation.asker(operation)),
      ...(operation.path.includes('/account/second-factor') && { authorization: `Bearer ${sessionToken}` }),
      ...(encoded && { 'content-type': encoded.contentType }),
    },
    body: encoded?.body ?? null,
    ...change,
  };
}

const messageOf = ({ body }: RawAnswer): unknown => (JSON.parse(body) as { message?: unknown }).message;

describe('what the guards answer, at every endpoint', () => {
  it.each(
    secured
      .filter(({ path }) => !WITH_OWN_TOKEN.includes(path))
      .map((operation) => [operation.name, operation] as const),
  )('without a token: %s', async (_, operation) => {
    const { headers, ...good } = goodRequest(operation);
    const { 'content-type': type } = headers;
    // the broadcasts take a username of the body instead
    const body = good.body === null ? null : '{}';
    const answer = await sendRaw(installation.url, {
      ...good,
      body,
      headers: type === undefined ? {} : { 'content-type': type },
    });
    expect([answer.status, messageOf(answer)]).toEqual([
      '401' in operation.responses && !/\/chat(Template)?\//.test(operation.path) ? 401 : 400,
      TOKEN_TEXT,
    ]);
  });

  it.each(secured.filter(isAdmin).map((operation) => [operation.name, operation] as const))(
    'as a client: %s',
    async (_, operation) => {
      const good = goodRequest(operation);
      const headers = { ...good.headers, ...installation.bearer(installation.owner) };
      const answer = await sendRaw(installation.url, { ...good, headers });
      expect([answer.status, messageOf(answer)]).toEqual([403, 'Forbidden']);
    },
  );

  it.each([...new Set(contract.operations.map(({ path }) => path))])('a wrong method: %s', async (path) => {
    const here = contract.operations.filter((operation) => operation.path === path);
    const good = goodRequest(here[0] as Operation);
    // `…/explain` is a name of `…/:name` too: both may have the method
    const there = [...new Set(contract.at(good.path.split('?')[0] ?? '').map((known) => known.method))];
    const method = METHODS.find((known) => !there.includes(known)) ?? 'TRACE';
    const answer = await sendRaw(installation.url, { ...good, method });
    expect([answer.status, messageOf(answer)]).toEqual([405, 'Method not allowed']);
    expect(answer.headers.allow?.split(', ').filter((known) => known !== 'HEAD')).toEqual(there.sort());
  });

  it.each(readingAnd(413))('a body that is too large: %s', async (_, operation) => {
    const good = goodRequest(operation);
    const largest = operation.path.startsWith('/v6/api/campaigns') ? LARGEST_CAMPAIGN : LARGEST;
    const { contentType, body } = encodeBody('application/json', 'x'.repeat(largest + 1));
    const answer = await sendRaw(installation.url, {
      ...good,
      headers: { ...good.headers, 'content-type': contentType },
      body,
    });
    expect([answer.status, messageOf(answer)]).toEqual([413, 'Request body is too large']);
  });

  it.each(reading.map((known) => [known.name, known] as const))('malformed JSON: %s', async (_, operation) => {
    const good = goodRequest(operation);
    const headers = { ...good.headers, 'content-type': 'application/json' };
    const answer = await sendRaw(installation.url, { ...good, headers, body: '{"a":' });
    expect([answer.status, messageOf(answer)]).toEqual([400, 'Malformed JSON body']);
  });

  it.each(readingAnd(415))('an unknown charset: %s', async (_, operation) => {
    const good = goodRequest(operation);
    const headers = { ...good.headers, 'content-type': 'application/json; charset=klingon' };
    const answer = await sendRaw(installation.url, { ...good, headers, body: '{}' });
    expect([answer.status, messageOf(answer)]).toEqual([415, 'Unsupported charset or encoding']);
  });
});

describe('beyond every limit', () => {
  let strict: RunningApi;
  beforeAll(async () => {
    const limits = {
      USER_RATE_LIMIT: 1,
      MESSAGES_PER_SECOND: 1,
      BROADCAST_RATE_LIMIT: 1,
      OPEN_MISS_LIMIT: 1,
      CARRIER_RATE_LIMIT: 1,
    };
    strict = await startApi({ ...installation.environment, ...limits }, installation.database);
  });
  afterAll(() => strict.stop());

  it.each(documenting(429))('%s', async (_, operation) => {
    const good = goodRequest(operation);
    let answer = await sendRaw(strict.url, good);
    for (let tries = 1; tries < 3 && answer.status !== 429; tries++) answer = await sendRaw(strict.url, good);
    expect([answer.status, messageOf(answer)]).toEqual([429, 'Too many requests. Please try again later.']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('without the database', () => {
  let stranger: Member;
  beforeAll(async () => {
    stranger = await installation.join();
    // who asks is remembered, so that it is the endpoint that fails
    for (const member of [installation.owner, installation.staff])
      await installation.get('/v6/api/account/credits', member);
    await installation.part(DataSource).destroy();
  });
  afterAll(() => installation.part(DataSource).initialize());

  it.each(documenting(500))('%s', async (_, operation) => {
    const good = goodRequest(operation);
    const ask = async (): Promise<unknown[]> => {
      let answer = await sendRaw(installation.url, good);
      // what asks no database fails for those who are not remembered
      if (answer.status === 200) {
        answer = await sendRaw(installation.url, {
          ...good,
          headers: { ...good.headers, ...installation.bearer(stranger) },
        });
      }
      return [answer.status, answer.body];
    };
    // routes and chat accounts are remembered too, for seconds
    await expect.poll(ask, { timeout: 60_000, interval: 100 }).toEqual([500, expect.anything()]);
  });
});
