import { createServer, type IncomingMessage, request as send, type Server, type ServerResponse } from 'node:http';
import {
  connect,
  createServer as createNetServer,
  type AddressInfo,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiKeyDigest } from '../../src/modules/accounts/index.js';
import { FrontModule, FrontRequests } from '../../src/modules/cells/index.js';
import { readFrontEnvironment } from '../../src/platform/config/index.js';
import { createHttpServer } from '../../src/platform/http/index.js';
import { CELL_TOKEN } from '../support/cells.js';
import { until } from '../support/processes.js';

const MB = 1024 * 1024;
const LOGIN = '/v1/auth/login';
const REPORT = '/webhook/api/getGSMreport.php';
const SMS = '/webhook/api/addbroadcastgsm.php';

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
const listening = (server: NetServer): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()));

/** A front as it is, of these cells and this directory. */
async function startFront(settings: NodeJS.ProcessEnv): Promise<{ app: INestApplicationContext; front: Server }> {
  const environment = readFrontEnvironment({ NODE_ENV: 'test', CELL_TOKEN, LOG_LEVEL: 'silent', ...settings });
  const app = await NestFactory.createApplicationContext(FrontModule.of(environment), { logger: false });
  const requests = app.get(FrontRequests);
  const front = createHttpServer((request, response) => void requests.handle(request, response));
  await listening(front);
  return { app, front };
}

