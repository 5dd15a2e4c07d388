import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exchangeWith } from '../../src/modules/providers/drivers/meta-cloud/graph-exchange.js';
import { metaCloudConfigSchema } from '../../src/modules/providers/drivers/meta-cloud/config.js';
import { MetaCloudDriver } from '../../src/modules/providers/drivers/meta-cloud/meta-cloud.driver.js';
import { MetaCloudClient, type RouteConnection, type SendOutcome } from '../../src/modules/providers/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';

const SILENT = { kind: 'upstream', message: 'Provider did not answer' };
/** Faults in a row after which an account's circuit opens, and how long it stays so. */
const FAULTS = 20;
const OPEN_MS = 2_000;

const TOKEN = 'token-of-the-account';
const MESSAGE = { to: '4915100000001', payload: { type: 'text', text: { body: 'Hello' } } };

type Manner = 'takes' | 'cuts' | 'waits' | 'refuses' | 'redirects' | 'fails';

/** An upstream whose numbers behave each in a manner of its own. */
class Upstream {
  readonly hits = new Map<string, number>();
  readonly authorizations: (string | undefined)[] = [];
  readonly manners = new Map<string, Manner>();
  elsewhere = '';
  sockets = 0;
  mostAtOnce = 0;
  private atOnce = 0;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const [, , number = ''] = (request.url ?? '').split('/');
      this.hits.set(number, this.hitsOf(number) + 1);
      this.authorizations.push(request.headers.authorization);
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
      response.on('close', () => (this.atOnce -= 1));
      request.resume().on('end', () => {
        const json = { 'content-type': 'application/json' };
        switch (this.manners.get(number) ?? 'takes') {
          case 'takes': {
            const body = `{"messages":[{"id":"wamid.${this.authorizations.length}"}]}`;
            return setTimeout(() => response.writeHead(200, json).end(body), 1);
          }
          case 'cuts':
            return request.socket.destroy();
          case 'waits':
            return undefined;
          case 'refuses':
            return response.writeHead(400, json).end('{"error":{"message":"no","code":131047}}');
          case 'fails':
            return response.writeHead(503, json).end('{"error":{"message":"down","code":2}}');
          case 'redirects':
            return response.writeHead(307, { location: this.elsewhere }).end();
        }
      });
    });
    this.server.on('connection', () => (this.sockets += 1));
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  hitsOf(number: string): number {
    return this.hits.get(number) ?? 0;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('connections to the chat upstream', () => {
  let upstream: Upstream;
  let stranger: Upstream;
  let outbound: OutboundClient;
  let client: MetaCloudClient;
  let opened: RouteConnection[] = [];
  let count = 0;

  beforeAll(async () => {
    stranger = new Upstream();
    await stranger.open();
  });
  beforeEach(async () => {
    upstream = new Upstream();
    await upstream.open();
    upstream.elsewhere = `${stranger.url}/v21.0/1/messages`;
    outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
    client = new MetaCloudClient(outbound);
  });
  afterEach(async () => {
    upstream.manners.clear();
    upstream.stop();
    await Promise.all(opened.map((connection) => connection.close()));
    opened = [];
    await outbound.onApplicationShutdown();
  });
  afterAll(() => stranger.stop());

  /** An account with a number of its own. */
  const account = (manner: Manner = 'takes') => {
    const number = String(1_000_000 + ++count);
    upstream.manners.set(number, manner);
    const url = `${upstream.url}/v21.0/${number}`;
    return { id: count, number, provider: 'meta_cloud' as const, url, token: TOKEN, bmid: null };
  };
  type Account = ReturnType<typeof account>;
  const open = ({ id, ...config }: Account): RouteConnection => {
    const connection = new MetaCloudDriver(outbound).open({
      id,
      name: 'chat',
      channel: 'chat',
      driver: 'meta_cloud',
      config: metaCloudConfigSchema.parse(config),
      messagesPerSecond: null,
      callbackSecret: '',
    });
    opened.push(connection);
    return connection;
  };
  const send = (connection: RouteConnection): Promise<SendOutcome> =>
    connection.send({ ref: '1-1', to: MESSAGE.to, text: 'Hello', notAfter: performance.now() + 60_000 });
  const repeat = async <Result>(times: number, call: () => Promise<Result>): Promise<Result[]> => {
    const results: Result[] = [];
    for (let i = 0; i < times; i++) results.push(await call());
    return results;
  };
  const failing = (of: Account): Promise<unknown> => client.send(of, MESSAGE).catch((error: unknown) => error);

  it('are kept: calls one after the other share them, whatever the account', async () => {
    const accounts = [account(), account(), account()];
    for (const one of accounts) await repeat(10, () => client.send(one, MESSAGE));
    await repeat(10, () => send(open(accounts[0] ?? account())));
    expect(upstream.authorizations).toHaveLength(40);
    // The answer is told before its connection is free again, so that the next call may open a second one.
    expect(upstream.sockets).toBeLessThanOrEqual(2);
  });

  it('are bounded for one account, and none waits that could leave', async () => {
    const connection = open(account());
    const outcomes = await Promise.all(Array.from({ length: 600 }, () => send(connection)));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
    expect(upstream.mostAtOnce).toBeGreaterThan(1);
    expect(upstream.mostAtOnce).toBeLessThanOrEqual(200);
    expect(upstream.sockets).toBeLessThanOrEqual(256);
  });

  it('end a call at its time limit', async () => {
    const slow = account('waits');
    await expect(client.send(slow, MESSAGE, 100)).rejects.toMatchObject(SILENT);
    const call = { method: 'GET', path: `/${slow.number}/messages`, timeoutMs: 100 } as const;
    expect(await exchangeWith(outbound, slow, call)).toMatchObject({
      kind: 'fault',
      error: { fault: 'timeout', sent: true },
    });
  });

  it('of one account that waits hold up no other', async () => {
    const [slow, quick] = [open(account('waits')), open(account())];
    let waiting = 200;
    const held = Array.from({ length: 200 }, () => send(slow).finally(() => (waiting -= 1)));
    expect((await Promise.all(Array.from({ length: 50 }, () => send(quick)))).map(({ kind }) => kind)).not.toContain(
      'retry',
    );
    expect(waiting).toBe(200);
    upstream.stop();
    await Promise.all(held);
  });

  it.each<Manner>(['cuts', 'fails'])('open the circuit of an account that only %s, and of no other', async (manner) => {
    const [ill, well] = [account(manner), account()];
    for (const error of await repeat(FAULTS + 10, () => failing(ill))) expect(error).toMatchObject(SILENT);
    expect(upstream.hitsOf(ill.number)).toBe(FAULTS);
    expect((await client.send(well, MESSAGE)).status).toBe(200);
    upstream.manners.set(ill.number, 'takes');
    await sleep(OPEN_MS + 50);
    expect((await client.send(ill, MESSAGE)).status).toBe(200);
    expect((await client.send(ill, MESSAGE)).status).toBe(200);
  });

  it.each<Manner>(['cuts', 'fails'])(
    'stop the campaigns of an account that only %s, and of no other',
    async (manner) => {
      const [illAccount, wellAccount] = [account(manner), account()];
      const [ill, well] = [open(illAccount), open(wellAccount)];
      const outcomes = await repeat(FAULTS + 10, () => send(ill));
      const told = manner === 'cuts' ? { kind: 'unknown' } : { kind: 'retry', code: 2, throttled: false };
      for (const outcome of outcomes.slice(0, FAULTS)) expect(outcome).toMatchObject(told);
      // Held back here: nothing left, and no attempt is counted.
      for (const outcome of outcomes.slice(FAULTS)) expect(outcome).toMatchObject({ kind: 'unsent' });
      expect(upstream.hitsOf(illAccount.number)).toBe(FAULTS);
      expect([ill.ready, well.ready]).toEqual([false, true]);
      expect((await send(well)).kind).toBe('accepted');
      upstream.manners.set(illAccount.number, 'takes');
      await sleep(OPEN_MS + 50);
      expect(ill.ready).toBe(true);
      expect((await send(ill)).kind).toBe('accepted');
    },
  );

  it('stay open for what is the message’s own fault', async () => {
    const refused = account('refuses');
    const answers = await repeat(FAULTS + 10, () => client.send(refused, MESSAGE));
    expect(answers.every(({ status }) => status === 400)).toBe(true);
    const outcomes = await repeat(FAULTS + 10, () => send(open(refused)));
    expect(outcomes.every(({ kind }) => kind === 'rejected')).toBe(true);
    expect(upstream.hitsOf(refused.number)).toBe(2 * FAULTS + 20);
  });

  it('carry the token to the account’s own upstream alone: redirects are not followed', async () => {
    const moved = account('redirects');
    await expect(client.send(moved, MESSAGE)).rejects.toMatchObject(SILENT);
    expect(await send(open(moved))).toMatchObject({ kind: 'rejected', code: 307 });
    expect(stranger.authorizations).toEqual([]);
    expect(new Set(upstream.authorizations)).toEqual(new Set([`Bearer ${TOKEN}`]));
  });
});
