import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { DataSource } from 'typeorm';
import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { dataSourceOptions, inTransaction } from '../../src/platform/database/index.js';
import { LeaderGate, WakeCalls } from '../../src/platform/periodic/index.js';
import { RedisClients, RedisLink } from '../../src/platform/redis/index.js';
import { sealedIn, Sealer } from '../../src/platform/security/index.js';
import {
  ChatNumberPairs,
  DriverRegistry,
  type Receipt,
  ReceiptSink,
  RouteConnections,
  RouteDirectory,
  RouteHealthBoard,
} from '../../src/modules/providers/index.js';
import { BindKeeper } from '../../src/modules/providers/binds/bind-keeper.js';
import { RouteBindEntity, RouteEntity } from '../../src/modules/providers/tables.js';
import { RouteBinds } from '../../src/modules/providers/binds/route-binds.store.js';
import { openSandbox, type OpenSandbox } from '../contract/open-sandbox.js';
import { testEnvironment } from '../support/api.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const PATIENCE = { timeout: 60_000, interval: 50 };

class KeptReceipts extends ReceiptSink {
  readonly kept: { routeId: number; receipt: Receipt }[] = [];

  accept(routeId: number, receipts: Receipt[]): Promise<void> {
    this.kept.push(...receipts.map((receipt) => ({ routeId, receipt })));
    return Promise.resolve();
  }
}

