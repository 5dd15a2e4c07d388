import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpDriver } from '../../src/modules/providers/drivers/http/http.driver.js';
import { httpConfigSchema } from '../../src/modules/providers/drivers/http/http-config.js';
import type { Route, RouteConnection, SendOutcome } from '../../src/modules/providers/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { freePort } from '../support/processes.js';
import { openSandbox, type OpenSandbox } from './open-sandbox.js';

const PATIENCE = { timeout: 60_000 };

const outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
const driver = new HttpDriver(outbound);

function routeOf(config: Record<string, unknown>): Route<ReturnType<typeof httpConfigSchema.parse>> {
  return {
    id: 1,
    name: 'gateway',
    channel: 'unofficial',
    driver: 'http',
    config: httpConfigSchema.parse(config),
    messagesPerSecond: null,
    callbackSecret: 'hush',
  };
}

function send(
  connection: RouteConnection,
  to: string,
  text = 'hi',
  more: { mediaUrl?: string; notAfter?: number } = {},
): Promise<SendOutcome> {
  return connection.send({ ref: `7-${to}`, to, text, notAfter: performance.now() + 60_000, ...more });
}

afterAll(async () => outbound.onApplicationShutdown());

describe('HTTP driver and sandbox', () => {
  let sandbox: OpenSandbox;
  let connection: RouteConnection;
  const callbacks: unknown[] = [];
  let receiver: Server;
  let receiverUrl = '';

  beforeAll(async () => {
    sandbox = await openSandbox();
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        callbacks.push(JSON.parse(Buffer.concat(chunks).toString()));
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => receiver.once('listening', resolve));
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  });
  beforeEach(async () => {
    await sandbox.clear();
    callbacks.length = 0;
    connection = driver.open(gateway());
  });
  afterEach(async () => connection.close());
  afterAll(async () => {
    await sandbox.stop();
    receiver.close();
  });

  const gateway = (more: Record<string, unknown> = {}) =>
    routeOf({
      url: `${sandbox.url}/gateway/messages`,
      headers: { authorization: 'Bearer {{secrets.token}}' },
      secrets: { token: 'gateway-token' },
      body: { to: '{{to}}', text: '{{text}}', media_url: '{{media_url}}', ref: '{{ref}}', callback_url: receiverUrl },
      id_path: 'id',
      error_code_path: 'code',
      error_text_path: 'error',
      receipt: {
        id_path: 'id',
        status_path: 'status',
        error_code_path: 'error_code',
        error_text_path: 'error',
        receiver_path: 'to',
      },
      ...more,
    });

  it('brings text and attachment as they are', async () => {
    const text = 'quotes " \\ and {{to}}\nПривет 😀 €';
    const outcome = await send(connection, '4915100000001', text, { mediaUrl: 'https://files.example/a.jpg' });
    const { messages } = await sandbox.ledger();
    expect(messages).toMatchObject([
      { protocol: 'http', to: '4915100000001', text, ref: '7-4915100000001', mediaUrl: 'https://files.example/a.jpg' },
    ]);
    expect(outcome).toEqual({ kind: 'accepted', providerMessageIds: [messages[0]?.id] });
  });

  it('knows every fate', async () => {
    expect(await send(connection, '4915100000429')).toEqual({
      kind: 'retry',
      afterMs: 1_000,
      code: 429,
      text: 'Throttled by the gateway',
      throttled: true,
    });
    expect((await send(connection, '4915100000429')).kind).toBe('accepted');
    expect(await send(connection, '4915100000500')).toMatchObject({
      kind: 'retry',
      code: 22,
      text: 'Temporary error',
      throttled: false,
    });
    expect((await send(connection, '4915100000500')).kind).toBe('accepted');
    expect(await send(connection, '4915100000603')).toEqual({
      kind: 'rejected',
      code: 603,
      text: 'Message refused',
      submitted: true,
    });
    expect((await send(connection, '4915100000404')).kind).toBe('accepted');
    expect((await send(connection, '4915100000408')).kind).toBe('accepted');
    await vi.waitUntil(
      () => ['429', '500', '404'].every((fate) => JSON.stringify(callbacks).includes(`0000${fate}`)),
      PATIENCE,
    );
    const receipts = callbacks.flatMap(
      (body) => driver.parseCallback(gateway(), { method: 'POST', query: {}, headers: {}, body }).receipts,
    );
    expect(
      receipts.map(({ receiver, status, errorCode, errorText }) => ({ receiver, status, errorCode, errorText })),
    ).toEqual(
      expect.arrayContaining([
        { receiver: '4915100000429', status: 'delivered', errorCode: null, errorText: null },
        { receiver: '4915100000500', status: 'delivered', errorCode: null, errorText: null },
        { receiver: '4915100000404', status: 'failed', errorCode: 404, errorText: 'Unknown subscriber' },
      ]),
    );
  });

  it('calls what left and was not answered unknown, whether or not the gateway removes duplicates', async () => {
    const impatient = driver.open(gateway({ timeout_ms: 200 }));
    const careless = driver.open(gateway({ timeout_ms: 200, deduplicates: true }));
    await sandbox.faults({ stopAnswering: true });
    expect(await send(impatient, '4915100000001')).toEqual({ kind: 'unknown' });
    expect(await send(careless, '4915100000002')).toEqual({ kind: 'unknown' });
    await sandbox.faults({ stopAnswering: false, dropAfterSubmits: 1 });
    expect(await send(impatient, '4915100000003')).toEqual({ kind: 'unknown' });
    await impatient.close();
    await careless.close();
    expect((await sandbox.ledger()).total).toBe(3);
  });

  it('sends nothing after the lease has passed', async () => {
    expect(await send(connection, '4915100000001', 'hi', { notAfter: performance.now() - 1 })).toMatchObject({
      kind: 'unsent',
      afterMs: 0,
    });
    expect((await sandbox.ledger()).total).toBe(0);
  });

  it('stops sending to a gateway in trouble and finds it again', async () => {
    const nobody = driver.open(routeOf({ url: `http://127.0.0.1:${await freePort()}/`, body: '{{to}}' }));
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, index) => send(nobody, `49151${index + 10}`)));
    expect(outcomes.every((outcome) => outcome.kind === 'unsent')).toBe(true);
    expect(nobody.ready).toBe(false);
    expect(nobody.fault).toBe('Gateway is not reachable: connection refused');
    expect(await send(nobody, '4915110')).toMatchObject({ kind: 'unsent', text: nobody.fault });
    await vi.waitUntil(() => nobody.ready, { timeout: 60_000 });
    await nobody.close();
  });

  it('sends many at once with none lost', async () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => `49152${String(index).padStart(4, '0')}111`);
    const outcomes = await Promise.all(numbers.map((to) => send(connection, to)));
    expect(outcomes.every((outcome) => outcome.kind === 'accepted')).toBe(true);
    expect(new Set((await sandbox.ledger()).messages.map((message) => message.to)).size).toBe(1_000);
  });
});

