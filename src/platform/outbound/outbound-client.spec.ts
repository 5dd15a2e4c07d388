import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { OutboundClient, OutboundError } from './index.js';

const opened: { close(): unknown }[] = [];
const clients: OutboundClient[] = [];

function client(allow = '', NODE_ENV: 'production' | 'test' = 'test'): OutboundClient {
  const made = new OutboundClient({ OUTBOUND_ALLOW: allow, NODE_ENV });
  clients.push(made);
  return made;
}

async function listen(accept: (socket: Socket) => void): Promise<number> {
  const server = createTcpServer(accept);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(server);
  return (server.address() as AddressInfo).port;
}

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({ close: () => (server.closeAllConnections(), server.close()) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});
afterAll(() => Promise.all(clients.map((made) => made.onApplicationShutdown())));

const faultOf = async (call: Promise<unknown>): Promise<{ fault: string; sent: boolean }> => {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OutboundError);
  const { fault, sent } = error as OutboundError;
  return { fault, sent };
};

const read = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
};

describe('user-supplied URLs', () => {
  let reached = 0;
  let port = '';

  it.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://0x7f000001:PORT/',
    'http://2130706433:PORT/',
    'http://127.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[0:0:0:0:0:ffff:7f00:1]:PORT/',
    'http://[::7f00:1]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://LOCALHOST:PORT/',
  ])('never reach %s', async (url) => {
    const base = await serve((_request, response) => {
      reached++;
      response.end('inside');
    });
    port = new URL(base).port;
    const { sent } = await faultOf(client().request({ url: url.replace('PORT', port) }));
    expect(sent).toBe(false);
    expect(reached).toBe(0);
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/', 'gopher://x/', 'javascript:1', '', 'nonsense', '//host/path'])(
    'must be http or https: %s',
    async (url) => {
      expect(await faultOf(client().request({ url }))).toEqual({ fault: 'refused', sent: false });
    },
  );

  it('reach what OUTBOUND_ALLOW opens', async () => {
    const url = await serve((_request, response) => response.end('ok'));
    const answer = await client('127.0.0.0/8').request({ url });
    expect([answer.status, answer.body.toString()]).toEqual([200, 'ok']);
  });

  it('give a redirect back unless redirects are allowed, and check each hop', async () => {
    const inside = await serve((_request, response) => response.end('inside'));
    const outside = await serve((request, response) => {
      const target = request.url === '/far' ? inside.replace('127.0.0.1', '10.255.255.1') : inside;
      response.writeHead(302, { Location: request.url === '/loop' ? '/loop' : target }).end();
    });
    const guarded = client('127.0.0.0/8');
    expect((await guarded.request({ url: outside })).status).toBe(302);
    expect((await guarded.request({ url: outside, maxRedirects: 3 })).body.toString()).toBe('inside');
    expect(await faultOf(guarded.request({ url: `${outside}/far`, maxRedirects: 3 }))).toMatchObject({
      fault: 'refused',
    });
    expect(await faultOf(guarded.request({ url: `${outside}/loop`, maxRedirects: 3 }))).toMatchObject({
      fault: 'redirect',
    });
  });

  it('do not take headers along to another origin', async () => {
    const seen: (string | undefined)[] = [];
    const second = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    const first = await serve((_request, response) => response.writeHead(302, { Location: second }).end());
    const headers = { authorization: 'Bearer secret' };
    await client('127.0.0.0/8').request({ url: first, headers, maxRedirects: 1 });
    expect(seen).toEqual([undefined]);
  });
});

