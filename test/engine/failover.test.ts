import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CampaignAcceptance, RouteQueues } from '../../src/modules/engine/index.js';
import { DownLanes } from '../../src/modules/engine/dispatch/route-down.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import { A, B, C, Carriers, carriersWorker } from '../support/carriers.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { claimUpTo, dueNow, firstLane, type LaneWorker, snapshotOf } from '../support/lane-worker.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';

/** Longer than a route that is gone may be back. */
const LONG_MS = 2_500;

describe('a lane whose route cannot be used', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let lanes: LaneStore;
  let carriers: Carriers;

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = engine.module.get(DataSource);
    lanes = engine.part(LaneStore);
  });
  afterAll(() => engine.stop());
  beforeEach(() => {
    carriers = new Carriers();
  });

  const workerOf = (own: Carriers, fields: { deduplicates?: boolean } = {}): LaneWorker =>
    carriersWorker(engine, own, fields);
  const accept = async (
    username: string,
    total: number,
    fields: Partial<CampaignDraft> = { fallbacks: [B, C] },
  ): Promise<{ id: number; requestId: string; accountId: number }> => {
    const accountId = await engine.account(username, total);
    const { id, requestId } = await engine
      .part(CampaignAcceptance)
      .accept(engine.draft(accountId, numbers(total), fields));
    return { id, requestId, accountId };
  };
  const routeOf = async (id: number, lane = 0): Promise<number | null> => {
    const [row] = await dataSource.query<{ route: number }[]>(
      'SELECT route_id AS route FROM campaign_lanes WHERE campaign_id = ? AND lane = ?',
      [id, lane],
    );
    return row?.route ?? null;
  };
  const changesOf = (id: number): Promise<Record<string, unknown>[]> =>
    dataSource.query(
      'SELECT lane, seq, from_seq, from_route, to_route, reason FROM route_changes WHERE campaign_id = ? ORDER BY at, fence',
      [id],
    );
  const drive = async (worker: LaneWorker, id: number, lane = 0): Promise<void> => {
    for (let runs = 0; runs < 20 && (await worker.run({ campaignId: id, lane })); runs++);
  };
  /** The lane has stood still for so long already. */
  const stalledFor = (id: number, milliseconds: number): Promise<unknown> =>
    dataSource.query(
      'UPDATE campaign_lanes SET stalled_since = UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND WHERE campaign_id = ?',
      [milliseconds * 1_000, id],
    );
  const leaseEnds = (id: number): Promise<unknown> =>
    dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);

  const checkedInS = async (id: number): Promise<number> => {
    const [row] = await dataSource.query<{ seconds: number }[]>(
      'SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), overdue_check_at) AS seconds FROM campaigns WHERE id = ?',
      [id],
    );
    return Number(row?.seconds);
  };

  it('hands over what was never submitted, and says from where, to where and why', async () => {
    const { id, requestId } = await accept('hand-over', 700);
    const worker = workerOf(carriers);
    expect(await worker.run(firstLane(id))).toBe(true);
    expect(await checkedInS(id)).toBeGreaterThan(3_600);
    carriers.downMs.set(A, LONG_MS);
    expect(await worker.run(firstLane(id))).toBe(true);
    expect(await routeOf(id)).toBe(B);
    // the new route may wait less for its receipts
    expect(await checkedInS(id)).toBeLessThanOrEqual(30);
    await drive(worker, id);
    expect([carriers.tally(), carriers.doubled]).toEqual([{ [A]: 500, [B]: 200 }, []]);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 700 });
    const reason = 'Carrier is not reachable';
    expect(await changesOf(id)).toEqual([{ lane: 0, seq: 0, from_seq: 501, from_route: A, to_route: B, reason }]);
    const routes = await dataSource.query<unknown[]>(
      'SELECT route_id AS route, COUNT(*) AS messages FROM provider_messages WHERE campaign_id = ? GROUP BY route_id ORDER BY 1',
      [id],
    );
    expect(routes).toEqual([
      { route: A, messages: 500 },
      { route: B, messages: 200 },
    ]);
  });

  it('waits while the route may be back at once, and without another that is usable', async () => {
    const { id } = await accept('patience', 3);
    const worker = workerOf(carriers);
    carriers.downMs.set(A, 1_900);
    expect(await worker.run(firstLane(id))).toBe(false);
    expect(await routeOf(id)).toBe(A);
    for (const route of [A, B, C]) carriers.downMs.set(route, LONG_MS);
    expect(await worker.run(firstLane(id))).toBe(false);
    expect(await routeOf(id)).toBe(A);
    // both down, then one returns
    carriers.downMs.delete(C);
    expect(await worker.run(firstLane(id))).toBe(true);
    expect(await routeOf(id)).toBe(C);
    await drive(worker, id);
    expect(carriers.tally()).toEqual({ [C]: 3 });
  });

  it('waits where its campaign names no other route', async () => {
    const { id } = await accept('alone', 3, {});
    carriers.downMs.set(A, LONG_MS);
    expect(await workerOf(carriers).run(firstLane(id))).toBe(false);
    expect([await routeOf(id), await changesOf(id)]).toEqual([A, []]);
  });

  it('goes back to the first when the second fails, but is not thrown to and fro', async () => {
    const { id } = await accept('back', 3, { fallbacks: [B] });
    const worker = workerOf(carriers);
    carriers.downMs.set(A, LONG_MS);
    await worker.run(firstLane(id));
    expect(await routeOf(id)).toBe(B);
    carriers.downMs.delete(A);
    carriers.downMs.set(B, LONG_MS);
    await worker.run(firstLane(id));
    expect(await routeOf(id)).toBe(B);
    await stalledFor(id, 2_000);
    await worker.run(firstLane(id));
    expect(await routeOf(id)).toBe(A);
    carriers.downMs.set(A, LONG_MS);
    carriers.downMs.delete(B);
    await stalledFor(id, 2_000);
    await worker.run(firstLane(id));
    expect(await routeOf(id)).toBe(A);
    await stalledFor(id, 4_000);
    await worker.run(firstLane(id));
    expect(await routeOf(id)).toBe(B);
    expect(await changesOf(id)).toHaveLength(3);
  });

  it('is left alone while a worker that reaches the route holds it', async () => {
    const { id, requestId } = await accept('held', 10);
    const well = new Carriers();
    const snapshot = await snapshotOf(lanes, id);
    expect(await claimUpTo(lanes, snapshot, 6)).toBe(true);
    carriers.downMs.set(A, LONG_MS);
    const blind = workerOf(carriers);
    expect(await blind.run(firstLane(id))).toBe(false);
    expect(await routeOf(id)).toBe(A);
    // whoever has read it before it was handed over sends nothing over the old route
    await dataSource.query(
      'UPDATE campaign_lanes SET lease_until = NULL, intent_seq = next_seq WHERE campaign_id = ?',
      [id],
    );
    const read = await snapshotOf(lanes, id);
    await blind.run(firstLane(id));
    expect(await routeOf(id)).toBe(B);
    expect(await claimUpTo(lanes, read, 11)).toBe(false);
    await Promise.all([drive(blind, id), drive(workerOf(well), id)]);
    expect([...carriers.sent, ...well.sent].map(({ route }) => route)).toEqual(Array.from({ length: 10 }, () => B));
    expect(await engine.counts(requestId)).toEqual({ Submitted: 10 });
  });

  it('is first recovered by its old route when its worker was killed; who may have left stays with that', async () => {
    const { id, requestId } = await accept('killed', 10);
    expect(await claimUpTo(lanes, await snapshotOf(lanes, id), 5)).toBe(true);
    await leaseEnds(id);
    carriers.downMs.set(A, LONG_MS);
    const worker = workerOf(carriers);
    await drive(worker, id);
    expect(carriers.tally()).toEqual({ [B]: 6 });
    expect(await engine.counts(requestId)).toEqual({ Unknown: 4, Submitted: 6 });
    const unknown = await dataSource.query<unknown[]>(
      'SELECT route_id AS route, lost_lane AS lane FROM unknown_outcomes WHERE campaign_id = ?',
      [id],
    );
    expect(unknown).toEqual(Array.from({ length: 4 }, () => ({ route: A, lane: 0 })));
  });

  it('leaves retries of which a copy may have left to their receipts', async () => {
    const { id, requestId } = await accept('doubt', 4);
    carriers.answer = (_, { ref }) =>
      ref.endsWith('-1') ? { kind: 'unknown' } : { kind: 'unsent', afterMs: 0, text: 'Carrier is not reachable' };
    const worker = workerOf(carriers, { deduplicates: true });
    await worker.run(firstLane(id));
    const waiting = 'SELECT seq FROM recipient_retries WHERE campaign_id = ? ORDER BY seq';
    expect(await dataSource.query(waiting, [id])).toHaveLength(4);
    await dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    await dataSource.query('UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    carriers.downMs.set(A, LONG_MS);
    carriers.answer = (_, { ref }) => ({ kind: 'accepted', providerMessageIds: [ref] });
    carriers.sent.length = 0;
    await drive(worker, id);
    expect(carriers.tally()).toEqual({ [B]: 3 });
    expect(await engine.counts(requestId)).toEqual({ Unknown: 1, Submitted: 3 });
  });

  it('of single messages goes in one step with those of many campaigns', async () => {
    const singles = await Promise.all(Array.from({ length: 12 }, (_, at) => accept(`single-${at}`, 1)));
    const keys = singles.map(({ id }) => firstLane(id));
    carriers.downMs.set(A, LONG_MS);
    const worker = workerOf(carriers);
    expect(await worker.run(...keys)).toBe(true);
    expect(await Promise.all(singles.map(({ id }) => routeOf(id)))).toEqual(singles.map(() => B));
    while (await worker.run(...keys));
    expect([carriers.tally(), carriers.doubled]).toEqual([{ [B]: 12 }, []]);
  });

  it('sleeps while its campaign is paused, is refunded when it is cancelled, and moves for neither', async () => {
    const states = engine.part(CampaignStates);
    const [paused, cancelled] = [await accept('paused', 5), await accept('cancelled', 5)];
    await states.changeAlone(paused.id, 'pause');
    await states.changeAlone(cancelled.id, 'cancel');
    carriers.downMs.set(A, LONG_MS);
    const worker = workerOf(carriers);
    for (const { id } of [paused, cancelled]) await drive(worker, id);
    expect([await routeOf(paused.id), await changesOf(cancelled.id)]).toEqual([A, []]);
    expect(await engine.counts(cancelled.requestId)).toEqual({ Cancelled: 5 });
    expect(await engine.available(cancelled.accountId)).toEqual({ stored: 5, ledger: 5 });
    expect((await dueNow(dataSource)).has(paused.id)).toBe(false);
    await states.changeAlone(paused.id, 'resume');
    await drive(worker, paused.id);
    expect(carriers.tally()).toEqual({ [B]: 5 });
  });

  it('moves at once when its route was removed, and fails only where no other is left', async () => {
    const { id } = await accept('removed', 3);
    const alone = await accept('removed-alone', 3, {});
    carriers.gone.add(A);
    const worker = workerOf(carriers);
    for (const { id: each } of [{ id }, alone]) await drive(worker, each);
    expect(carriers.tally()).toEqual({ [B]: 3 });
    expect(await engine.counts(alone.requestId)).toEqual({ Failed: 3 });
  });

  it('waits where its route was removed and the others of its chain cannot be used for now', async () => {
    const { id } = await accept('removed-waits', 3);
    carriers.gone.add(A);
    carriers.downMs.set(B, LONG_MS).set(C, LONG_MS);
    const worker = workerOf(carriers);
    await drive(worker, id);
    expect([await routeOf(id), carriers.sent.length]).toEqual([A, 0]);
    carriers.downMs.clear();
    await drive(worker, id);
    expect(carriers.tally()).toEqual({ [B]: 3 });
  });

  it('keeps its routes from being removed', async () => {
    const { id } = await accept('kept', 2, { fallbacks: [B, 77] });
    const isUsed = (route: number): Promise<boolean> =>
      dataSource.transaction((tx) => engine.part(RouteQueues).unfinishedOn(tx, route));
    expect([await isUsed(77), await isUsed(7)]).toEqual([true, false]);
    await drive(workerOf(carriers), id);
  });

  it('keeps the position, price and terms of its group', async () => {
    const terms = [null, { routeId: B, fallbacks: [C], credits: 2 }, null, { routeId: B, fallbacks: [C] }];
    const { id } = await accept('groups', 10, { recipients: numbers(4), terms, fallbacks: [C] });
    carriers.downMs.set(A, LONG_MS);
    carriers.downMs.set(B, LONG_MS);
    const worker = workerOf(carriers);
    for (const lane of [0, 8]) await drive(worker, id, lane);
    expect([carriers.tally(), carriers.doubled]).toEqual([{ [C]: 4 }, []]);
    expect((await changesOf(id)).map(({ lane, to_route: to }) => [lane, to])).toEqual([
      [0, C],
      [8, C],
    ]);
  });

  it('leaves one message in a while to an upstream in trouble, which shows whether it is back', async () => {
    const campaigns = [await accept('trial-1', 3), await accept('trial-2', 3)];
    carriers.downMs.set(A, LONG_MS);
    carriers.onTrial.add(A);
    carriers.answer = (route, { ref }) =>
      route === A
        ? { kind: 'unsent', afterMs: 0, text: 'Gateway is not reachable' }
        : { kind: 'accepted', providerMessageIds: [ref] };
    const worker = workerOf(carriers);
    const [first, second] = campaigns.map(({ id }) => id) as [number, number];
    await drive(worker, first);
    expect(carriers.tally()).toEqual({ [B]: 3 });
    const clock = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + 16_000);
    await drive(worker, second);
    vi.restoreAllMocks();
    expect(carriers.tally()).toEqual({ [A]: 1, [B]: 5 });
    const tried = Number(carriers.sent.find(({ route }) => route === A)?.ref.split('-')[0]);
    await dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [tried]);
    await worker.run(firstLane(tried));
    expect(carriers.tally()).toEqual({ [A]: 1, [B]: 6 });
    for (const { requestId } of campaigns) expect(await engine.counts(requestId)).toEqual({ Submitted: 3 });
  });

  it('stays whole when its worker is killed in the middle of the move, or before it has told of it', async () => {
    const { id } = await accept('broken-off', 4);
    const { fence } = await snapshotOf(lanes, id);
    const row = [id, 0, 0, fence + 1, 0, 1, A, B, 'in the way'];
    const isBroken = `INSERT INTO route_changes (campaign_id, lane, seq, fence, to_lane, from_seq, from_route, to_route, reason, at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NOW(3))`;
    await dataSource.query(isBroken, row);
    carriers.downMs.set(A, LONG_MS);
    const worker = workerOf(carriers);
    await expect(worker.run(firstLane(id))).rejects.toThrow('Duplicate');
    expect(await routeOf(id)).toBe(A);
    await dataSource.query('DELETE FROM route_changes WHERE campaign_id = ?', [id]);
    await dataSource.query('UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    await worker.run(firstLane(id));
    expect([await routeOf(id), (await dueNow(dataSource)).has(id)]).toEqual([B, true]);
    await drive(workerOf(carriers), id);
    expect([carriers.tally(), carriers.doubled]).toEqual([{ [B]: 4 }, []]);
  });

  it('is found by what there is to do, not by what waits', async () => {
    const alone = await accept('find-alone', 3, { routeId: 77 });
    const chained = await accept('find-chained', 3, { routeId: 77, fallbacks: [B] });
    const snapshot = { channel: 'sms', routeId: 77, single: false };
    const down = new DownLanes(dataSource);
    const find = async (targets: readonly number[]): Promise<number[]> =>
      (await down.find(snapshot, { timeoutMs: 60_000, targets }))
        .map(({ campaignId }) => campaignId)
        .sort((a, b) => a - b);
    const stall = (since: string): Promise<unknown> =>
      dataSource.query(`UPDATE campaign_lanes SET stalled_since = ${since} WHERE route_id = 77`);
    expect(await find([])).toEqual([alone.id, chained.id]);
    await stall('UTC_TIMESTAMP(3)');
    expect([await find([]), await find([C]), await find([B])]).toEqual([[], [], [chained.id]]);
    await stall('UTC_TIMESTAMP(3) - INTERVAL 61 SECOND');
    down.forget(snapshot);
    expect(await find([])).toEqual([alone.id, chained.id]);
    await dataSource.query('UPDATE campaign_lanes SET stalled_since = UTC_TIMESTAMP(3), moves = 3 WHERE route_id = 77');
    expect(await find([B])).toEqual([]);
    await stall('UTC_TIMESTAMP(3) - INTERVAL 8 SECOND');
    expect(await find([B])).toEqual([chained.id]);
  });
});