/** What comes to the cells is recorded by servers in their place; the front is whole, its directory away. */
describe('what a front lets through', () => {
  const arrived: IncomingMessage[] = [];
  let answerWith: (request: IncomingMessage, response: ServerResponse) => void;
  let cell: Server;
  let front: Server;
  let app: INestApplicationContext;
  let secure: ReturnType<typeof createTlsServer>;
  const named: string[] = [];
  const open: Socket[] = [];
  const hanging: Socket[] = [];
  const silent = createNetServer((socket) => hanging.push(socket.on('error', () => undefined).resume()));

  beforeAll(async () => {
    cell = createServer((request, response) => {
      arrived.push(request);
      answerWith(request, response);
    });
    secure = createTlsServer({
      SNICallback: (name, done) => {
        named.push(name);
        done(new Error('no certificate'));
      },
    });
    secure.on('tlsClientError', () => undefined);
    await Promise.all([listening(cell), listening(secure), listening(silent)]);
    ({ app, front } = await startFront({
      CELLS: `a=http://127.0.0.1:${portOf(cell)},b=https://localhost:${portOf(secure)},c=http://127.0.0.1:${portOf(silent)}`,
      DIRECTORY_URL: 'mysql://nobody:none@127.0.0.1:1/nothing',
      TRUST_PROXY: 'true',
      BODY_LIMIT: '8mb',
    }));
  });
  afterAll(async () => {
    for (const socket of [...open, ...hanging]) socket.destroy();
    for (const server of [front, cell]) server.closeAllConnections();
    await Promise.all([front, cell, secure, silent].map((server) => new Promise((resolve) => server.close(resolve))));
    await app.close();
  });
  beforeEach(() => {
    arrived.length = 0;
    answerWith = (request, response) => {
      request.resume();
      response.end(request.url === '/cell/holdings' ? '{"data":{"request_ids":[],"api_keys":[],"names":[]}}' : 'ok');
    };
  });

  /** Bytes as they are, and all that comes back until `end` is seen or the connection is closed. */
  const raw = (bytes: string | Buffer, end: RegExp): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(portOf(front), '127.0.0.1');
      open.push(socket);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (end.test(text)) resolve(text);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
      socket.write(bytes);
    });
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${portOf(front)}${path}`, init);
  const metric = async (line: RegExp): Promise<boolean> => line.test(await (await call('/metrics')).text());
  const toCell = (): string[] => arrived.map(({ url = '' }) => url).filter((url) => url !== '/cell/holdings');

  it('answers a body over the limit that tells no length', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const head = `POST ${LOGIN} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await raw(head + chunk + chunk, /\}$/)).toMatch(/^HTTP\/1\.1 413 [\s\S]*Request body is too large/);
    expect(toCell()).toEqual([]);
  });

  it('leads nobody to what it asks the cells itself', async () => {
    for (const [path, headers] of [
      ['/c/a/cell/holdings', {}],
      ['/C/a/CELL/holdings/', {}],
      ['/cell/holdings', { 'x-cell': 'a' }],
      ['/cell/holdings', {}],
    ] as const) {
      const { status } = await call(path, { method: 'POST', body: '{}', headers });
      expect(status, path).toBe(404);
    }
    expect(arrived).toEqual([]);
  });

  it('takes no cell for unreachable because of what a client sends', async () => {
    const twice = 'GET /x HTTP/1.1\r\nHost: first\r\nHost: second\r\nX-Cell: a\r\nConnection: close\r\n\r\n';
    expect(await raw(twice, /ok$/)).toMatch(/^HTTP\/1\.1 200 /);
    expect(arrived[0]?.headers.host).toBe('first');
    expect(await (await call('/health/ready')).json()).toMatchObject({ details: { a: { status: 'up' } } });
  });

  it('says itself from where a request comes', async () => {
    const headers = {
      ...{ 'x-cell': 'a', 'x-forwarded-for': '198.51.100.1, 203.0.113.9', 'x-forwarded-proto': 'gopher' },
      ...{ 'x-forwarded-host': 'evil.example', forwarded: 'for=192.0.2.1', te: 'trailers', 'x-kept': 'yes' },
    };
    await call('/x', { headers });
    const { 'x-forwarded-for': address, 'x-forwarded-host': host, forwarded, te } = arrived[0]?.headers ?? {};
    expect({ address, host, forwarded, te, kept: arrived[0]?.headers['x-kept'] }).toEqual({
      address: '198.51.100.1',
      kept: 'yes',
    });
    expect(arrived[0]?.headers['x-cell']).toBeUndefined();
  });

  it('checks a cell’s certificate by the cell’s name', async () => {
    const answer = await new Promise<IncomingMessage>((resolve) => {
      const headers = { 'x-cell': 'b', host: 'evil.example' };
      send({ port: portOf(front), host: '127.0.0.1', path: '/x', headers }, resolve).end();
    });
    expect(answer.statusCode).toBe(503);
    answer.resume();
    expect(new Set(named)).toEqual(new Set(['localhost']));
  });

  it('waits for no silent cell where another has said that it has the key', async () => {
    const key = `sk_${'a'.repeat(43)}`;
    const data = { request_ids: [], api_keys: [apiKeyDigest(key)], names: [] };
    answerWith = (request, response) =>
      response.end(request.url === '/cell/holdings' ? JSON.stringify({ data }) : 'ok');
    const answer = await call('/v6/api/account/credits', { headers: { 'x-api-key': key } });
    expect([answer.status, toCell()]).toEqual([200, ['/v6/api/account/credits']]);
    await until('the silent one to be asked', () => Promise.resolve(hanging.length === 1));
    expect(hanging[0]?.destroyed || hanging[0]?.readableEnded).toBe(false); // it is given up after two seconds only
  });

  it('sends nothing twice: a cell that breaks off may have done it', async () => {
    answerWith = (request) => request.socket.destroy();
    const { status } = await call(LOGIN, { method: 'POST', body: '{"x":1}', headers: { 'x-cell': 'a' } });
    expect([status, toCell()]).toEqual([502, [LOGIN]]);
  });

  it('ends a cell’s work for a client that has gone', async () => {
    let ended = false;
    answerWith = (_request, response) => response.on('close', () => (ended = true));
    const gone = new AbortController();
    const asked = call('/x', { headers: { 'x-cell': 'a' }, signal: gone.signal }).catch(() => null);
    await until('the request to arrive', () => Promise.resolve(toCell().length === 1));
    gone.abort();
    await asked;
    await until('the cell to see it', () => Promise.resolve(ended));
    await until('nothing to be under way', () => metric(/front_requests_under_way\{cell="a"\} 0/));
  });

  it('counts only what is not answered yet: a stream of events keeps no place', async () => {
    answerWith = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': \n\n');
    const gone = new AbortController();
    const { status } = await call('/x', { headers: { 'x-cell': 'a' }, signal: gone.signal });
    expect(status).toBe(200);
    expect(await metric(/front_requests_under_way\{cell="a"\} 0/)).toBe(true);
    gone.abort();
  });

  it('holds so many bytes of one network, and goes on for others', async () => {
    const slow = [1, 2].map(() => connect(portOf(front), '127.0.0.1'));
    open.push(...slow);
    for (const each of slow) {
      each.write(
        `POST ${SMS} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 2001:db8::1\r\nContent-Length: ${8 * MB}\r\n\r\n`,
      );
      each.write(Buffer.alloc(8 * MB - 1, 32));
    }
    const body = Buffer.alloc(MB / 8, 32);
    const post = async (ip: string): Promise<number> => {
      const headers = { 'x-forwarded-for': ip, 'content-type': 'application/json' };
      return (await call(SMS, { method: 'POST', body, headers })).status;
    };
    await until('the network to be refused', async () => (await post('2001:db8::2')) === 429);
    expect(await post('2001:db8:1::1')).toBe(200);
    for (const each of slow) each.destroy();
    await until('the network to be served', async () => (await post('2001:db8::2')) === 200);
  });

  it('inflates nothing: a cell may, for a caller who is in the head', async () => {
    const body = gzipSync(JSON.stringify({ username: 'bob' }));
    const post = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
      call(path, { method: 'POST', body, headers: { 'content-encoding': 'gzip', ...headers } });
    for (const path of [SMS, LOGIN, REPORT]) {
      const refused = await post(path);
      expect([path, refused.status]).toEqual([path, 415]);
      expect(await refused.json()).toMatchObject({
        code: 'body_compressed',
        hint: expect.stringContaining('Content-Encoding') as unknown,
      });
    }
    expect(toCell()).toEqual([]);
    expect((await post(SMS, { authorization: 'Bearer x.y.z' })).status).toBe(415);
    const key = `sk_${'b'.repeat(43)}`;
    const data = { request_ids: [], api_keys: [apiKeyDigest(key)], names: [] };
    answerWith = (request, response) => {
      request.resume();
      response.end(request.url === '/cell/holdings' ? JSON.stringify({ data }) : 'ok');
    };
    expect((await post(SMS, { 'x-api-key': key })).status).toBe(200);
    expect(arrived.at(-1)?.headers['content-encoding']).toBe('gzip');
  });

  it('says which methods its own pages have', async () => {
    const refused = await call('/health/live', { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(((await refused.json()) as { message: string }).message).toBe('Method not allowed');
  });
});

