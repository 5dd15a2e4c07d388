import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { BindKeeper } from '../../src/modules/providers/binds/bind-keeper.js';
import {
  ChatNumberPairs,
  DriverRegistry,
  type Receipt,
  ReceiptSink,
  RouteConnections,
  RouteDirectory,
  RouteHealthBoard,
} from '../../src/modules/providers/index.js';
import { RouteBindEntity, RouteEntity } from '../../src/modules/providers/tables.js';
import { RouteBinds } from '../../src/modules/providers/binds/route-binds.store.js';
import { dataSourceOptions, inTransaction } from '../../src/platform/database/index.js';
import { LeaderGate, WakeCalls } from '../../src/platform/periodic/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { RedisClients, RedisLink } from '../../src/platform/redis/index.js';
import { Sealer } from '../../src/platform/security/index.js';
import { testEnvironment } from '../support/api.js';
import { CountingSmsc } from '../support/counting-smsc.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const PATIENCE = { timeout: 60_000, interval: 25 };

class KeptReceipts extends ReceiptSink {
  readonly ids: string[] = [];

  accept(_routeId: number, receipts: Receipt[]): Promise<void> {
    this.ids.push(...receipts.map(({ providerMessageId }) => providerMessageId));
    return Promise.resolve();
  }
}

