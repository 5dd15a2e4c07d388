import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { CampaignAcceptance, RecipientStatus } from '../../src/modules/engine/index.js';
import { Settlement } from '../../src/modules/engine/settle/settlement.js';
import { DatabaseWatch, dataSourceOptions, inTransaction } from '../../src/platform/database/index.js';
import { numbers } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Engine, startEngine } from '../support/engine.js';
import { until } from '../support/processes.js';

const POOL = 3;

/** Resolves to true when `work` ends before `milliseconds` are over. */
const endsWithin = (work: Promise<unknown>, milliseconds: number): Promise<boolean> =>
  Promise.race([
    work.then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), milliseconds).unref()),
  ]);

describe('a full pool', () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = await startEngine({ DATABASE_POOL_SIZE: POOL });
  });
  afterAll(async () => engine.stop());

  it('settles as many refunds at once as it has connections, and more', async () => {
    const acceptance = engine.module.get(CampaignAcceptance, { strict: false });
    const settlement = engine.module.get(Settlement, { strict: false });
    const dataSource = engine.module.get(DataSource);
    const campaigns = [];
    for (let i = 0; i < 4 * POOL; i++) {
      const accountId = await engine.account(`refunded-${i}`, 10);
      campaigns.push(await acceptance.accept(engine.draft(accountId, numbers(10))));
    }
    const settled = campaigns.map(({ id }) =>
      inTransaction(dataSource, (tx) =>
        settlement.settle(
          tx,
          numbers(10).map((_, index) => ({
            campaignId: id,
            seq: index + 1,
            to: RecipientStatus.Cancelled,
            errorCode: null,
            errorText: null,
            refund: true,
            attempted: false,
          })),
        ),
      ),
    );
    expect(await endsWithin(Promise.all(settled), 20_000)).toBe(true);
    for (const { requestId } of campaigns) expect(await engine.counts(requestId)).toEqual({ Cancelled: 10 });
  });

  it('is never asked by work that holds one of its connections', async () => {
    const dataSource = engine.module.get(DataSource);
    const nested = inTransaction(dataSource, () => dataSource.query('SELECT 1'));
    await expect(nested).rejects.toThrow('A transaction asks through its own connection');
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('a wait for a connection', () => {
  let database: TestDatabase;
  let pool: DataSource;
  const watch = new DatabaseWatch();

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new DataSource(dataSourceOptions(database.url, 1, { queryTimeout: 60_000, poolWait: 200 }, watch));
    // on a busy machine the first connection may take longer than the wait that is tested
    await vi.waitFor(() => pool.initialize(), { timeout: 20_000 });
  });
  afterAll(async () => {
    await pool.destroy();
    await database.drop();
  });

  it('ends in time, is counted, and gives its place back', async () => {
    let givenUp = 0;
    watch.events.on('waitGivenUp', () => givenUp++);
    const holder = pool.createQueryRunner();
    await holder.connect();
    const waits = await Promise.allSettled(Array.from({ length: 20 }, () => pool.query('SELECT 1')));
    expect(waits.every(({ status }) => status === 'rejected')).toBe(true);
    expect((waits[0] as PromiseRejectedResult).reason).toMatchObject({ code: 'POOL_WAIT_TIMEOUT' });
    expect(givenUp).toBe(20);
    await holder.release();
    // Twenty who went away stand before nobody: the one connection serves at once, again and again.
    for (let i = 0; i < 5; i++) expect(await pool.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(givenUp).toBe(20);
  });
});

describe('a new connection', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('is ended by the server when a transaction stands still', { timeout: 60_000 }, async () => {
    // MySQL bounds the silence of the connection, which is 25 s here, and MariaDB that of the transaction: one second.
    const impatient = new DataSource(dataSourceOptions(database.url, 2, { queryTimeout: 2_000, poolWait: 5_000 }));
    await impatient.initialize();
    await impatient.query('CREATE TABLE held (id INT PRIMARY KEY, n INT NOT NULL)');
    await impatient.query('INSERT INTO held VALUES (1, 0)');
    const idle = impatient.createQueryRunner();
    await idle.startTransaction();
    await idle.query('UPDATE held SET n = 1 WHERE id = 1');
    // Waits for the lock until the server has ended the other.
    await until('the lock is free', () =>
      impatient.query('UPDATE held SET n = 2 WHERE id = 1').then(
        () => true,
        () => false,
      ),
    );
    await expect(idle.commitTransaction()).rejects.toThrow();
    await idle.release();
    expect(await impatient.query('SELECT n FROM held')).toEqual([{ n: 2 }]);
    await impatient.destroy();
  });

  it('runs a single statement again that lost a race of locks', async () => {
    const { dataSource } = database;
    await dataSource.query('CREATE TABLE raced (id INT PRIMARY KEY, n INT NOT NULL)');
    await dataSource.query('INSERT INTO raced VALUES (1, 0), (2, 0)');
    // Each single statement locks two rows in its own order: one of two that meet is the server's victim.
    const ordered = (order: 'ASC' | 'DESC'): Promise<unknown> =>
      dataSource.query(`UPDATE raced SET n = n + 1 + SLEEP(0.02) ORDER BY id ${order} LIMIT 2`);
    // The same on connections that do not run it again: some are the server's victims.
    const refused = await Promise.allSettled(
      ['ASC', 'DESC', 'ASC', 'DESC'].map(async (order) => {
        const bare = await createConnection({ uri: database.url });
        await bare
          .query(`UPDATE raced SET n = n + SLEEP(0.02) ORDER BY id ${order} LIMIT 2`)
          .finally(() => void bare.destroy());
      }),
    );
    expect(refused.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
    const runs = Array.from({ length: 12 }, (_, index) => ordered(index % 2 === 0 ? 'ASC' : 'DESC'));
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await dataSource.query('SELECT n FROM raced')).toEqual([{ n: 12 }, { n: 12 }]);
  });
});
