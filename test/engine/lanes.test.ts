import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import type { LanesLeft } from '../../src/modules/engine/state/lane-endings.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { endingsOf, heldFence, type LaneSnapshot } from '../../src/modules/engine/lanes.js';
import { RetryStore } from '../../src/modules/engine/state/retries.js';
import { dataSourceOptions, inTransaction, jsonRows } from '../../src/platform/database/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { claimUpTo, dueNow, snapshotOf } from '../support/lane-worker.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

const DEADLOCK = 1213;

/** Lanes of one campaign beside each other, and beside the changes of its state. */
describe('lanes', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let lanes: LaneStore;
  let states: CampaignStates;

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = engine.module.get(DataSource);
    lanes = engine.part(LaneStore);
    states = engine.module.get(CampaignStates, { strict: false });
  });
  afterAll(() => engine.stop());

  /** A running campaign of ten recipients a lane. */
  const accept = async (username: string, count: number): Promise<{ id: number; requestId: string }> => {
    const total = count * 10;
    const accountId = await engine.account(username, total);
    const { id, requestId } = await engine.module
      .get(CampaignAcceptance, { strict: false })
      .accept(engine.draft(accountId, numbers(total)));
    await dataSource.query('DELETE FROM campaign_lanes WHERE campaign_id = ?', [id]);
    await dataSource.query(
      `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, next_seq, intent_seq, end_seq, fence, wake_at) VALUES
       ${Array.from({ length: count }, () => `(?, ?, 'sms', 1, ${accountId}, ?, ?, ?, 0, UTC_TIMESTAMP(3))`).join(',')}`,
      Array.from({ length: count }, (_, lane) => [id, lane, lane * 10 + 1, lane * 10 + 1, lane * 10 + 11]).flat(),
    );
    await states.begin(dataSource.manager, [id], 60_000);
    return { id, requestId };
  };
  const fence = async (campaignId: number, lane: number): Promise<number> => {
    const [row] = await dataSource.query<{ fence: number }[]>(
      'SELECT fence FROM campaign_lanes WHERE campaign_id = ? AND lane = ?',
      [campaignId, lane],
    );
    return row?.fence ?? -1;
  };
  const claimed = async (campaignId: number, lane: number, size = 10): Promise<LaneSnapshot> => {
    const snapshot = await snapshotOf(lanes, campaignId, lane);
    expect(await claimUpTo(lanes, snapshot, snapshot.nextSeq + size)).toBe(true);
    return snapshot;
  };
  const finish = (snapshot: LaneSnapshot): Promise<LanesLeft> =>
    inTransaction(dataSource, (tx) => lanes.finish(tx, endingsOf([snapshot])));
  const isDue = async (campaignId: number): Promise<boolean> => (await dueNow(dataSource)).has(campaignId);
  const wakeOf = async (campaignId: number): Promise<Date | null> => {
    const [row] = await dataSource.query<{ wake_at: Date | null }[]>(
      'SELECT wake_at FROM campaign_lanes WHERE campaign_id = ? AND lane = 0',
      [campaignId],
    );
    return row?.wake_at ?? null;
  };

  it('made again have a fence that no worker of the lane before can hold, however soon', async () => {
    const { id } = await accept('made-again', 1);
    const retries = engine.part(RetryStore);
    const held: number[] = [];
    for (let made = 0; made < 3; made++) {
      await dataSource.query('DELETE FROM campaign_lanes WHERE campaign_id = ?', [id]);
      await inTransaction(dataSource, (tx) =>
        retries.plan(tx, [{ campaignId: id, seq: 1, lane: 0, delayMs: 60_000, lastStatus: null }]),
      );
      for (let snapshots = 0; snapshots < 3; snapshots++) {
        const snapshot = await claimed(id, 0, 0);
        held.push(heldFence(snapshot));
        await finish(snapshot);
      }
    }
    expect(new Set(held).size).toBe(9);
    expect([...held].sort((a, b) => a - b)).toEqual(held);
  });

  it('that end together never deadlock', async () => {
    let deadlocks = 0;
    for (let round = 0; round < 15; round++) {
      const { id } = await accept(`together-${round}`, 8);
      const snapshots = await Promise.all(Array.from({ length: 8 }, (_, lane) => claimed(id, lane)));
      const ends = await Promise.allSettled(
        snapshots.map((snapshot) => dataSource.transaction((tx) => lanes.finish(tx, endingsOf([snapshot])))),
      );
      deadlocks += ends.filter(
        (end) => end.status === 'rejected' && (end.reason as { errno?: number }).errno === DEADLOCK,
      ).length;
    }
    expect(deadlocks).toBe(0);
  });

  it('that a worker holds keep their wake through a pause: when he dies, his window is recovered', async () => {
    const { id } = await accept('held', 1);
    await claimed(id, 0, 5);
    await dataSource.query('UPDATE campaign_lanes SET wake_at = lease_until WHERE campaign_id = ?', [id]);
    expect(await states.changeAlone(id, 'pause')).toBe(true);
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    expect(await isDue(id)).toBe(true);
    expect(await snapshotOf(lanes, id)).toMatchObject({ state: 'paused', nextSeq: 1, intentSeq: 6 });
  });

  it('that a dead worker held before the pause keep their wake too', async () => {
    const { id } = await accept('dead', 1);
    await claimed(id, 0, 5);
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    await states.changeAlone(id, 'pause');
    expect(await isDue(id)).toBe(true);
  });

  it('sleep once their batch is over, whichever of pause and batch is written first', async () => {
    const { id } = await accept('pause-meets-end', 1);
    const first = await claimed(id, 0, 5);
    await states.changeAlone(id, 'pause');
    expect(await finish(first)).toEqual({ more: false, done: [] });
    expect(await wakeOf(id)).toBeNull();

    await states.changeAlone(id, 'resume');
    const second = await claimed(id, 0, 2);
    const held = dataSource.createQueryRunner();
    await held.startTransaction('READ COMMITTED');
    expect(await lanes.finish(held.manager, endingsOf([second]))).toMatchObject({ more: true });
    const pausing = states.changeAlone(id, 'pause'); // waits for the lane
    await held.commitTransaction();
    await held.release();
    expect(await pausing).toBe(true);
    expect(await wakeOf(id)).toBeNull();
    expect(await fence(id, 0)).toBe(second.fence + 2);
  });

  it('wake when a resume meets the end of their batch', async () => {
    const { id } = await accept('resume-meets-end', 1);
    const snapshot = await claimed(id, 0, 5);
    await states.changeAlone(id, 'pause');
    const held = dataSource.createQueryRunner();
    await held.startTransaction('READ COMMITTED');
    expect(await states.change(held.manager, id, 'resume')).toBe(true);
    const ending = finish(snapshot); // waits for the lane
    await held.commitTransaction();
    await held.release();
    expect(await ending).toMatchObject({ more: true });
    expect(await wakeOf(id)).not.toBeNull();
  });

  it('say when the last recipient left', async () => {
    const { id, requestId } = await accept('sent-at', 2);
    const sentAt = async (): Promise<Date | null> =>
      (await engine.module.get(CampaignReader, { strict: false }).byRequestId(requestId))?.sentAt ?? null;
    for (const lane of [0, 1]) {
      expect(await sentAt()).toBeNull();
      const { done } = await finish(await claimed(id, lane));
      expect(done).toEqual([id]);
      await states.markSent(done);
    }
    expect(await sentAt()).not.toBeNull();
  });

  /** How many rows the server reads for this work of a pool of one connection. */
  const rowsRead = async (own: DataSource, work: () => Promise<unknown>): Promise<number> => {
    const soFar = async (): Promise<number> => {
      const rows = await own.query<{ Value: string }[]>("SHOW SESSION STATUS LIKE 'Handler\\_read\\_%'");
      return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
    };
    const before = await soFar();
    await work();
    return (await soFar()) - before;
  };

  it('plan their batch at the same cost, however many retries wait', async () => {
    const { id } = await accept('many-retries', 1);
    const own = new DataSource(dataSourceOptions(engine.database.url, 1));
    await own.initialize();
    try {
      const store = new LaneStore(own);
      const cost = (): Promise<number> =>
        rowsRead(own, async () => {
          const snapshot = await snapshotOf(store, id);
          await own.transaction(async (tx) => {
            await store.finish(tx, endingsOf([{ ...snapshot, fence: snapshot.fence - 1 }]));
          });
        });
      const resting = await cost();
      const seqs = Array.from({ length: 20_000 }, (_, index) => index + 1);
      await own.query(
        `INSERT INTO recipient_retries (campaign_id, seq, lane, due_at, attempt)
         SELECT ?, j.seq, 0, UTC_TIMESTAMP(3) + INTERVAL IF(j.seq % 2, -1, 1) HOUR, 1
         FROM JSON_TABLE(?, '$[*]' COLUMNS (seq INT PATH '$')) j`,
        [id, jsonRows(seqs)],
      );
      expect((await snapshotOf(store, id)).retriesDue).toBe(true);
      expect(await cost()).toBeLessThan(resting + 1_500);
    } finally {
      await own.destroy();
    }
  });
});