/** What a worker has of routes and their connections, with a database connection and a Redis of its own. */
class Worker {
  readonly receipts = new KeptReceipts();
  readonly board: RouteHealthBoard;
  readonly directory: RouteDirectory;
  readonly connections: RouteConnections;
  readonly binds: RouteBinds;
  private readonly link: RedisLink;
  private readonly clients: RedisClients;
  private readonly wakes: WakeCalls;
  private readonly outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });

  private constructor(
    readonly dataSource: DataSource,
    environment: ReturnType<typeof testEnvironment>,
  ) {
    this.clients = new RedisClients(environment);
    this.link = new RedisLink(environment, this.clients);
    this.wakes = new WakeCalls(this.clients, this.link);
    this.directory = new RouteDirectory(dataSource, new Sealer({ ENCRYPTION_KEY: '1f'.repeat(32) }));
    this.board = new RouteHealthBoard(this.link, new LeaderGate(this.link));
    this.binds = new RouteBinds(dataSource);
    this.connections = new RouteConnections(
      this.directory,
      new DriverRegistry(this.outbound, environment, new ChatNumberPairs(dataSource)),
      this.receipts,
      { accept: () => Promise.resolve(), acknowledged: () => undefined },
      this.board,
      new BindKeeper(this.binds, this.board, this.wakes),
    );
  }

  static async open(url: string, prefix: string): Promise<Worker> {
    const entities = [RouteEntity, RouteBindEntity];
    const dataSource = await new DataSource({ ...dataSourceOptions(url, 3), entities }).initialize();
    const worker = new Worker(dataSource, { ...testEnvironment(url), REDIS_PREFIX: prefix });
    await worker.link.onModuleInit();
    return worker;
  }

  /** Opens its connections, as a worker does that starts. */
  async start(): Promise<this> {
    await this.connections.openAll(['sms']);
    return this;
  }

  /** Drains, as at SIGTERM. */
  async stop(): Promise<void> {
    await this.connections.closeAll();
    await this.end();
  }

  async end(): Promise<void> {
    this.wakes.onApplicationShutdown();
    this.clients.onApplicationShutdown();
    await this.outbound.onApplicationShutdown();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

describe('binds of a route', () => {
  let database: TestDatabase;
  let smsc: CountingSmsc;
  let staff: Worker;
  const workers: Worker[] = [];
  const prefix = `binds-${randomBytes(4).toString('hex')}`;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    smsc = await CountingSmsc.open(1_000);
    staff = await Worker.open(database.url, prefix);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    for (const { id } of await staff.directory.list()) {
      await inTransaction(staff.dataSource, (tx) => staff.directory.remove(tx, id));
    }
    staff.directory.forget();
  });
  afterAll(async () => {
    await staff.end();
    await smsc.stop();
    await database.drop();
  });

  const put = async (binds: number | null, fields: object = {}): Promise<number> => {
    const config = { host: '127.0.0.1', port: smsc.port, system_id: 'worker', password: 'x', ...fields };
    const route = { name: 'counted', channel: 'sms' as const, driver: 'smpp', config, isDefault: false };
    const { id } = await inTransaction(staff.dataSource, (tx) =>
      staff.directory.put(tx, { ...route, messagesPerSecond: null, binds }),
    );
    staff.directory.forget();
    return id;
  };
  const startWorkers = async (count: number): Promise<Worker[]> => {
    const some = await Promise.all(Array.from({ length: count }, () => Worker.open(database.url, prefix)));
    workers.push(...some);
    return Promise.all(some.map((worker) => worker.start()));
  };
  /** Binds that stand, by worker, the largest first. */
  const held = async (): Promise<number[]> => {
    const counts = new Map<string, number>();
    for (const { holder, bound, isFree } of await staff.binds.slots()) {
      if (holder !== null && bound && !isFree) counts.set(holder, (counts.get(holder) ?? 0) + 1);
    }
    return [...counts.values()].sort((a, b) => b - a);
  };
  const settled = (...counts: number[]): Promise<void> =>
    vi.waitFor(async () => expect(await held()).toEqual(counts), PATIENCE);
  const serving = (): Worker[] => workers.filter(({ connections }) => connections.serving.length > 0);

  it('are as many as the route says, however many workers there are, and receipts come in over any', async () => {
    smsc.limit = 2;
    const id = await put(2);
    await startWorkers(6);
    await settled(1, 1);
    await vi.waitFor(() => expect(serving()).toHaveLength(2), PATIENCE);
    expect(smsc.sessions.size).toBe(2);
    const [first] = serving();
    const connection = await first?.connections.get(id);
    const sent = await connection?.send({
      ref: '1-1',
      to: '491510001',
      text: 'hi',
      notAfter: performance.now() + 9_000,
    });
    expect(sent).toMatchObject({ kind: 'accepted' });
    for (const session of smsc.sessions) smsc.receipts(session, [`r-${workers.length}`], '491510001');
    await vi.waitFor(() => {
      expect(workers.flatMap(({ receipts }) => receipts.ids)).toEqual(['r-6', 'r-6']);
    }, PATIENCE);
    const others = workers.filter((worker) => !serving().includes(worker));
    expect((await others[0]?.connections.get(id))?.ready).toBe(false);
    expect(await others[0]?.connections.usable('sms')).toEqual([id]);
  });

  it('are shared as workers come and go, each given back before the next holder opens its own', async () => {
    smsc.limit = 4;
    smsc.most = 0;
    await put(4);
    const [one] = await startWorkers(1);
    await settled(4);
    await startWorkers(1);
    await settled(2, 2);
    await startWorkers(2);
    await settled(1, 1, 1, 1);
    expect(smsc.most).toBe(4);
    await one?.stop();
    workers.splice(workers.indexOf(one as Worker), 1);
    await settled(2, 1, 1);
    expect(smsc.most).toBe(4);
  });

  it('pass to another worker when their holder is lost', async () => {
    smsc.limit = 1;
    await put(1);
    const [one] = await startWorkers(2).then(async () => {
      await settled(1);
      return vi.waitUntil(() => (serving().length === 1 ? serving() : null), PATIENCE);
    });
    // It reaches neither the database nor Redis any more: its session ends before its lease does.
    await one?.dataSource.destroy();
    await vi.waitFor(() => expect(serving().filter((worker) => worker !== one)).toHaveLength(1), PATIENCE);
    expect(one?.connections.serving).toEqual([]);
    expect(smsc.most).toBeLessThanOrEqual(4);
    expect(smsc.sessions.size).toBe(1);
  });

  it('that the carrier refuses rest for a while, say so, and are tried again', async () => {
    smsc.limit = 1;
    smsc.refused = 0;
    await put(2);
    await startWorkers(2);
    await settled(1);
    const fault = 'The carrier refuses the bind: Already bound';
    await vi.waitFor(async () => {
      expect((await staff.binds.slots()).some((slot) => slot.fault === fault && !slot.bound)).toBe(true);
    }, PATIENCE);
    await vi.waitFor(() => expect(serving()).toHaveLength(1), PATIENCE);
    smsc.limit = 2;
    await settled(1, 1);
    expect(smsc.refused).toBeLessThan(6);
    expect((await staff.binds.slots()).every((slot) => slot.fault === null)).toBe(true);
  });

  it('follow the row: fewer, another login, one a worker', async () => {
    smsc.limit = 100;
    await put(3);
    await startWorkers(2);
    await settled(2, 1);
    await put(2);
    await settled(1, 1);
    await vi.waitFor(() => expect(smsc.sessions.size).toBe(2), PATIENCE);
    const before = [...smsc.sessions];
    await put(2, { system_id: 'other' });
    await vi.waitFor(() => {
      expect(smsc.sessions.size).toBe(2);
      expect([...smsc.sessions].some((session) => before.includes(session))).toBe(false);
    }, PATIENCE);
    await put(null);
    await vi.waitFor(async () => expect(await held()).toEqual([]), PATIENCE);
    await vi.waitFor(() => expect(smsc.sessions.size).toBe(2), PATIENCE);
  });
});
