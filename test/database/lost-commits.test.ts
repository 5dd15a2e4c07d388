import { AsyncResource } from 'node:async_hooks';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import {
  type OutboundMessage,
  type Receipt,
  ReceiptSink,
  type SendOutcome,
} from '../../src/modules/providers/index.js';
import { afterCommit, dataSourceOptions, inTransaction, type LostCommit } from '../../src/platform/database/index.js';
import { numbers } from '../support/client.js';
import { CommitCable, type Cut } from '../support/commit-cable.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Engine, startEngine, startEngineOn } from '../support/engine.js';
import { firstLane, laneWorker } from '../support/lane-worker.js';

/** of transactions: a look-up leaves one too, whose token is 0 */
const COUNT_MARKS = 'SELECT COUNT(*) AS n FROM transaction_marks WHERE token > 0';
const cable = new CommitCable();
let database: TestDatabase;
let through: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  through = await new DataSource(dataSourceOptions(await cable.plug(database.url), 4)).initialize();
  await database.dataSource.query('CREATE TABLE counted (id BIGINT PRIMARY KEY, n INT NOT NULL)');
});
afterAll(async () => {
  await through.destroy();
  await cable.unplug();
  await database.drop();
});

describe('a transaction whose COMMIT has no answer', () => {
  let id: number;
  let runs: number;
  let told: number;
  const counted = async (): Promise<number> => {
    const rows = await database.dataSource.query<{ n: number }[]>('SELECT n FROM counted WHERE id = ?', [id]);
    return rows[0]?.n ?? 0;
  };

  beforeEach(async () => {
    id = newId();
    runs = told = 0;
    await database.dataSource.query('INSERT INTO counted VALUES (?, 0)', [id]);
  });

  const count = (lost?: LostCommit<string>): Promise<string> =>
    inTransaction(
      through,
      async (tx) => {
        const run = ++runs;
        afterCommit(tx, () => told++);
        await tx.query('UPDATE counted SET n = n + 1 WHERE id = ?', [id]);
        return `run ${run}`;
      },
      lost,
    );

  it.each<[Cut[], number]>([
    [['before'], 2],
    [['after'], 1],
    [['before', 'before', 'after'], 3],
    [['before', 'before', 'before', 'before'], 5],
  ])('is done once, whenever it is cut: %s', async (cuts, expectedRuns) => {
    cable.cutNext(...cuts);
    expect(await count()).toBe(`run ${expectedRuns}`);
    expect({ n: await counted(), runs, told }).toEqual({ n: 1, runs: expectedRuns, told: 1 });
  });

  it('is waited for while the server still has it open', async () => {
    cable.cutNext('late');
    const done = count();
    const isLooking = async (): Promise<boolean> => {
      const rows = await database.dataSource.query<unknown[]>(
        `SELECT 1 FROM information_schema.processlist WHERE info LIKE '%transaction_marks%LOCK IN SHARE MODE'
           AND id <> CONNECTION_ID()`,
      );
      return rows.length > 0;
    };
    await expect.poll(isLooking).toBe(true);
    cable.deliver();
    expect(await done).toBe('run 1');
    expect({ n: await counted(), runs, told }).toEqual({ n: 1, runs: 1, told: 1 });
  });

  it('may name a row of its own, and leaves no mark then', async () => {
    const marks = (): Promise<unknown> => database.dataSource.query(COUNT_MARKS);
    const before = await marks();
    cable.cutNext('after');
    expect(await count({ committed: () => ({ table: 'counted', where: { id, n: 1 } }) })).toBe('run 1');
    expect({ n: await counted(), told, marks: await marks() }).toEqual({ n: 1, told: 1, marks: before });
    cable.cutNext('before');
    expect(await count({ committed: () => ({ table: 'counted', where: { id, n: 2 } }) })).toBe('run 3');
    expect(await counted()).toBe(2);
  });

  it('is run again without a look where that is exact', async () => {
    cable.cutNext('after');
    expect(await count({ again: 'counts twice: the test sees that it does' })).toBe('run 2');
    expect(await counted()).toBe(2);
  });

  it('is done where it wrote nothing', async () => {
    cable.cutNext('after');
    expect(await inTransaction(through, () => Promise.resolve('nothing'), { committed: () => null })).toBe('nothing');
  });
});

