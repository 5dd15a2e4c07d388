import { connect, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { until } from '../support/processes.js';
import { sendRaw } from '../support/raw-request.js';
import { type Member, openApi, type Sms, smsOf } from '../support/sms.js';

const KB = 1024;
const MB = 1024 * KB;
const BROADCAST = '/webhook/api/addbroadcastgsm.php';
const UNOFFICIAL = '/webhook/api/addbroadcastUnofficial.php';
const LOGIN = '/v6/api/v1/auth/login';
const REPORT = '/webhook/api/getGSMreport.php';
const QUOTE = '/v6/api/campaigns/quote';
const FORM = 'application/x-www-form-urlencoded';
const BODY_LIMIT = 4 * MB;

let sms: Sms;
let member: Member;
let callback: string;
const open = new Set<Socket>();

beforeAll(async () => {
  sms = smsOf(await openApi({ TRUST_PROXY: '1', BODY_LIMIT, CELL_TOKEN: 'c'.repeat(32) }));
  member = await sms.join(1_000);
  const config = { url: 'http://127.0.0.1:9/messages', body: { to: '{{to}}', text: '{{text}}' }, id_path: 'id' };
  const draft = {
    name: 'main',
    channel: 'sms',
    driver: 'http',
    config,
    messagesPerSecond: null,
    isDefault: true,
  } as const;
  const { callbackSecret } = await sms.dataSource.transaction((tx) => sms.part(RouteDirectory).put(tx, draft));
  callback = `/provider/sms/main/${callbackSecret}`;
});
afterEach(() => {
  for (const socket of open) socket.destroy();
  open.clear();
});
afterAll(() => sms.stop());

/** A connection, all that has come over it, and whether the other side has ended it. */
function wire(): { socket: Socket; said: () => string; ended: () => boolean } {
  const socket = connect({ port: Number(new URL(sms.url).port), host: '127.0.0.1', allowHalfOpen: true });
  open.add(socket);
  let text = '';
  let isEnded = false;
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('end', () => (isEnded = true));
  socket.on('error', () => undefined);
  return { socket, said: () => text, ended: () => isEnded };
}

const headOf = (method: string, path: string, headers: Record<string, string | number>): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** What is answered to a head alone, whose body is announced and never comes. */
async function answerToHead(method: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  const { socket, said, ended } = wire();
  socket.write(headOf(method, path, { 'Content-Type': 'application/json', 'Content-Length': 3 * MB, ...headers }));
  await until('the connection to end', () => Promise.resolve(ended()));
  return said();
}

const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

async function post(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
  const response = await fetch(sms.url + path, init);
  const text = await response.text();
  const answer = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, answer };
}

