import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { endingsOf, refusedLaneOf } from '../../src/modules/engine/lanes.js';
import { LostClaims } from '../../src/modules/engine/settle/lost-claims.js';
import { RefusedSends } from '../../src/modules/engine/settle/refused-sends.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import { type RouteRecord, RouteDirectory, type SendOutcome } from '../../src/modules/providers/index.js';
import { A, B, C, Carriers, carriersWorker } from '../support/carriers.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { claimUpTo, firstLane, type LaneWorker, pending, snapshotOf } from '../support/lane-worker.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

/** A carrier's no, by a code that its route names for failover. */
const refused = (code: number): SendOutcome => ({
  kind: 'rejected',
  code,
  text: 'Invalid destination address',
  submitted: true,
  elsewhere: true,
});
const taken: SendOutcome = { kind: 'accepted', providerMessageIds: ['id'] };

describe('a recipient that a carrier refuses', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let lanes: LaneStore;
  let carriers: Carriers;

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = engine.module.get(DataSource);
    lanes = engine.part(LaneStore);
    const routes = engine.part(RouteDirectory);
    routes.byId = (id) =>
      Promise.resolve(carriers.gone.has(id) ? null : ({ id, driver: 'smpp', config: {} } as RouteRecord));
  });
  afterAll(() => engine.stop());
  beforeEach(() => {
    carriers = new Carriers();
  });

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
  const drive = async (worker: LaneWorker, id: number): Promise<void> => {
    for (let rounds = 0; rounds < 10; rounds++) {
      const open = await lanesOf(id);
      if (open.length === 0) return;
      for (const { lane } of open) await worker.run({ campaignId: id, lane });
    }
  };
  const lanesOf = (id: number): Promise<{ lane: number; route: number }[]> =>
    dataSource.query('SELECT lane, route_id AS route FROM campaign_lanes WHERE campaign_id = ? ORDER BY lane', [id]);
  const retriesOf = (id: number): Promise<{ seq: number; lane: number; attempt: number }[]> =>
    dataSource.query('SELECT seq, lane, attempt FROM recipient_retries WHERE campaign_id = ? ORDER BY seq', [id]);
  const recipientsOf = (id: number): Promise<{ attempts: number; code: number | null }[]> =>
    dataSource.query(
      'SELECT attempts, error_code AS code FROM campaign_recipients WHERE campaign_id = ? ORDER BY seq',
      [id],
    );
  const LANE_B = refusedLaneOf(0, 1);

  it('goes on to the next route of its chain, for the same price', async () => {
    const { id, requestId, accountId } = await accept('next', 6);
    carriers.answer = (route, { ref }) => (route === A && Number(ref.split('-')[1]) % 2 === 0 ? refused(11) : taken);
    const worker = carriersWorker(engine, carriers);
    await worker.run(firstLane(id));
    expect(await lanesOf(id)).toEqual([{ lane: LANE_B, route: B }]);
    expect(await retriesOf(id)).toEqual([2, 4, 6].map((seq) => ({ seq, lane: LANE_B, attempt: 2 })));
    expect(await engine.counts(requestId)).toEqual({ Pending: 3, Submitted: 3 });
    await drive(worker, id);
    expect(carriers.tally()).toEqual({ [A]: 6, [B]: 3 });
    expect(await engine.counts(requestId)).toEqual({ Submitted: 6 });
    expect((await recipientsOf(id)).map(({ attempts }) => attempts)).toEqual([1, 2, 1, 2, 1, 2]);
    expect(await engine.available(accountId)).toEqual({ stored: 0, ledger: 0 });
    const [change] = await dataSource.query<unknown[]>(
      'SELECT seq, from_route, to_route, to_lane, reason FROM route_changes WHERE campaign_id = ? ORDER BY seq',
      [id],
    );
    const reason = '11: Invalid destination address';
    expect(change).toEqual({ seq: 2, from_route: A, to_route: B, to_lane: LANE_B, reason });
    const [campaign] = await dataSource.query<{ sent: Date | null }[]>(
      'SELECT sent_at AS sent FROM campaigns WHERE id = ?',
      [id],
    );
    expect(campaign?.sent).toBeInstanceOf(Date);
  });

  it('is had by each route once; the refusal of the last one stands, and ends the campaign', async () => {
    const { id, requestId, accountId } = await accept('last', 2);
    carriers.answer = (route) => refused(route);
    await drive(carriersWorker(engine, carriers), id);
    expect(carriers.tally()).toEqual({ [A]: 2, [B]: 2, [C]: 2 });
    expect(await engine.counts(requestId)).toEqual({ Failed: 2 });
    expect(await recipientsOf(id)).toEqual([
      { attempts: 3, code: C },
      { attempts: 3, code: C },
    ]);
    expect(await engine.available(accountId)).toEqual({ stored: 2, ledger: 2 });
    expect((await engine.part(CampaignReader).byId(id))?.state).toBe('completed');
    expect([await lanesOf(id), await retriesOf(id)]).toEqual([[], []]);
  });

  it('fails at once by any other code, on a route without others, and where those are gone', async () => {
    const plain = await accept('plain-no', 1);
    carriers.answer = () => ({ kind: 'rejected', code: 12, text: 'no', submitted: true });
    const worker = carriersWorker(engine, carriers);
    await drive(worker, plain.id);
    const alone = await accept('alone-no', 1, {});
    const rest = await accept('gone-no', 1);
    carriers.answer = () => refused(11);
    await drive(worker, alone.id);
    carriers.gone.add(B).add(C);
    await drive(worker, rest.id);
    for (const { requestId } of [plain, alone, rest]) expect(await engine.counts(requestId)).toEqual({ Failed: 1 });
    expect(carriers.tally()).toEqual({ [A]: 3 });
  });

  it('of a temporary fault too, where its code is named; "too fast" is none', async () => {
    const { id } = await accept('temporary', 2);
    carriers.answer = (route, { ref }) => {
      const fault = { kind: 'retry', afterMs: 60_000, code: 8, text: 'System error' } as const;
      if (route !== A) return taken;
      return ref.endsWith('-1') ? { ...fault, throttled: false, elsewhere: true } : { ...fault, throttled: true };
    };
    await carriersWorker(engine, carriers).run(firstLane(id));
    expect((await retriesOf(id)).map(({ lane }) => lane)).toEqual([LANE_B, 0]);
  });

  it('never goes back: its lane goes to those behind when its route is down', async () => {
    const { id, requestId } = await accept('behind', 2);
    carriers.answer = (route) => (route === A ? refused(11) : taken);
    const worker = carriersWorker(engine, carriers);
    await worker.run(firstLane(id));
    carriers.downMs.set(B, 2_500);
    carriers.downMs.set(C, 2_500);
    await worker.run({ campaignId: id, lane: LANE_B });
    expect(await lanesOf(id)).toEqual([{ lane: LANE_B, route: B }]);
    carriers.downMs.delete(C);
    await drive(worker, id);
    expect(carriers.tally()).toEqual({ [A]: 2, [C]: 2 });
    expect(await engine.counts(requestId)).toEqual({ Submitted: 2 });
  });

  it('waits while its campaign is paused, and is refunded when it is cancelled', async () => {
    const states = engine.part(CampaignStates);
    const { id, requestId, accountId } = await accept('cancel-waiting', 4);
    carriers.answer = (route) => (route === A ? refused(11) : taken);
    const worker = carriersWorker(engine, carriers);
    await worker.run(firstLane(id));
    await states.changeAlone(id, 'pause');
    await worker.run({ campaignId: id, lane: LANE_B });
    expect([carriers.tally(), await retriesOf(id)]).toEqual([{ [A]: 4 }, expect.objectContaining({ length: 4 })]);
    await states.changeAlone(id, 'cancel');
    await drive(worker, id);
    expect(await engine.counts(requestId)).toEqual({ Cancelled: 4 });
    expect(await engine.available(accountId)).toEqual({ stored: 4, ledger: 4 });
    expect([await lanesOf(id), carriers.tally()]).toEqual([[], { [A]: 4 }]);
  });

  it('is taken back into the lane in which it waited', async () => {
    const { id, requestId } = await accept('taken-back', 1);
    carriers.answer = (route) => (route === A ? refused(11) : taken);
    const worker = carriersWorker(engine, carriers);
    await worker.run(firstLane(id));
    const snapshot = await snapshotOf(lanes, id, LANE_B);
    const claimId = 4_711;
    await lanes.claim([{ lane: snapshot, intentSeq: snapshot.nextSeq, recipients: [] }], 5_000, {
      id: claimId,
      mostRetries: 9,
    });
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    await worker.run({ campaignId: id, lane: LANE_B });
    expect(await engine.counts(requestId)).toEqual({ Unknown: 1 });
    const lost = { id: claimId, lanes: [{ ...snapshot, fence: snapshot.fence + 1 }], mayHaveLeft: () => false };
    expect(await engine.part(LostClaims).takeBack(lost)).toBe(1);
    expect([await lanesOf(id), (await retriesOf(id))[0]?.lane]).toEqual([[{ lane: LANE_B, route: B }], LANE_B]);
    await drive(worker, id);
    expect(carriers.tally()).toEqual({ [A]: 1, [B]: 1 });
  });

  it('is handed on once, however often the result is written', async () => {
    const { id, requestId } = await accept('twice', 2);
    const snapshot = await snapshotOf(lanes, id);
    const recipients = await pending(dataSource, snapshot, 1, 3);
    expect(await claimUpTo(lanes, snapshot, 3)).toBe(true);
    const results = recipients.map((recipient) => ({ recipient, outcome: refused(11) }));
    const written = engine.part(BatchResults);
    await written.flush(results, endingsOf([snapshot]));
    await written.flush(results, endingsOf([snapshot]));
    expect(await retriesOf(id)).toHaveLength(2);
    await drive(carriersWorker(engine, carriers), id);
    await written.flush(results, endingsOf([snapshot]));
    expect(await engine.counts(requestId)).toEqual({ Submitted: 2 });
    expect([carriers.tally(), await lanesOf(id)]).toEqual([{ [B]: 2 }, []]);
  });

  it('fails by the word of a worker that has lost its lane meanwhile', async () => {
    const { id, requestId } = await accept('late', 2);
    const snapshot = await snapshotOf(lanes, id);
    const recipients = await pending(dataSource, snapshot, 1, 3);
    expect(await claimUpTo(lanes, snapshot, 3)).toBe(true);
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    await drive(carriersWorker(engine, carriers), id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 2 });
    const results = recipients.map((recipient) => ({ recipient, outcome: refused(11) }));
    await engine.part(BatchResults).flush(results, endingsOf([snapshot]));
    expect(await engine.counts(requestId)).toEqual({ Failed: 2 });
    expect([carriers.tally(), await retriesOf(id)]).toEqual([{}, []]);
    expect(await engine.part(RefusedSends).successors([])).toBeNull();
  });

  it('fails by such a word also where the next holder of the lane writes in the same moment', async () => {
    const { id, requestId } = await accept('late-beside', 4);
    const late = await snapshotOf(lanes, id);
    const lost = await pending(dataSource, late, 1, 3);
    expect(await claimUpTo(lanes, late, 3)).toBe(true);
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    await carriersWorker(engine, carriers).run(firstLane(id));
    expect([await engine.counts(requestId), carriers.tally()]).toEqual([{ Pending: 2, Unknown: 2 }, {}]);
    const snapshot = await snapshotOf(lanes, id);
    const held = await pending(dataSource, snapshot, 3, 5);
    expect(await claimUpTo(lanes, snapshot, 5)).toBe(true);
    const written = engine.part(BatchResults);
    const transactions = vi.spyOn(lanes, 'finishEach');
    await Promise.all(
      [
        { lane: snapshot, own: held },
        { lane: late, own: lost },
      ].map(({ lane: of, own }) =>
        written.flush(
          own.map((recipient) => ({ recipient, outcome: refused(11) })),
          endingsOf([of]),
        ),
      ),
    );
    expect(transactions).toHaveBeenCalledTimes(1);
    transactions.mockRestore();
    expect(await engine.counts(requestId)).toEqual({ Failed: 2, Pending: 2 });
    expect((await retriesOf(id)).map(({ seq, lane }) => [seq, lane])).toEqual([3, 4].map((seq) => [seq, LANE_B]));
  });
});