describe('a statement', () => {
  it('that reads is answered, though its connection has ended', async () => {
    const [own] = await through.query<{ id: number }[]>('SELECT CONNECTION_ID() AS id');
    await database.dataSource.query('KILL CONNECTION ?', [own?.id]);
    expect(await through.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('of a transaction is run again with all of it, though its connection has ended', async () => {
    const id = newId();
    let runs = 0;
    // Not the transaction's own doing: files before this one may have had transactions watched.
    const kill = AsyncResource.bind((connection: unknown) =>
      database.dataSource.query('KILL CONNECTION ?', [connection]),
    );
    await inTransaction(through, async (tx) => {
      await tx.query('INSERT INTO counted VALUES (?, 1)', [id]);
      const [own] = await tx.query<{ id: number }[]>('SELECT CONNECTION_ID() AS id');
      if (++runs < 3) await kill(own?.id);
      await tx.query('UPDATE counted SET n = n + 1 WHERE id = ?', [id]);
    });
    expect(runs).toBe(3);
    expect(await database.dataSource.query('SELECT n FROM counted WHERE id = ?', [id])).toEqual([{ n: 2 }]);
  });
});

describe('acceptance over a line that is cut at COMMITs', () => {
  const line = new CommitCable();
  let engine: Engine;
  let process: TestingModule;

  beforeAll(async () => {
    engine = await startEngine();
    process = await startEngineOn(await line.plug(engine.database.url));
  });
  afterAll(async () => {
    await process.close();
    await line.unplug();
    await engine.stop();
  });

  it('debits each campaign once, in groups and alone, small and large', async () => {
    const acceptance = process.get(CampaignAcceptance, { strict: false });
    const accountId = await engine.account('cut-off', 100_000);
    const sizes = [1, 1, 1, 1, 1, 2_000, 26_000];
    const rounds: Cut[][] = [['after'], ['before', 'after'], ['after', 'before', 'after', 'after', 'after']];
    for (const cuts of rounds) {
      line.cutNext(...cuts);
      await Promise.all(sizes.map((size) => acceptance.accept(engine.draft(accountId, numbers(size)))));
    }
    expect(line.cutOff).toBe(rounds.flat().length);
    const [sums] = await engine.database.dataSource.query<object[]>(
      `SELECT COUNT(*) AS campaigns, SUM(total_rows) AS total, SUM((SELECT COUNT(*) FROM campaign_recipients r
         WHERE r.campaign_id = c.id)) AS recipients, (SELECT COUNT(*) FROM campaign_recipients) AS kept,
         (SELECT COUNT(*) FROM acceptances_under_way) AS under_way FROM campaigns c`,
    );
    const total = String(3 * 28_005);
    expect(sums).toEqual({ campaigns: 21, total, recipients: total, kept: Number(total), under_way: 0 });
    expect(await engine.available(accountId)).toEqual({ stored: 100_000 - 84_015, ledger: 100_000 - 84_015 });
  });
});

describe('a worker over a line that is cut at COMMITs', () => {
  const line = new CommitCable();
  let engine: Engine;
  let process: TestingModule;
  let sent: OutboundMessage[];
  let carrier: (message: OutboundMessage) => SendOutcome;

  beforeAll(async () => {
    engine = await startEngine();
    process = await startEngineOn(await line.plug(engine.database.url));
  });
  afterAll(async () => {
    await process.close();
    await line.unplug();
    await engine.stop();
  });

  const accepted = ({ ref }: OutboundMessage): SendOutcome => ({ kind: 'accepted', providerMessageIds: [`id-${ref}`] });
  const refused: SendOutcome = { kind: 'rejected', submitted: false, code: 11, text: 'no such number' };
  const busy: SendOutcome = { kind: 'retry', afterMs: 0, code: null, text: 'busy', throttled: false };
  const worker = () => {
    const part: Engine['part'] = (type) => process.get(type, { strict: false });
    const send = (message: OutboundMessage): Promise<SendOutcome> => {
      sent.push(message);
      return Promise.resolve(carrier(message));
    };
    return laneWorker({ ...engine, module: process, part }, { environment: { LANE_LEASE: 30_000 }, send });
  };
  const row = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row | undefined> =>
    (await engine.database.dataSource.query<Row[]>(sql, values))[0];
  const marks = async (): Promise<number> => Number((await row<{ n: number }>(COUNT_MARKS))?.n);

  const ways: Cut[][] = [
    ['after', 'after'],
    ['before', 'after'],
    ['after', 'before', 'after'],
    ['before', 'before'],
  ];
  it.each(ways.map((cuts) => [cuts]))('sends each window once, and leaves no mark: %s', async (cuts) => {
    const accountId = await engine.account(`cut-${cuts.join('-')}`, 10);
    const { id, requestId } = await engine.part(CampaignAcceptance).accept(engine.draft(accountId, numbers(4)));
    const before = await marks();
    sent = [];
    carrier = (message) => (sent.length === 4 ? refused : accepted(message));
    line.cutNext(...cuts);
    await worker().run(firstLane(id));
    expect(sent).toHaveLength(4);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 3, Failed: 1 });
    const { stored, ledger } = await engine.available(accountId);
    expect(stored).toBe(ledger);
    expect(await row('SELECT sent_at IS NOT NULL AS is_sent FROM campaigns WHERE id = ?', [id])).toEqual({
      is_sent: 1,
    });
    expect(await row('SELECT COUNT(*) AS n FROM campaign_lanes WHERE campaign_id = ?', [id])).toEqual({ n: 0 });
    expect(await marks()).toBe(before);
  });

  it('makes a try that was put off once more, and not twice', async () => {
    const accountId = await engine.account('put-off', 10);
    const { id, requestId } = await engine.part(CampaignAcceptance).accept(engine.draft(accountId, numbers(2)));
    sent = [];
    carrier = (message) => (sent.length === 2 ? busy : accepted(message));
    line.cutNext('after', 'after');
    await worker().run(firstLane(id));
    carrier = accepted;
    await engine.database.dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3)');
    line.cutNext('after', 'after');
    await worker().run(firstLane(id));
    expect(sent).toHaveLength(3);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 2 });
    expect(await row('SELECT COUNT(*) AS n FROM recipient_retries WHERE campaign_id = ?', [id])).toEqual({ n: 0 });
  });

  it('takes receipts once, and leaves no mark', async () => {
    const accountId = await engine.account('receipts', 10);
    const { id, requestId } = await engine.part(CampaignAcceptance).accept(engine.draft(accountId, numbers(3)));
    sent = [];
    carrier = accepted;
    await worker().run(firstLane(id));
    const before = await marks();
    const receipts = sent.map(({ ref }): Receipt => ({
      ...{ providerMessageId: `id-${ref}`, status: 'delivered', errorCode: null, errorText: null, receiver: null },
    }));
    line.cutNext('after', 'before', 'after');
    await process.get(ReceiptSink, { strict: false }).accept(1, receipts);
    expect(await engine.counts(requestId)).toEqual({ Delivered: 3 });
    expect(await marks()).toBe(before);
  });
});
