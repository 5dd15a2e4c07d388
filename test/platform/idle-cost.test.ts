import { setTimeout as sleep } from 'node:timers/promises';
import type { TestingModule } from '@nestjs/testing';
import { AbstractLogger, DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApi, startApi } from '../support/api.js';
import { startWorker } from '../support/worker.js';

/** Long enough that one statement more or less says nothing. */
const SPAN_MS = 8_000;
/** Statements a second of a process at rest (docs/operate/measurements.md). */
const MOST = 5;

/** What was asked of a database, by the processes themselves: other tests ask the same server. */
class Asked extends AbstractLogger {
  readonly statements: string[] = [];

  override logQuery(statement: string): void {
    this.statements.push(statement.replaceAll(/\s+/g, ' '));
  }

  protected writeLog(): void {
    // nothing but statements is of interest
  }
}

describe('an installation at rest', () => {
  let api: RunningApi;
  const workers: TestingModule[] = [];
  const addWorker = async (): Promise<TestingModule> => {
    const worker = await startWorker(api.environment);
    workers.push(worker);
    return worker;
  };
  /** What these processes ask in a span of time, together. */
  const askedBy = async (processes: readonly { get(type: typeof DataSource): DataSource }[]): Promise<string[]> => {
    const all = processes.map((process) => {
      const asked = new Asked();
      process.get(DataSource).logger = asked;
      return asked;
    });
    await sleep(SPAN_MS);
    return all.flatMap(({ statements }) => statements);
  };
  const most = (aSecond: number): number => (aSecond * SPAN_MS) / 1_000;
  const looks = (statements: readonly string[]): string[] =>
    statements.filter((statement) => statement.startsWith('SELECT EXISTS'));

  beforeAll(async () => {
    api = await startApi();
    // Campaigns of many routes wait for their schedule.
    const lanes = Array.from({ length: 200 }, (_, index) => [
      index + 1,
      'unofficial',
      index + 1,
      new Date('2100-01-01'),
    ]);
    await api.app.get(DataSource).query(
      `INSERT INTO campaign_lanes (campaign_id, channel, route_id, wake_at, lane, account_id, single, next_seq, intent_seq, end_seq, fence)
       VALUES ${lanes.map(() => '(?, 0, 1, 1, 1, 1, 2, 0)').join()}`,
      lanes,
    );
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await api.stop();
  });

  it(
    'asks no more than five times a second in a worker, and hardly at all in an API',
    { timeout: 60_000 },
    async () => {
      const worker = await addWorker();
      await sleep(2_000); // what a start asks is over
      const [byWorker, byApi] = await Promise.all([askedBy([worker]), askedBy([api.app])]);
      expect(byWorker.length).toBeLessThan(most(MOST));
      expect(looks(byWorker).length).toBeGreaterThan(0);
      expect(byApi.length).toBeLessThan(most(1));
    },
  );

  it('looks for due work as often with three workers as with one', { timeout: 60_000 }, async () => {
    await addWorker();
    await addWorker();
    await sleep(2_000);
    const found = looks(await askedBy(workers));
    expect(found.length).toBeGreaterThan(most(1));
    expect(found.length).toBeLessThan(most(3));
  });
});
