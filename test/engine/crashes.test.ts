import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { endingsOf, type LaneSnapshot } from '../../src/modules/engine/lanes.js';
import { Cancellations } from '../../src/modules/engine/settle/cancellations.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import {
  type OutboundMessage,
  type Receipt,
  ReceiptSink,
  type SendOutcome,
} from '../../src/modules/providers/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import {
  claimUpTo,
  dueNow,
  firstLane,
  type LaneWorker,
  laneWorker,
  pending,
  snapshotOf,
} from '../support/lane-worker.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

const LEASE_MS = 5_000;

const receipt = (providerMessageId: string, status: Receipt['status'], fields: Partial<Receipt> = {}): Receipt => ({
  providerMessageId,
  status,
  errorCode: null,
  errorText: null,
  receiver: null,
  ...fields,
});

const throttled = (afterMs: number): SendOutcome => ({
  kind: 'retry',
  afterMs,
  code: 88,
  text: 'busy',
  throttled: true,
});

/** The worker's side with a carrier of our own, broken off at chosen lines as a crash or a lost connection would. */
describe('a worker that breaks off', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let lanes: LaneStore;
  let results: BatchResults;
  let states: CampaignStates;
  let sink: ReceiptSink;
  let reader: CampaignReader;
  let carrier: (message: OutboundMessage) => Promise<SendOutcome>;
  let routeIsThere: boolean;
  let attachments: string[];

  beforeAll(async () => {
    engine = await startEngine();
    const get = <T>(type: abstract new (...parameters: never[]) => T): T =>
      engine.module.get<T>(type, { strict: false });
    dataSource = get(DataSource);
    lanes = engine.part(LaneStore);
    results = engine.part(BatchResults);
    states = get(CampaignStates);
    sink = get(ReceiptSink);
    reader = get(CampaignReader);
  });
  afterAll(async () => engine.stop());
  beforeEach(() => {
    carrier = (message) => Promise.resolve({ kind: 'accepted', providerMessageIds: [`id-${message.ref}`] });
    routeIsThere = true;
    attachments = [];
  });

  const runner = (
    parts: { lanes?: LaneStore; results?: BatchResults; cancellations?: Cancellations; speed?: number } = {},
    leaseMs = LEASE_MS,
  ): LaneWorker => {
    return laneWorker(engine, {
      lanes: parts.lanes ?? lanes,
      results: parts.results ?? results,
      cancellations: parts.cancellations ?? engine.part(Cancellations),
      environment: { LANE_LEASE: leaseMs },
      route: { messagesPerSecond: parts.speed ?? null },
      attachments: () => attachments,
      routeIsThere: () => routeIsThere,
      send: (message) => carrier(message),
    });
  };
  const accept = async (
    username: string,
    receivers: string[],
  ): Promise<{ id: number; requestId: string; accountId: number }> => {
    const accountId = await engine.account(username, receivers.length);
    const accepted = await engine.module
      .get(CampaignAcceptance, { strict: false })
      .accept(engine.draft(accountId, receivers));
    return { id: accepted.id, requestId: accepted.requestId, accountId };
  };
  const lane = (campaignId: number): Promise<LaneSnapshot> => snapshotOf(lanes, campaignId);
  /** Runs batches until the lane wants no more. @returns how many */
  const drive = async (campaignId: number, worker = runner()): Promise<number> => {
    for (let runs = 1; ; runs++) {
      if (!(await worker.run(firstLane(campaignId))) || runs > 40) return runs;
    }
  };
  const leaseEnds = (campaignId: number): Promise<unknown> =>
    dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [campaignId]);
  const retriesDue = (campaignId: number): Promise<unknown> =>
    dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [campaignId]);
  /** The same object, but one method breaks. */
  const broken = <T extends object>(whole: T, method: keyof T): T =>
    Object.assign(Object.create(whole) as T, { [method]: () => Promise.reject(new Error('broken off')) });

  it('in the middle of a cancel leaves nobody unknown, and everybody is refunded', async () => {
    const { id, requestId, accountId } = await accept('cancel-crash', numbers(10));
    await states.changeAlone(id, 'cancel');
    await expect(
      runner({ cancellations: broken(engine.part(Cancellations), 'step') }).run(firstLane(id)),
    ).rejects.toThrow('broken off');
    await leaseEnds(id);
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Cancelled: 10 });
    expect(await engine.available(accountId)).toEqual({ stored: 10, ledger: 10 });
  });

  it('while it refuses for want of a route leaves nobody unknown, and everybody is refunded', async () => {
    const { id, requestId, accountId } = await accept('refuse-crash', numbers(10));
    routeIsThere = false;
    await expect(runner({ results: broken(results, 'giveUp') }).run(firstLane(id))).rejects.toThrow('broken off');
    await leaseEnds(id);
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Failed: 10 });
    expect(await engine.available(accountId)).toEqual({ stored: 10, ledger: 10 });
  });

  it('a renewal that comes after the end of its batch does not take the lane again', async () => {
    const { id } = await accept('late-renewal', numbers(10));
    const planned = await lane(id);
    await claimUpTo(lanes, planned, 6);
    await results.flush([], endingsOf([planned]));
    expect(await lanes.renew([planned], LEASE_MS)).toBe(false);
    expect((await lane(id)).nextSeq).toBe(6);
  });

  it('a cancel does not wait for retries that are due in an hour', async () => {
    const { id, requestId, accountId } = await accept('cancel-retries', numbers(6));
    const release: (() => void)[] = [];
    carrier = () => new Promise((resolve) => release.push(() => resolve(throttled(3_600_000))));
    const window = drive(id);
    while (release.length < 6) await new Promise((resolve) => setTimeout(resolve, 10));
    await states.changeAlone(id, 'cancel');
    for (const answer of release) answer();
    await window;
    expect(await engine.counts(requestId)).toEqual({ Cancelled: 6 });
    expect(await engine.available(accountId)).toEqual({ stored: 6, ledger: 6 });
    expect(await dataSource.query('SELECT 1 FROM recipient_retries WHERE campaign_id = ?', [id])).toEqual([]);
  });

  it('cancels a lane full of retries in bounded steps', async () => {
    const { id, requestId, accountId } = await accept('cancel-steps', numbers(2_500));
    carrier = () => Promise.resolve(throttled(3_600_000));
    await drive(id);
    await states.changeAlone(id, 'cancel');
    const steps: number[] = [];
    const whole = engine.part(Cancellations);
    const counting: Cancellations = Object.assign(Object.create(whole) as Cancellations, {
      step: async (...parameters: Parameters<Cancellations['step']>) => {
        const end = await whole.step(...parameters);
        steps.push((await engine.counts(requestId))['Cancelled'] ?? 0);
        return end;
      },
    });
    await drive(id, runner({ cancellations: counting }));
    expect(steps).toEqual([2_000, 2_500]);
    expect(await engine.available(accountId)).toEqual({ stored: 2_500, ledger: 2_500 });
  });

  it('a worker that lost its lease leaves no retry of a recipient that is settled or in other hands', async () => {
    const { id, requestId, accountId } = await accept('stale-retries', numbers(4));
    await states.begin(dataSource.manager, [id], 60_000);
    const lost = await lane(id);
    await claimUpTo(lanes, lost, 5);
    const window = await pending(dataSource, lost, 1, 5);
    await leaseEnds(id);
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 4 });
    // One is with the carrier after all, and one was sent to again; of the others nobody knows but the worker.
    await dataSource.query('UPDATE campaign_recipients SET status = 1 WHERE campaign_id = ? AND seq = 1', [id]);
    await dataSource.query('UPDATE campaign_counters SET recipients = 3 WHERE campaign_id = ? AND status = 9', [id]);
    await dataSource.query('INSERT INTO campaign_counters VALUES (?, 0, 1, 1, 0)', [id]);
    await dataSource.query('UPDATE unknown_outcomes SET lost_fence = NULL WHERE campaign_id = ? AND seq = 2', [id]);
    await results.flush(
      window.map((recipient) => ({ recipient, outcome: throttled(1_000) })),
      endingsOf([lost]),
    );
    const retries: unknown = await dataSource.query('SELECT seq FROM recipient_retries WHERE campaign_id = ?', [id]);
    expect(retries).toEqual([{ seq: 3 }, { seq: 4 }]);
    await states.changeAlone(id, 'cancel');
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 1, Unknown: 1, Cancelled: 2 });
    expect(await engine.available(accountId)).toEqual({ stored: 2, ledger: 2 });
  });

  it('a retry row that was left behind never cancels and refunds what the carrier has', async () => {
    const { id, requestId, accountId } = await accept('left-behind', numbers(4));
    carrier = () => Promise.resolve(throttled(3_600_000));
    await drive(id);
    await dataSource.query('UPDATE campaign_recipients SET status = 1 WHERE campaign_id = ? AND seq < 3', [id]);
    await dataSource.query(
      'INSERT INTO campaign_counters VALUES (?, 0, 1, 2, 0) ON DUPLICATE KEY UPDATE recipients = 2',
      [id],
    );
    await dataSource.query('UPDATE campaign_counters SET recipients = 2 WHERE campaign_id = ? AND status = 0', [id]);
    await states.changeAlone(id, 'cancel');
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 2, Cancelled: 2 });
    expect(await engine.available(accountId)).toEqual({ stored: 2, ledger: 2 });
    expect(await dataSource.query('SELECT 1 FROM recipient_retries WHERE campaign_id = ?', [id])).toEqual([]);
  });

  it('retries of a route that is gone end, and the lane with them', async () => {
    const { id, requestId, accountId } = await accept('gone-retries', numbers(3));
    carrier = () => Promise.resolve(throttled(1));
    await drive(id);
    routeIsThere = false;
    await retriesDue(id);
    expect(await drive(id)).toBeLessThan(5);
    expect(await engine.counts(requestId)).toEqual({ Failed: 3 });
    expect(await engine.available(accountId)).toEqual({ stored: 3, ledger: 3 });
  });

  it('a worker that is stopping leaves the lane to the next relay at once', async () => {
    const { id } = await accept('stopping', numbers(3));
    const stopping = runner();
    stopping.stop();
    expect(await stopping.run(firstLane(id))).toBe(false);
    expect((await dueNow(dataSource)).has(id)).toBe(true);
  });

  it('results outlive a database that is away for longer than the lease', async () => {
    const { id, requestId } = await accept('away', numbers(5));
    let away = true;
    const unreachable: BatchResults = Object.assign(Object.create(results) as BatchResults, {
      flush: (...parameters: Parameters<BatchResults['flush']>) =>
        away ? Promise.reject(new Error('no connection')) : results.flush(...parameters),
    });
    const window = runner({ results: unreachable, lanes: broken(lanes, 'renew') }, 300).run(firstLane(id));
    await new Promise((resolve) => setTimeout(resolve, 900));
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 5 });
    away = false;
    await window;
    expect(await engine.counts(requestId)).toEqual({ Submitted: 5 });
  });

  it('the speed of a route counts the items of a message, not its recipient', async () => {
    await dataSource.query(
      `INSERT INTO routes (id, name, channel, driver, config, messages_per_second, callback_secret, pace_us, created_at, updated_at)
       VALUES (1, 'paced', 'sms', 'fake', '', 400, 'x', 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
    );
    const { id, requestId } = await accept('items', numbers(300));
    attachments = ['https://f.example/1.jpg', 'https://f.example/2.jpg', 'https://f.example/a.pdf'];
    const worker = runner({ speed: 400 });
    await worker.run(firstLane(id));
    expect(await engine.counts(requestId)).toEqual({ Pending: 200, Submitted: 100 });
    attachments = [];
    await worker.run(firstLane(id));
    expect(await engine.counts(requestId)).toEqual({ Submitted: 300 });
  });

  it('a send that throws spoils only itself', async () => {
    const { id, requestId } = await accept('throws', numbers(5));
    carrier = (message) =>
      message.to === numbers(2)[1]
        ? Promise.reject(new Error('a fault of the driver'))
        : Promise.resolve({ kind: 'accepted', providerMessageIds: [`t-${message.ref}`] });
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 4, Unknown: 1 });
  });

  it('an id that the carrier uses again names the newest message that still waits', async () => {
    const old = await accept('old-id', numbers(2));
    carrier = (message) =>
      Promise.resolve({ kind: 'accepted', providerMessageIds: [`again-${message.ref.split('-')[1] as string}`] });
    await drive(old.id);
    await sink.accept(1, [receipt('again-1', 'delivered')]);
    const fresh = await accept('new-id', numbers(2));
    await drive(fresh.id);
    await sink.accept(1, [
      receipt('again-1', 'failed', { errorCode: 1, errorText: 'no' }),
      receipt('again-2', 'delivered'),
    ]);
    expect(await engine.counts(fresh.requestId)).toEqual({ Failed: 1, Delivered: 1 });
    expect(await engine.counts(old.requestId)).toEqual({ Delivered: 1, Submitted: 1 });
    await sink.accept(1, [receipt('again-2', 'delivered')]);
    expect(await engine.counts(old.requestId)).toEqual({ Delivered: 2 });
  });

  it('a message of several parts keeps the reason of its failed part, whatever comes in the same moment', async () => {
    const { id } = await accept('part-reason', numbers(1));
    carrier = () => Promise.resolve({ kind: 'accepted', providerMessageIds: ['reason-a', 'reason-b'] });
    await drive(id);
    await sink.accept(1, [
      receipt('reason-a', 'delivered'),
      receipt('reason-b', 'failed', { errorCode: 3, errorText: 'UNDELIV' }),
    ]);
    expect((await reader.recipients(id, { afterSeq: 0, limit: 1 }))[0]).toMatchObject({
      errorCode: 3,
      errorMessage: 'UNDELIV',
    });
  });
});