describe('HTTP driver and what gateways answer', () => {
  let answer: (request: IncomingMessage, body: string, response: ServerResponse) => void = (
    _request,
    _body,
    response,
  ) => response.end('{}');
  let server: Server;
  let url = '';

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => answer(request, Buffer.concat(chunks).toString(), response));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const reply = (status: number, body = '{}', headers: Record<string, string> = {}) => {
    answer = (_request, _body, response) => response.writeHead(status, headers).end(body);
  };

  it.each<[number, string, Record<string, string>, Partial<SendOutcome>]>([
    [200, '{"data":{"items":[{"id":42}]}}', {}, { kind: 'accepted', providerMessageIds: ['42'] }],
    [200, '{"data":{}}', {}, { kind: 'unknown' }],
    [200, 'not JSON', {}, { kind: 'unknown' }],
    [400, '{}', {}, { kind: 'rejected', code: 400, text: 'Gateway answered 400', submitted: true }],
    [302, '', { location: 'https://elsewhere.example/' }, { kind: 'rejected', code: 302 }],
    [408, '', {}, { kind: 'retry', throttled: false }],
    [429, '', { 'retry-after': '7' }, { kind: 'retry', afterMs: 7_000, throttled: true }],
    [503, '', { 'retry-after': '2' }, { kind: 'retry', afterMs: 2_000, throttled: true }],
    [503, '', {}, { kind: 'retry', throttled: false }],
    [502, '', {}, { kind: 'unknown' }],
    [504, '', {}, { kind: 'unknown' }],
    [520, '', {}, { kind: 'unknown' }],
    [521, '', {}, { kind: 'unsent', text: 'Gateway answered 521' }],
    [522, '', {}, { kind: 'unknown' }],
    [524, '{"data":{"items":[]}}', {}, { kind: 'unknown' }],
    [599, '', {}, { kind: 'unknown' }],
  ])('%i %s', async (status, body, headers, outcome) => {
    reply(status, body, headers);
    const connection = driver.open(routeOf({ url, body: { to: '{{to}}' }, id_path: 'data.items[0].id' }));
    expect(await send(connection, '4915100000001')).toMatchObject(outcome);
    await connection.close();
  });

  const CODE = { error_code_path: 'error.code', error_text_path: 'error.text' };
  const PLAIN = {
    accepted_pattern: '^OK: *(?P<id>[a-z0-9-]+)',
    refused_pattern: '^(?:ERR|NAK)[: ]+(?P<code>[A-Z0-9]+)',
  };
  const ERROR = { error_code_path: 'error' };
  const ID = { id_path: 'id' };
  const NUMBERED = {
    accepted_pattern: '^1701\\|[0-9]+:(?P<id>[0-9a-f-]+)',
    refused_pattern: '^(?P<code>17(?:0[2-9]|[1-9][0-9])|1025)',
  };
  const refused = (code: number | null, more: object = {}) => ({
    ...{ kind: 'rejected', code, submitted: true, text: 'Refused by the gateway' },
    ...more,
  });
  const taken = (id: string) => ({ kind: 'accepted', providerMessageIds: [id] });
  const OURS = taken('7-4915100000001');

  it.each<[string, Record<string, unknown>, string, object]>([
    ['its code is first, before an id', { ...CODE, id_path: 'id' }, '{"id":"5","error":{"code":17}}', refused(17)],
    ['with its text', CODE, '{"error":{"code":17,"text":"blocked"}}', refused(17, { text: 'blocked' })],
    ['a code as text is kept', CODE, '{"error":{"code":"EC001"}}', refused(null, { carrierCode: 'EC001' })],
    ['zero is success', { ...CODE, id_path: 'id' }, '{"id":"5","error":{"code":"000"}}', taken('5')],
    ['so is the HTTP status', { ...CODE, id_path: 'id' }, '{"id":"5","error":{"code":200}}', taken('5')],
    ['or a code that the route names', { ...CODE, accepted_codes: [1701] }, '{"error":{"code":"1701"}}', OURS],
    ['and then no other', { ...CODE, accepted_codes: [1701] }, '{"error":{"code":0}}', refused(0)],
    ['in XML too', { error_code_path: 'answer.code' }, '<answer><code>12</code></answer>', refused(12)],
    ['an id in XML', { id_path: 'answer.id' }, '<answer id="a-7"><code>0</code></answer>', taken('a-7')],
    ['plain text, taken', PLAIN, 'OK: 8c-1', taken('8c-1')],
    ['plain text, refused', PLAIN, 'ERR: 105', refused(105)],
    ['plain text, refused with letters', PLAIN, 'nak EC001', refused(null, { carrierCode: 'EC001' })],
    ['plain text of neither pattern, a fault', PLAIN, 'Invalid password', refused(null)],
    ['plain text of neither pattern', PLAIN, 'hello', { kind: 'unknown' }],
    ['a refusal wins over an id', { ...PLAIN, id_path: 'id' }, 'ERR 7 id=5', refused(7)],
    ['a pattern that would backtrack for ever', { refused_pattern: '^(a+)+$' }, 'a'.repeat(60_000), refused(null)],
    [
      'no id where one is promised, and a fault',
      { id_path: 'id' },
      '{"success":false,"code":"E7"}',
      refused(null, { carrierCode: 'E7' }),
    ],
    ['no id where one is promised', { id_path: 'id' }, '{"success":true}', { kind: 'unknown' }],
    ['nothing at the path of the code', { ...ERROR, ...ID }, '{"error":null,"id":"a1"}', taken('a1')],
    ['zero there', { ...ERROR, ...ID }, '{"error":0,"id":"a1"}', taken('a1')],
    ['zero there as a text', { ...ERROR, ...ID }, '{"error":" 0 ","id":"a1"}', taken('a1')],
    ['an empty list there', { ...ERROR, ...ID }, '{"error":[],"id":"a1"}', taken('a1')],
    ['an object of success there', { ...ERROR, ...ID }, '{"error":{"code":0,"text":"fine"},"id":"a1"}', taken('a1')],
    ['an object there', { ...ERROR, ...ID }, '{"error":{"code":5,"message":"no"},"id":"a1"}', refused(5)],
    ['an object without a code there', { ...ERROR, ...ID }, '{"error":{"message":"blocked"},"id":"a1"}', refused(null)],
    ['a list there', { ...ERROR, ...ID }, '{"error":[{"code":"E7"}],"id":"a1"}', refused(null, { carrierCode: 'E7' })],
    ['a list of words there', { ...ERROR, ...ID }, '{"error":["blocked"],"id":"a1"}', refused(null)],
    ['a fault beside an id', ID, '{"id":"a1","status":"rejected","error_code":5}', refused(5)],
    ['no success beside an id', ID, '{"id":"a1","success":false}', refused(null)],
    ['a fault and a success beside an id', ID, '{"id":"a1","status":"queued","error":"low balance"}', taken('a1')],
    ['a code that is named, beside such a fault', { ...CODE, ...ID }, '{"id":"a1","error":{"code":0},"success":false}', taken('a1')], // prettier-ignore
    ['a text beside an id', ID, '{"id":"a1","message":"your wallet has insufficient funds soon"}', taken('a1')],
    ['a word in place of an id, and a fault', ID, '{"id":"None","status":"InvalidPhoneNumber"}', refused(null)],
    ['zero in place of an id, and a fault', ID, '{"id":0,"error":5}', refused(5)],
    ['zero in place of an id', ID, '{"id":0}', { kind: 'unknown' }],
    ['a negative number in place of an id', ID, '{"id":-1}', { kind: 'unknown' }],
    ['null as a text in place of an id', ID, '{"id":"null"}', { kind: 'unknown' }],
    ['true in place of an id', ID, '{"id":true}', { kind: 'unknown' }],
    ['an id of many digits', ID, '{"id":12345678901234567890}', taken('12345678901234567890')],
    ['an id beyond 2^53', ID, '{"id":9007199254740993}', taken('9007199254740993')],
    ['an id with blanks', ID, '{"id":" a1 "}', taken('a1')],
    ['an id behind a byte order mark', ID, '\uFEFF{"id":"a1"}', taken('a1')],
    ['the first of several', { id_path: 'messages[0].id' }, '{"messages":[{"id":"a1"},{"id":"b2"}]}', taken('a1')],
    ['in a list', { id_path: '0.id', error_code_path: '0.error' }, '[{"id":"a1","error":7}]', refused(7)],
    ['not one JSON text', ID, '{"id":"a1"}{"id":"b2"}', { kind: 'unknown' }],
    ['empty', {}, '', OURS],
    ['empty where an id is promised', ID, '', { kind: 'unknown' }],
    ['a page of a login', {}, '<!doctype html><title>Login</title><form></form>', { kind: 'unknown' }],
    ['a page of a proxy', ERROR, '<html><body><h1>It works!</h1></body></html>', { kind: 'unknown' }],
    ['a page that says it', {}, '<html><body>OK: 12345</body></html>', OURS],
    ['a number of success', NUMBERED, '1701|919812345678:bc5f7425-c98c', taken('bc5f7425-c98c')],
    ['a number of refusal', NUMBERED, '1702', refused(1702)],
    ['an answer that says it', {}, '{"status":"error","error_code":102}', refused(102)],
    ['an answer that says nothing against it', {}, '{"status":"queued"}', OURS],
    ['an answer that repeats the text', {}, '{"status":"queued","message":"error: denied"}', OURS],
  ])('200: %s', async (_, config, body, outcome) => {
    reply(200, body, { 'content-type': 'text/html' });
    const connection = driver.open(routeOf({ url, body: { to: '{{to}}' }, ...config }));
    expect(await send(connection, '4915100000001', 'error: denied')).toMatchObject(outcome);
    await connection.close();
  });

  it.each(['(a', '(?=a)', '(a)\\1', 'a{2000}', ''])('takes no pattern %s', (pattern) => {
    for (const name of ['accepted_pattern', 'refused_pattern'])
      expect(httpConfigSchema.safeParse({ url: 'http://a.example/', [name]: pattern }).success).toBe(false);
  });

  it('publishes no secret that a gateway quotes', async () => {
    reply(401, '{"error":"unknown token gateway-token"}');
    const connection = driver.open(
      routeOf({
        url,
        headers: { 'x-key': '{{secrets.key}}' },
        secrets: { key: 'gateway-token' },
        body: {},
        error_text_path: 'error',
      }),
    );
    expect(await send(connection, '4915100000001')).toMatchObject({ kind: 'rejected', text: 'unknown token ***' });
    await connection.close();
  });

  it('describes a route in faults without quoting its gateway', async () => {
    for (const [status, fault] of [
      [503, 'Gateway answers with faults'],
      [521, 'Gateway answered 521'],
    ] as const) {
      reply(status, '{"error":"inside-words"}');
      const config = { url, body: {}, error_text_path: 'error' };
      const connection = driver.open(routeOf(config));
      await Promise.all(Array.from({ length: 20 }, () => send(connection, '4915100000001')));
      expect(connection.fault).toBe(fault);
      await connection.close();
    }
  });

  it('fills URL, form and JSON text', async () => {
    const seen: { url: string | undefined; type: string | undefined; body: string }[] = [];
    answer = (request, body, response) => {
      seen.push({ url: request.url, type: request.headers['content-type'], body });
      response.end('{}');
    };
    const text = 'a&b=c "q" ж';
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const config of [
      { url: `${url}/send?to={{to}}&text={{text}}`, method: 'GET' },
      { url, headers: form, body: { to: '{{to}}', text: '{{text}}', media: '{{media_url}}' } },
      { url, headers: form, body: 'to={{to}}&text={{text}}' },
      { url, body: '{"to": {{to}}, "text": "{{text}}", "media": {{media_url}}}' },
    ]) {
      const connection = driver.open(routeOf(config));
      expect(await send(connection, '4915100000001', text)).toEqual({
        kind: 'accepted',
        providerMessageIds: ['7-4915100000001'],
      });
      await connection.close();
    }
    const [inUrl, asForm, asFormText, asJsonText] = seen;
    expect(new URL(inUrl?.url ?? '', url).searchParams.get('text')).toBe(text);
    for (const sent of [asForm, asFormText]) {
      expect([...new URLSearchParams(sent?.body)]).toEqual([
        ['to', '4915100000001'],
        ['text', text],
      ]);
    }
    expect(asJsonText?.type).toBe('application/json');
    expect(JSON.parse(asJsonText?.body ?? '')).toEqual({ to: '4915100000001', text, media: null });
  });
});