describe('a request that its head refuses is answered before its body comes', () => {
  it.each<[string, string, string, () => Record<string, string>, number, string]>([
    ['an unknown path', 'POST', '/nowhere', () => ({}), 404, 'Not Found'],
    ['an unknown path of v5', 'POST', '/v5/api/nowhere.php', () => bearer(member.token), 404, 'Not Found'],
    ['a wrong method', 'PUT', BROADCAST, () => bearer(member.token), 405, 'Method not allowed'],
    ['a path without bodies', 'GET', '/health/live', () => ({}), 200, '"status":"ok"'],
    ['no token', 'POST', '/v6/api/webhooks', () => ({}), 401, 'Invalid Authorization token'],
    ['no token, large bodies', 'POST', QUOTE, () => ({}), 401, 'Invalid Authorization token'],
    [
      'no token, a file',
      'POST',
      '/v6/api/uploads',
      () => ({ 'Content-Type': 'text/csv' }),
      401,
      'Invalid Authorization',
    ],
    [
      'a bad token',
      'POST',
      '/webhook/api/createTemplates.php',
      () => bearer('a.b.c'),
      401,
      'Invalid Authorization token',
    ],
    ['a bad key', 'POST', '/v6/api/campaigns', () => ({ 'X-API-Key': 'sk_x' }), 401, 'Invalid Authorization token'],
    ['no token on v5', 'POST', '/v5/api/session.php', () => ({}), 401, '"textsent":"error"'],
    ['no token on chat', 'POST', '/v6/api/chat/24/bob/messages', () => ({}), 400, 'Invalid Authorization token'],
    [
      'a username of another',
      'POST',
      '/v6/api/chat/24/bob/messages',
      () => bearer(member.token),
      401,
      'Route username',
    ],
    ['no right', 'POST', '/v6/api/admin/accounts', () => bearer(member.token), 403, 'Forbidden'],
    ['a wrong secret', 'POST', '/provider/sms/main/wrong', () => ({}), 403, 'Forbidden'],
    ['no signature', 'POST', '/provider/chat/1', () => ({}), 403, 'Forbidden'],
    ['no token of the front', 'POST', '/cell/holdings', () => ({}), 401, 'Invalid Authorization token'],
    ['a length over the limit', 'POST', LOGIN, () => ({}), 413, 'Request body is too large'],
    ['compression', 'POST', BROADCAST, () => ({ 'Content-Encoding': 'br' }), 415, 'body_compressed'],
  ])('%s', async (_what, method, path, headers, status, text) => {
    const said = await answerToHead(method, path, headers());
    expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(said).toMatch(/\r\nConnection: close\r\n/i);
    expect(said).toContain(text);
  });

  it('and reaches a client that still sends', async () => {
    const { socket, said, ended } = wire();
    socket.write(headOf('POST', '/v6/api/webhooks', { 'Content-Length': 8 * MB }));
    for (let sent = 0; sent < 8; sent++) {
      await new Promise((resolve) => socket.write(Buffer.alloc(MB, 32), resolve));
    }
    await until('the answer', () => Promise.resolve(ended()));
    expect(said()).toMatch(/^HTTP\/1\.1 401 [\s\S]*Invalid Authorization token/);
    expect(socket.errored).toBeNull();
  });

  it('and what follows the body is no request', async () => {
    const { socket, said, ended } = wire();
    const rest = headOf('GET', '/health/live', {});
    socket.write(headOf('POST', '/nowhere', { 'Content-Length': MB }));
    await until('the answer', () => Promise.resolve(said() !== ''));
    socket.write(Buffer.concat([Buffer.alloc(MB, 32), Buffer.from(rest + rest)]));
    await until('the end', () => Promise.resolve(ended()));
    expect(said().match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('and keeps its connection where the whole of a small body has come', async () => {
    const { socket, said } = wire();
    const one = headOf('POST', '/nowhere', { 'Content-Length': 2 }) + '{}';
    socket.write(one);
    await until('the answer', () => Promise.resolve(/"code":"unknown_resource"/.test(said())));
    socket.write(one);
    await until('another', () => Promise.resolve(said().match(/HTTP\/1\.1 404/g)?.length === 2));
  });

  it('and is not invited to send one', async () => {
    const expecting = { Expect: '100-continue', 'Content-Length': 2, 'Content-Type': 'application/json' };
    const refused = wire();
    refused.socket.write(headOf('POST', '/v6/api/webhooks', expecting));
    await until('the refusal', () => Promise.resolve(refused.ended()));
    expect(refused.said()).toMatch(/^HTTP\/1\.1 401 /);
    const taken = wire();
    taken.socket.write(headOf('POST', QUOTE, { ...expecting, ...bearer(member.token) }));
    await until('the invitation', () => Promise.resolve(taken.said().startsWith('HTTP/1.1 100 Continue')));
    taken.socket.write('{}');
    await until('the answer', () => Promise.resolve(/HTTP\/1\.1 400 /.test(taken.said())));
  });
});

describe('bodies of callers who are not known', () => {
  const bomb = brotliCompressSync(Buffer.from(`[${'[],'.repeat(1_000_000)}[]]`));

  it.each([BROADCAST, UNOFFICIAL, LOGIN, '/v1/auth/register', REPORT])('are not inflated on %s', async (path) => {
    for (const [encoding, body] of [
      ['br', bomb],
      ['gzip', gzipSync('{}')],
    ] as const) {
      const { status, answer } = await post(path, body, { 'content-encoding': encoding });
      expect([status, answer['code'], answer['message']]).toEqual([
        415,
        'body_compressed',
        'Unsupported charset or encoding',
      ]);
      expect(answer['hint']).toMatch(/Content-Encoding/);
    }
  });

  it('are refused for the token rather than for the compression that it would permit', async () => {
    const { status, answer } = await post(BROADCAST, bomb, { 'content-encoding': 'br', authorization: 'Bearer a.b.c' });
    expect([status, answer['code']]).toEqual([401, 'invalid_token']);
  });

  it('have at most 64 KB, but for broadcasts', async () => {
    const body = (bytes: number): string => JSON.stringify({ username: 'nobody', pad: 'x'.repeat(bytes - 30) });
    expect((await post(LOGIN, body(65 * KB))).status).toBe(413);
    expect((await post(REPORT, body(65 * KB))).status).toBe(413);
    expect((await post(BROADCAST, body(1_000_000))).status).toBe(401);
    const chunked = wire();
    chunked.socket.write(headOf('POST', LOGIN, { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' }));
    chunked.socket.write(`11000\r\n${'x'.repeat(0x11000)}\r\n`);
    await until('the refusal', () => Promise.resolve(chunked.ended()));
    expect(chunked.said()).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('may come with a GET, and are bound alike', async () => {
    const headers = { 'content-type': 'application/json' };
    const get = async (body: string | Buffer, more: Record<string, string> = {}) => {
      const answer = await sendRaw(sms.url, { method: 'GET', path: REPORT, headers: { ...headers, ...more }, body });
      return [answer.status, (JSON.parse(answer.body) as Record<string, unknown>)['code']];
    };
    expect(await get(JSON.stringify({ pad: 'x'.repeat(64 * KB) }))).toEqual([413, 'body_too_large']);
    expect(await get(gzipSync('{}'), { 'content-encoding': 'gzip' })).toEqual([415, 'body_compressed']);
    expect(await get('{')).toEqual([400, 'malformed_json']);
  });

  it('cost time by their length: forms of one name a hundred thousand times, JSON of lists', async () => {
    const begun = performance.now();
    const form = await post(BROADCAST, 'a=1&'.repeat(99_999), { 'content-type': FORM });
    expect([form.status, form.answer['code']]).toEqual([401, 'token_missing']);
    expect((await post(BROADCAST, 'a=1&'.repeat(100_001), { 'content-type': FORM })).status).toBe(413);
    expect((await post(BROADCAST, `{"a":[${'[],'.repeat(100_000)}[]]}`)).status).toBe(413);
    // each of these numbers becomes an object when it is refused
    expect((await post(BROADCAST, `{"a":[${'9007199254740993,'.repeat(20_000)}1]}`)).status).toBe(413);
    // it took minutes while each value was put into a new list
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('are held within a share of their network, as they arrive', async () => {
    const share = 16 * MB;
    const { socket } = wire();
    const silent = Array.from({ length: 8 }, wire);
    const announced = { 'Content-Length': BODY_LIMIT, 'X-Forwarded-For': '198.51.100.1', 'Content-Type': FORM };
    // nothing of these has come, so they hold nothing
    for (const each of silent) each.socket.write(headOf('POST', BROADCAST, announced));
    const small = (ip: string) => post(BROADCAST, '{"username":"nobody"}', { 'x-forwarded-for': ip });
    expect((await small('198.51.100.1')).status).toBe(401);
    for (const each of [...silent.slice(0, 3), { socket }]) {
      if (each.socket === socket) each.socket.write(headOf('POST', BROADCAST, announced));
      each.socket.write(Buffer.alloc(BODY_LIMIT - 1, 97));
    }
    expect(4 * (BODY_LIMIT - 1)).toBeLessThan(share);
    const pad = JSON.stringify({ username: 'nobody', pad: 'x'.repeat(60 * KB) });
    await until('the share to be used up', async () => {
      const { status, headers } = await post(BROADCAST, pad, { 'x-forwarded-for': '198.51.100.1' });
      return status === 429 && headers.get('retry-after') === '1';
    });
    expect((await small('198.51.100.2')).status).toBe(401);
    expect((await post(QUOTE, '{}', { ...bearer(member.token), 'x-forwarded-for': '198.51.100.1' })).status).toBe(400);
    socket.destroy();
    await until('the share to be free', async () => {
      return (await post(BROADCAST, pad, { 'x-forwarded-for': '198.51.100.1' })).status === 401;
    });
  });
});

describe('bodies of known callers', () => {
  const known = (): Record<string, string> => bearer(member.token);

  it('are inflated within their limit', async () => {
    const text = JSON.stringify({ contacts: ['919812345678'], message: 'Hello', channel: 'sms' });
    for (const [encoding, body] of [
      ['br', brotliCompressSync(text)],
      ['gzip', gzipSync(text)],
    ] as const)
      expect((await post(QUOTE, body, { ...known(), 'content-encoding': encoding })).status).toBe(200);
    const large = gzipSync(Buffer.alloc(BODY_LIMIT + 1, 32));
    expect((await post('/v6/api/webhooks', large, { ...known(), 'content-encoding': 'gzip' })).status).toBe(413);
    const damaged = await post('/v6/api/webhooks', gzipSync(text).subarray(0, 20), {
      ...known(),
      'content-encoding': 'gzip',
    });
    expect([damaged.status, damaged.answer['code']]).toEqual([400, 'unreadable_body']);
    expect((await post('/v6/api/webhooks', 'x', { ...known(), 'content-encoding': 'zstd' })).status).toBe(415);
  });

  it.each([
    ['values', `[${'1,'.repeat(1_000_001)}1]`],
    ['objects and lists', `[${'[],'.repeat(500_001)}[]]`],
    ['a text', `{"a":"${'x'.repeat(MB + 1)}"}`],
    ['a name', `{"${'x'.repeat(MB + 1)}":1}`],
  ])('are looked through before they are parsed: too large by %s', async (_what, body) => {
    for (const path of ['/v6/api/webhooks', BROADCAST, QUOTE]) {
      const { status, answer } = await post(path, body, known());
      expect([path, status, answer['message']]).toEqual([path, 413, 'Request body is too large']);
    }
  });

  it('are not read where none is taken', async () => {
    const { status } = await post('/v6/api/campaigns/GSMCAMP_20260501_A1B2C3/pause', '{', known());
    expect(status).toBe(404);
  });

  it('may come from the front, with more ids than a stranger may name', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `GSMCAMP_${index}_${'x'.repeat(180)}`);
    const body = JSON.stringify({ request_ids: ids, api_keys: [], names: [] });
    expect(body.length).toBeGreaterThan(64 * KB);
    const authorization = `Bearer ${'c'.repeat(32)}`;
    expect((await post('/cell/holdings', body, { authorization })).status).toBe(200);
  });
});

describe('callbacks of carriers', () => {
  it('have at most 1 MB, and are not inflated', async () => {
    const body = (bytes: number): string => {
      const text = JSON.stringify({ id: 'x', status: 'delivered', pad: '' });
      return text.replace('""', `"${'x'.repeat(bytes - text.length)}"`);
    };
    expect((await post(callback, body(MB))).status).toBe(200);
    expect((await post(callback, body(MB + 1))).status).toBe(413);
    expect((await post(callback, gzipSync('{}'), { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await post(callback, '{')).answer['message']).toBe('Malformed JSON body');
  });
});