describe("a worker's connections", () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let directory: RouteDirectory;
  let connections: RouteConnections;
  let first: OpenSandbox;
  let second: OpenSandbox;
  let redis: RedisLink;
  const receipts = new KeptReceipts();
  const outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
  const sealer = new Sealer({ ENCRYPTION_KEY: '1f'.repeat(32) });

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    dataSource = new DataSource({ ...dataSourceOptions(database.url, 4), entities: [RouteEntity, RouteBindEntity] });
    await dataSource.initialize();
    [first, second] = await Promise.all([openSandbox(), openSandbox()]);
    directory = new RouteDirectory(dataSource, sealer);
    const environment = testEnvironment(database.url);
    const clients = new RedisClients(environment);
    redis = new RedisLink(environment, clients);
    await redis.onModuleInit();
    const board = new RouteHealthBoard(redis, new LeaderGate(redis));
    const wakes = new WakeCalls(clients, redis);
    connections = new RouteConnections(
      directory,
      new DriverRegistry(outbound, environment, new ChatNumberPairs(dataSource)),
      receipts,
      { accept: () => Promise.resolve(), acknowledged: () => undefined },
      board,
      new BindKeeper(new RouteBinds(dataSource), board, wakes),
    );
  });
  afterAll(async () => {
    await connections.closeAll();
    redis.onApplicationShutdown();
    await outbound.onApplicationShutdown();
    await Promise.all([first.stop(), second.stop()]);
    await dataSource.destroy();
    await database.drop();
  });

  const put = (name: string, port: number, channel: 'sms' | 'unofficial' = 'sms') =>
    inTransaction(dataSource, (tx) =>
      directory.put(tx, {
        name,
        channel,
        driver: channel === 'sms' ? 'smpp' : 'http',
        config:
          channel === 'sms'
            ? { host: '127.0.0.1', port, system_id: 'worker', password: 'x' }
            : { url: `${first.url}/gateway/messages`, body: { to: '{{to}}' } },
        messagesPerSecond: null,
        isDefault: false,
      }),
    );
  const message = (to: string) => ({ ref: `1-${to}`, to, text: 'hi', notAfter: performance.now() + 60_000 });

  it('are opened for all routes of its channels, and their receipts go to the engine', async () => {
    const { id } = await put('one', first.smppPort);
    await put('chat', 0, 'unofficial');
    await connections.openAll(['sms']);
    const connection = await connections.get(id);
    await vi.waitUntil(() => connection?.ready === true, PATIENCE);
    const outcome = await connection?.send(message('4915100000001'));
    expect(outcome?.kind).toBe('accepted');
    await vi.waitUntil(() => receipts.kept.length === 1, PATIENCE);
    expect(receipts.kept[0]).toMatchObject({ routeId: id, receipt: { status: 'delivered' } });
  });

  it('tell how they stand, of the channels that this worker serves', async () => {
    const board = new RouteHealthBoard(redis, new LeaderGate(redis));
    const { id } = await put('nowhere', 1);
    directory.forget();
    const routes = async () => new Map((await directory.list()).map((route) => [route.name, route.id]));
    const said = await vi.waitUntil(async () => {
      const health = await board.read();
      const one = health.get((await routes()).get('one') ?? 0);
      const refused = health.get(id)?.lastError === 'Carrier is not reachable: ECONNREFUSED';
      return refused && health.get(id)?.health === 'down' && one?.health === 'up' ? health : null;
    }, PATIENCE);
    expect(said.size).toBe(2);
    expect(said.get((await routes()).get('one') ?? 0)?.lastError).toBeNull();

    const other = new RouteHealthBoard(redis, new LeaderGate(redis));
    await other.report(new Map([[id, { ready: true, fault: null }]]));
    expect((await board.read()).get(id)?.health).toBe('degraded');
    await other.leave();
    expect((await board.read()).get(id)?.health).toBe('down');

    await inTransaction(dataSource, (tx) => directory.remove(tx, id));
  });

  it('say since when a route cannot be used, and nothing of one that was not tried yet', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const [refusing, unanswered] = [await put('refusing', 1), await put('unanswered', port)];
    directory.forget();
    expect(await connections.stateOf(refusing.id)).toMatchObject({ usable: false, downMs: 0 });
    await vi.waitUntil(async () => (await connections.stateOf(refusing.id)).downMs > 50, PATIENCE);
    expect(await connections.stateOf(refusing.id)).toMatchObject({ fault: 'Carrier is not reachable: ECONNREFUSED' });
    expect(await connections.stateOf(unanswered.id)).toMatchObject({ usable: false, downMs: 0 });
    const { id: one = 0 } = (await directory.byName('one')) ?? {};
    expect(await connections.stateOf(one)).toEqual({ usable: true, downMs: 0, fault: null });
    expect(await connections.usable('sms')).toEqual([one]);
    for (const { id } of [refusing, unanswered]) await inTransaction(dataSource, (tx) => directory.remove(tx, id));
    directory.forget();
    silent.close();
  });

  it('follow the row: another carrier, another speed, gone', async () => {
    const { id } = await put('one', first.smppPort);
    directory.forget();
    const before = await connections.get(id);
    await put('one', second.smppPort);
    const after = await vi.waitUntil(async () => {
      const now = await connections.get(id);
      return now !== before && now?.ready ? now : null;
    }, PATIENCE);
    expect(before?.ready).toBe(false);
    await after.send(message('4915100000002'));
    expect((await second.ledger()).messages.map((entry) => entry.to)).toEqual(['4915100000002']);

    await dataSource.query('UPDATE routes SET messages_per_second = 5 WHERE id = ?', [id]);
    await vi.waitUntil(async () => (await directory.byId(id))?.messagesPerSecond === 5, PATIENCE);
    expect(await connections.get(id)).toBe(after);

    await inTransaction(dataSource, (tx) => directory.remove(tx, id));
    await vi.waitUntil(async () => (await connections.get(id)) === null, PATIENCE);
    expect(after.ready).toBe(false);
  });

  it('do without a route that cannot be used', async () => {
    const { id } = await put('odd', first.smppPort);
    await dataSource.query('UPDATE routes SET config = ? WHERE id = ?', [
      sealer.seal('{"host":5}', sealedIn('routes', 'config', 'odd')),
      id,
    ]);
    directory.forget();
    expect(await connections.get(id)).toBeNull();
    await dataSource.query("UPDATE routes SET config = 'other.key' WHERE id = ?", [id]);
    directory.forget();
    expect(await directory.byId(id)).toBeNull();
    expect((await directory.list()).map((route) => route.name)).toEqual(['chat']);
  });
});
