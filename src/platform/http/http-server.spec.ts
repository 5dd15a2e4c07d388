import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type Request, type Response } from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExpressServer } from './http-server.js';

describe('Express on a server of its own requests and answers', () => {
  let adapter: ExpressServer;
  let app: Express;
  let server: Server;
  let url: string;

  beforeEach(async () => {
    adapter = new ExpressServer();
    adapter.initHttpServer({});
    app = adapter.getInstance<Express>();
    server = adapter.getHttpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => server.close());

  it('makes them as Express wants them, so that it changes none', async () => {
    const before: unknown[] = [];
    const after: unknown[] = [];
    const prototypes = (request: object, response: object): unknown[] =>
      [request, response].map((each) => Object.getPrototypeOf(each) as unknown);
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      before.push(...prototypes(request, response));
    });
    app.get('/', (request, response) => {
      after.push(...prototypes(request, response));
      response.end();
    });
    await fetch(url);
    expect(before).toEqual([app.request, app.response]);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });

  it('leaves them what Express and Node give them', async () => {
    app.use(express.json());
    app.post('/echo', (request: Request, response: Response) => {
      response.status(201).json({ body: request.body as unknown, ip: request.ip, isOurs: request.app === app });
    });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/echo?a=1`, { method: 'POST', headers, body: '{"list":[1,"two"]}' });
    expect([answer.status, await answer.json()]).toEqual([
      201,
      { body: { list: [1, 'two'] }, ip: '127.0.0.1', isOurs: true },
    ]);
  });

  it('takes a method that is put on the answers of the application', async () => {
    app.response.json = function json(this: Response): Response {
      return this.end('ours');
    };
    app.get('/', (_request, response) => void response.json({}));
    expect(await (await fetch(url)).text()).toBe('ours');
  });

  it('leaves applications that are mounted theirs', async () => {
    const mounted = express();
    mounted.get('/page', (request, response) => void response.json({ isTheirs: request.app === mounted }));
    app.use('/mounted', mounted);
    app.get('/after', (request, response) => void response.json({ isOurs: request.app === app }));
    expect(await (await fetch(`${url}/mounted/page`)).json()).toEqual({ isTheirs: true });
    expect(await (await fetch(`${url}/after`)).json()).toEqual({ isOurs: true });
  });

  it('has no options that it would not keep', () => {
    expect(() => new ExpressServer().initHttpServer({ httpsOptions: {} })).toThrow('not an option');
    expect(() => new ExpressServer().initHttpServer({ forceCloseConnections: true })).toThrow('not an option');
  });
});