describe('requests', () => {
  it('carry method, headers and body, and bring status, headers and body back', async () => {
    const url = await serve((request, response) => {
      void read(request).then((text) => {
        response.writeHead(202, { 'X-Answer': 'yes' });
        response.end(`${request.method} ${request.url} ${String(request.headers['x-key'])} ${text}`);
      });
    });
    const answer = await client().request({
      url: `${url}/a?b=c`,
      method: 'POST',
      headers: { 'x-key': 'k' },
      body: '{"a":"ü"}',
      trusted: true,
    });
    expect(answer.status).toBe(202);
    expect(answer.headers['x-answer']).toBe('yes');
    expect(answer.body.toString()).toBe('POST /a?b=c k {"a":"ü"}');
  });

  it('end at the time limit, before or in the middle of the answer, and say that they left', async () => {
    const silent = await serve(() => undefined);
    const slow = await serve((_request, response) => response.writeHead(200).write('begin'));
    for (const url of [silent, slow]) {
      expect(await faultOf(client().request({ url, trusted: true, timeoutMs: 150 }))).toEqual({
        fault: 'timeout',
        sent: true,
      });
    }
  });

  it('end at the size limit', async () => {
    const url = await serve((_request, response) => response.end(Buffer.alloc(5_000)));
    expect((await client().request({ url, trusted: true, maxBytes: 5_000 })).body).toHaveLength(5_000);
    expect(await faultOf(client().request({ url, trusted: true, maxBytes: 4_999 }))).toEqual({
      fault: 'too_large',
      sent: true,
    });
  });

  it('say for certain that nothing left when no connection came about', async () => {
    const url = await serve(() => undefined);
    opened.pop()?.close();
    expect(await faultOf(client().request({ url, trusted: true }))).toEqual({ fault: 'unreachable', sent: false });
    const nowhere = 'http://does-not-exist.invalid/';
    expect(await faultOf(client().request({ url: nowhere, trusted: true }))).toEqual({
      fault: 'unreachable',
      sent: false,
    });
  });

  it.each([
    ['what is no TLS', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a connection closed before TLS stands', (socket: Socket) => socket.destroy()],
  ])('say for certain that nothing left when TLS fails: %s', async (_what, behave) => {
    const port = await listen((socket) => socket.once('data', () => behave(socket)));
    const call = client().request({ url: `https://127.0.0.1:${port}/`, method: 'POST', body: 'x', trusted: true });
    expect(await faultOf(call)).toEqual({ fault: 'unreachable', sent: false });
  });

  it('leave once, over a new connection, when the kept one was reset before we wrote', async () => {
    const kept: Socket[] = [];
    const requests: string[] = [];
    const port = await listen((socket) => {
      kept.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => {
        requests.push(bytes.toString());
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    const made = client();
    const call = () =>
      made.request({ url: `http://127.0.0.1:${port}/`, method: 'POST', body: 'message', trusted: true });
    await call();
    // Reset and asked for in one turn of the event loop: our side has not seen the reset yet.
    kept[0]?.resetAndDestroy();
    expect((await call()).body.toString()).toBe('ok');
    expect(requests).toHaveLength(2);
    expect(kept).toHaveLength(2);
  });

  it('leave over a new connection when the kept one was closed', async () => {
    let requests = 0;
    const closed: Promise<unknown>[] = [];
    const port = await listen((socket) => {
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
      socket.on('data', () => {
        requests += 1;
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    const made = client();
    for (let time = 1; time <= 3; time++) {
      const url = `http://127.0.0.1:${port}/`;
      expect((await made.request({ url, method: 'POST', body: 'x', trusted: true })).status).toBe(200);
      await closed[time - 1];
    }
    expect(requests).toBe(3);
  });

  it('say that they may have arrived when the answer is cut short', async () => {
    const port = await listen((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"id":'));
    });
    const call = client().request({ url: `http://127.0.0.1:${port}/`, method: 'POST', body: 'x', trusted: true });
    expect(await faultOf(call)).toEqual({ fault: 'interrupted', sent: true });
  });

  it('say that they may have arrived when the connection breaks', async () => {
    const server = createTcpServer((socket: Socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push(server);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const call = client().request({ url, method: 'POST', body: 'x', trusted: true });
    expect(await faultOf(call)).toEqual({ fault: 'interrupted', sent: true });
  });

  it('do not leave after their time when they waited for a connection', async () => {
    let arrived = 0;
    const url = await serve(() => void arrived++);
    const guarded = client('127.0.0.0/8');
    const holding = Array.from({ length: 16 }, () => faultOf(guarded.request({ url, timeoutMs: 600 })));
    const late = faultOf(guarded.request({ url, timeoutMs: 100 }));
    expect(await late).toEqual({ fault: 'timeout', sent: false });
    await Promise.all(holding);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(arrived).toBe(16);
  });

  it('send the login of the URL as a header', async () => {
    const url = await serve((request, response) => response.end(request.headers.authorization));
    const withLogin = url.replace('http://', 'http://bob:s%20cret@');
    const answer = await client().request({ url: withLogin, trusted: true });
    expect(answer.body.toString()).toBe(`Basic ${Buffer.from('bob:s cret').toString('base64')}`);
  });

  it('go without TLS, in production and where it is due outside, only to networks that are opened', async () => {
    const url = await serve((_request, response) => response.end('heard'));
    const inside = url.replace('127.0.0.1', 'localhost');
    const call = (allow: string, called: string): Promise<unknown> =>
      client(allow, 'production').request({ url: called, tlsOutside: true, timeoutMs: 2_000 });
    expect(await call('127.0.0.0/8', inside)).toMatchObject({ status: 200 });
    expect(await faultOf(call('10.0.0.0/8', 'http://93.184.216.34/'))).toEqual({ fault: 'unencrypted', sent: false });
    expect(client('10.0.0.0/8').takesPlain('http://93.184.216.34/')).toBe(true); // not in production
  });
});