it('asks the cells while its directory says nothing', async () => {
  const heard: Socket[] = [];
  const mute = createNetServer((socket) => heard.push(socket.on('error', () => undefined).resume()));
  const bob = { kind: 'username', value: 'bob' };
  const cells = ['a', 'b'].map((letter) =>
    createServer((request, response) => {
      request.resume();
      const data = { request_ids: [], api_keys: [], names: letter === 'b' ? [bob] : [] };
      response.end(request.url === '/cell/holdings' ? JSON.stringify({ data }) : letter);
    }),
  );
  await Promise.all([mute, ...cells].map(listening));
  const { app, front } = await startFront({
    CELLS: cells.map((cell, index) => `${'ab'[index]}=http://127.0.0.1:${portOf(cell)}`).join(','),
    DIRECTORY_URL: `mysql://nobody:none@127.0.0.1:${portOf(mute)}/nothing`,
  });
  try {
    const payload = Buffer.from(JSON.stringify({ data: { username: 'bob' } })).toString('base64url');
    const headers = { authorization: `Bearer x.${payload}.x` };
    const answer = await fetch(`http://127.0.0.1:${portOf(front)}/v6/api/account/credits`, { headers });
    expect([answer.status, await answer.text()]).toEqual([200, 'b']);
    // it was asked, and is not given up yet
    expect(heard.map((socket) => socket.destroyed || socket.readableEnded)).toEqual([false]);
  } finally {
    for (const socket of heard) socket.destroy();
    for (const server of [front, ...cells]) server.closeAllConnections();
    for (const server of [front, mute, ...cells]) server.close();
    await app.close();
  }
});
