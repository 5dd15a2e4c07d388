import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SmppDriver } from '../../src/modules/providers/drivers/smpp/smpp.driver.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { NameServer } from '../support/name-server.js';
import { openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const PATH = '/v6/api/admin/routes';
const SECRET = 'secret-of-an-inside-host';
const PATIENCE = { timeout: 20_000, interval: 50 };
const CLOSED = 'The address of a route must be public, or in ROUTE_NETWORKS';
const CHAT_CLOSED = 'url must lead to a public address, or to one in ROUTE_NETWORKS';

/** A host inside the network, whose answers hold what no customer may read. */
class InsideHost {
  readonly asked: IncomingMessage[] = [];
  private readonly server: Server;

  constructor(private readonly status = 200) {
    this.server = createServer((request, response) => {
      this.asked.push(request);
      response.writeHead(this.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(this.status === 200 ? { id: SECRET } : { error: SECRET, code: 4711 }));
    });
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

describe('routes of staff without super', () => {
  let sms: Sms;
  let accounts: Accounts;
  let worker: TestingModule;
  let names: NameServer;
  let host: InsideHost;
  let refusing: InsideHost;
  let superToken: string;
  let adminToken: string;
  const addresses: Record<string, string> = {};

  beforeAll(async () => {
    names = await NameServer.open(addresses);
    host = await new InsideHost().open();
    refusing = await new InsideHost(403).open();
    sms = await openSms(
      { ROUTE_NETWORKS: '', DNS_SERVERS: [names.address], PUBLIC_URL: 'https://sms.example' },
      { route: false },
    );
    accounts = accountsOf(sms.api);
    superToken = accounts.token(await accounts.account({ userType: 'super' }));
    adminToken = accounts.token(await accounts.account({ userType: 'admin' }));
    worker = await startWorker(sms.environment);
  });
  afterAll(async () => {
    await worker.close();
    await sms.stop();
    await host.close();
    await refusing.close();
    await names.close();
  });

  const http = (url: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
    channel: 'sms',
    driver: 'http',
    config: { url, body: { to: '{{to}}' }, id_path: 'id', error_text_path: 'error', error_code_path: 'code' },
    ...more,
  });
  const inside = ({ port }: InsideHost, query = ''): string => `http://127.0.0.1:${port}/send${query}`;
  const put = (token: string, name: string, body: unknown) => accounts.call('PUT', `${PATH}/${name}`, { token, body });
  const read = async (token: string, name: string): Promise<Record<string, unknown>> =>
    (await accounts.call('GET', `${PATH}/${name}`, { token })).body['data'] as Record<string, unknown>;
  const test = async (token: string, name: string): Promise<Record<string, unknown>> =>
    (await accounts.call('POST', `${PATH}/${name}/test`, { token, body: { to: '919812345678' } })).body[
      'data'
    ] as Record<string, unknown>;

  it('may not lead to inside hosts, with any driver and in any spelling', async () => {
    const { port } = host;
    const smpp = (name: string) => ({
      channel: 'sms',
      driver: 'smpp',
      config: { host: name, port, system_id: 'x', password: 'y' },
    });
    const voice = {
      channel: 'voice',
      driver: 'twilio',
      config: { account_sid: 'AC1', auth_token: 'x', base_url: `http://127.0.0.1:${port}` },
    };
    const urls = ['127.0.0.1', 'localhost', '127.1', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254'];
    const refused = [...urls.map((name) => http(`http://${name}:${port}/send`)), smpp('127.0.0.1'), smpp('::1'), voice];
    for (const [i, body] of refused.entries()) {
      expect(await accounts.row('PUT', `${PATH}/closed-${i}`, { token: adminToken, body })).toEqual([400, CLOSED]);
    }
    const { username } = await accounts.account();
    const chat = {
      token: adminToken,
      body: { provider: 'meta_cloud', url: `http://127.0.0.1:${port}/v21.0/1`, token: 'a-token' },
    };
    expect(await accounts.row('PUT', `/v6/api/admin/chat-accounts/${username}`, chat)).toEqual([400, CHAT_CLOSED]);
    expect((await put(adminToken, 'public', http('https://gateway.example/send'))).body['data']).toMatchObject({
      guarded: true,
    });
    expect(host.asked).toEqual([]);
  });

  it('are refused at the connection when their name leads inside later', async () => {
    expect((await put(adminToken, 'rebound', http(`http://rebound.test:${host.port}/send`))).status).toBe(200);
    addresses['rebound.test'] = '127.0.0.1';
    expect(await test(superToken, 'rebound')).toMatchObject({
      outcome: 'not_sent',
      reason: 'Gateway is not reachable: its address is not allowed',
    });
    expect(host.asked).toEqual([]);
  });

  it('are refused at the connection of SMPP too, by name and by address', async () => {
    let connections = 0;
    const carrier = createTcpServer((socket) => {
      connections++;
      socket.on('error', () => undefined).destroy();
    });
    await new Promise<void>((resolve) => carrier.listen(0, '127.0.0.1', resolve));
    addresses['carrier.test'] = '127.0.0.1';
    const { port } = carrier.address() as AddressInfo;
    const open = (hostname: string, networks: string, guarded: boolean) => {
      const outbound = new OutboundClient({ ...sms.environment, ROUTE_NETWORKS: networks });
      const driver = new SmppDriver(outbound.routeGuard);
      const config = driver.configSchema.parse({ host: hostname, port, system_id: 'x' });
      const route = { id: 1, name: 'x', channel: 'sms' as const, driver: 'smpp', messagesPerSecond: null };
      const connection = driver.open(
        { ...route, callbackSecret: 'x', config, guarded },
        () => Promise.resolve(),
        () => Promise.resolve(),
      );
      return { connection, close: () => Promise.all([connection.close(0), outbound.onApplicationShutdown()]) };
    };
    for (const hostname of ['127.0.0.1', 'carrier.test']) {
      const refused = open(hostname, '', true);
      await vi.waitUntil(() => refused.connection.isUntried === false, PATIENCE);
      expect(refused.connection.fault).toMatch(/not allowed/i);
      await refused.close();
    }
    expect(connections).toBe(0);
    for (const [hostname, networks, guarded] of [
      ['carrier.test', '127.0.0.0/8', true],
      ['127.0.0.1', '', false],
    ] as const) {
      const before = connections;
      const opened = open(hostname, networks, guarded);
      await vi.waitUntil(() => connections > before, PATIENCE);
      await opened.close();
    }
    await new Promise((resolve) => carrier.close(resolve));
  });

  it('stay trusted while super wrote them, and are not changed into something else', async () => {
    const url = inside(host);
    expect((await put(superToken, 'own', http(url))).body['data']).toMatchObject({ guarded: false });
    const slower = await put(adminToken, 'own', http(url, { messages_per_second: 50 }));
    expect(slower.body['data']).toMatchObject({ guarded: false, messages_per_second: 50 });
    for (const changed of [http(`${url}/other`), http(`${url}?all=1`)]) {
      expect(await accounts.row('PUT', `${PATH}/own`, { token: adminToken, body: changed })).toEqual([400, CLOSED]);
    }
    const { config } = http(url) as { config: object };
    const other = { ...http(url), config: { ...config, id_path: 'error' } };
    expect(await accounts.row('PUT', `${PATH}/own`, { token: adminToken, body: other })).toEqual([400, CLOSED]);
  });

  it('stay guarded when super changes anything but the config', async () => {
    const outside = http('http://93.184.216.34/send');
    expect((await put(adminToken, 'theirs', outside)).body['data']).toMatchObject({ guarded: true });
    const faster = await put(superToken, 'theirs', { ...outside, messages_per_second: 50 });
    expect(faster.body['data']).toMatchObject({ guarded: true, messages_per_second: 50 });
    expect((await put(superToken, 'theirs', http('http://93.184.216.34/other'))).body['data']).toMatchObject({
      guarded: false,
    });
  });

  it('show what an inside host answers to super alone', async () => {
    await put(superToken, 'trusted', http(inside(host)));
    await put(superToken, 'refusing', http(inside(refusing)));
    expect(await test(superToken, 'trusted')).toMatchObject({ outcome: 'accepted', provider_message_id: SECRET });
    expect(await test(superToken, 'refusing')).toMatchObject({ outcome: 'rejected', error_code: 4711, reason: SECRET });
    for (const [name, outcome] of [
      ['trusted', 'accepted'],
      ['refusing', 'rejected'],
    ] as const) {
      const seen = await test(adminToken, name);
      expect(seen).toMatchObject({ outcome, provider_message_id: null, error_code: null });
      expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${SECRET}|4711`));
    }
  });

  it('show logins, paths and queries of URLs to super alone, keep them by their mask, and never in the audit log', async () => {
    const url = `http://user:pass-word@127.0.0.1:${host.port}/hidden-key/send?key=very-secret&to={{to}}`;
    const masked = `http://127.0.0.1:${host.port}/***`;
    const saved = await put(superToken, 'secretive', http(url));
    expect(saved.body['data']).toMatchObject({ config: { url } });
    expect(await read(adminToken, 'secretive')).toMatchObject({ config: { url: masked } });
    const list = await accounts.call('GET', PATH, { token: adminToken });
    expect(JSON.stringify(list.body)).not.toMatch(/very-secret|pass-word|hidden-key/);

    const kept = await put(adminToken, 'secretive', http(masked, { messages_per_second: 10 }));
    expect(kept.body['data']).toMatchObject({ config: { url: masked }, guarded: false });
    expect(await read(superToken, 'secretive')).toMatchObject({ config: { url } });
    const before = host.asked.length;
    await test(superToken, 'secretive');
    expect(host.asked[before]?.url).toBe('/hidden-key/send?key=very-secret&to=919812345678');

    const moved = { token: adminToken, body: http(`${masked}/elsewhere`) };
    expect(await accounts.row('PUT', `${PATH}/secretive`, moved)).toEqual([
      400,
      'config.url is required with a new address',
    ]);
    const { username } = await accounts.account();
    const chat = { provider: 'meta_cloud', url: `http://u:pass-word@127.0.0.1:${host.port}/v21.0/1?k=very-secret` };
    const path = `/v6/api/admin/chat-accounts/${username}`;
    await accounts.call('PUT', path, { token: superToken, body: { ...chat, token: 'a-token' } });
    const shown = await accounts.call('GET', path, { token: adminToken });
    expect(shown.body['data']).toMatchObject({ url: masked });
    const url2 = (shown.body['data'] as { url: string }).url;
    const again = await accounts.call('PUT', path, { token: adminToken, body: { url: url2, number: '1' } });
    expect(again.status).toBe(200);
    const full = await accounts.call('GET', path, { token: superToken });
    expect(full.body['data']).toMatchObject({ url: chat.url, guarded: false, number: '1' });

    const audit = await accounts.call('GET', '/v6/api/admin/audit?limit=100', { token: superToken });
    expect(JSON.stringify(audit.body)).toContain('secretive');
    expect(JSON.stringify(audit.body)).not.toMatch(/very-secret|pass-word|hidden-key/);
    const stored = await sms.dataSource.query<{ details: string }[]>('SELECT details FROM audit_log');
    expect(JSON.stringify(stored)).not.toMatch(/very-secret|pass-word|hidden-key/);
  });
});
