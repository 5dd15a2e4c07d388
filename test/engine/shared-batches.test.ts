import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { newClaimId, type BatchClaim } from '../../src/modules/engine/state/lane-claims.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { endingsOf, heldFence, type LaneSnapshot } from '../../src/modules/engine/lanes.js';
import { BatchClaims, planBatch } from '../../src/modules/engine/dispatch/batch-claims.js';
import type { BatchResult } from '../../src/modules/engine/settle/recipient-change.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import type { SendOutcome } from '../../src/modules/providers/index.js';
import { RouteCosts } from '../../src/modules/routing/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { claimUpTo, firstLane, laneWorker, snapshotOf } from '../support/lane-worker.js';

const WINDOWS = 20;
const RECIPIENTS = 3;
/** The only row that refuses it: no moment lies so far ahead. */
const NEVER_MS = 1e15;

interface Campaign {
  id: number;
  requestId: string;
}

/** Windows of several routes that come to claim, or to write, in the same moment. */
describe('windows of several routes', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let lanes: LaneStore;
  let claims: BatchClaims;
  let results: BatchResults;
  let serial = 0;

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = engine.part(DataSource);
    lanes = engine.part(LaneStore);
    claims = engine.part(BatchClaims);
    results = engine.part(BatchResults);
  });
  afterAll(() => engine.stop());
  afterEach(() => void vi.restoreAllMocks());

  /** A campaign for each route, of an account of its own. */
  const accept = async (count: number, recipients = RECIPIENTS): Promise<Campaign[]> => {
    const campaigns: Campaign[] = [];
    for (let routeId = 1; routeId <= count; routeId++) {
      const accountId = await engine.account(`shared-${++serial}`, recipients);
      const draft = engine.draft(accountId, numbers(recipients), { routeId });
      campaigns.push(await engine.module.get(CampaignAcceptance, { strict: false }).accept(draft));
    }
    return campaigns;
  };
  const snapshotsOf = (campaigns: readonly Campaign[]): Promise<LaneSnapshot[]> =>
    Promise.all(campaigns.map(({ id }) => snapshotOf(lanes, id)));
  const planned = (snapshots: readonly LaneSnapshot[]): Promise<BatchClaim[]> =>
    Promise.all(
      snapshots.map(async (snapshot) => ({
        id: newClaimId(),
        claims: await claims.plan(planBatch([snapshot], RECIPIENTS)),
      })),
    );
  const held = async (campaigns: readonly Campaign[]): Promise<BatchClaim[]> => {
    const batches = await planned(await snapshotsOf(campaigns));
    const taken = await Promise.all(batches.map((batch) => claims.claim(batch)));
    return batches.map((batch, index) => ({ ...batch, claims: taken[index] ?? [] }));
  };
  const taken = (campaignId: number, seq: number): SendOutcome => ({
    kind: 'accepted',
    providerMessageIds: [`s-${campaignId}-${seq}`],
  });
  const resultsOf = ({ claims: own }: BatchClaim, outcome?: SendOutcome): BatchResult[] =>
    own.flatMap(({ lane: snapshot, recipients }) =>
      recipients.map((recipient) => ({ recipient, outcome: outcome ?? taken(snapshot.campaignId, recipient.seq) })),
    );
  const endsOf = ({ claims: own }: BatchClaim) => endingsOf(own.map(({ lane: snapshot }) => snapshot));
  const write = (batch: BatchClaim, outcome?: SendOutcome) => results.flush(resultsOf(batch, outcome), endsOf(batch));
  const countsOf = (campaigns: readonly Campaign[]) =>
    Promise.all(campaigns.map(({ requestId }) => engine.counts(requestId)));
  const laneOf = async ({ id }: Campaign): Promise<Record<string, number> | undefined> => {
    const [row] = await dataSource.query<Record<string, number>[]>(
      `SELECT fence, claim_id AS claimId, next_seq AS nextSeq, lease_until IS NOT NULL AS isHeld FROM campaign_lanes
       WHERE campaign_id = ?`,
      [id],
    );
    return row && Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]));
  };

  it('read and claim together, each under its own id, in a statement', async () => {
    const campaigns = await accept(WINDOWS);
    const batches = await planned(await snapshotsOf(campaigns));
    expect(batches.map(({ claims: own }) => own.flatMap(({ recipients }) => recipients).length)).toEqual(
      campaigns.map(() => RECIPIENTS),
    );
    const statements = vi.spyOn(lanes, 'claimEach');
    await Promise.all(batches.map((batch) => claims.claim(batch)));
    expect(statements).toHaveBeenCalledTimes(1);
    const ids = (await Promise.all(campaigns.map(laneOf))).map((lane) => lane?.['claimId']);
    expect(ids).toEqual(batches.map(({ id }) => id));
    const [begun] = await dataSource.query<{ count: string }[]>(
      'SELECT COUNT(overdue_check_at) AS count FROM campaigns WHERE id IN (?)',
      [campaigns.map(({ id }) => id)],
    );
    expect(Number(begun?.count)).toBe(WINDOWS);
  });

  it('two of which ask for the same lane both know its recipients, and one of them gets it', async () => {
    const [campaign] = await accept(1);
    const id = campaign?.id ?? 0;
    const batches = await planned([await snapshotOf(lanes, id), await snapshotOf(lanes, id)]);
    expect(batches.map(({ claims: own }) => own[0]?.recipients.length)).toEqual([RECIPIENTS, RECIPIENTS]);
    const got = await Promise.all(batches.map((batch) => claims.claim(batch)));
    expect(got.map(({ length }) => length).sort()).toEqual([0, 1]);
    const winner = batches[got.findIndex(({ length }) => length === 1)];
    expect(await laneOf({ id, requestId: '' })).toMatchObject({ claimId: winner?.id, isHeld: 1 });
  });

  it('lose the lane alone that another worker was faster with', async () => {
    const campaigns = await accept(5);
    const snapshots = await snapshotsOf(campaigns);
    const batches = await planned(snapshots);
    expect(await claimUpTo(lanes, snapshots[2] as LaneSnapshot, 2)).toBe(true);
    const got = await Promise.all(batches.map((batch) => claims.claim(batch)));
    expect(got.map(({ length }) => length)).toEqual([1, 1, 0, 1, 1]);
  });

  it('write together in a transaction, and each hears how its own lanes ended', async () => {
    const campaigns = await accept(WINDOWS);
    const batches = await held(campaigns);
    const transactions = vi.spyOn(lanes, 'finishEach');
    const ends = await Promise.all(batches.map((batch) => write(batch)));
    expect(transactions).toHaveBeenCalledTimes(1);
    expect(ends).toEqual(campaigns.map(({ id }) => ({ more: false, done: [id] })));
    expect(await countsOf(campaigns)).toEqual(campaigns.map(() => ({ Submitted: RECIPIENTS })));
    const ids = await dataSource.query<{ routeId: number; count: string }[]>(
      `SELECT route_id AS routeId, COUNT(*) AS count FROM provider_messages WHERE campaign_id IN (?)
       GROUP BY route_id ORDER BY route_id`,
      [campaigns.map(({ id }) => id)],
    );
    expect(ids.map(({ routeId, count }) => [routeId, Number(count)])).toEqual(
      campaigns.map((_, index) => [index + 1, RECIPIENTS]),
    );
  });

  it('keep a fault in what one of them writes to that one', async () => {
    const campaigns = await accept(5);
    const batches = await held(campaigns);
    const never: SendOutcome = { kind: 'retry', afterMs: NEVER_MS, code: 1, text: 'never', throttled: false };
    const ends = await Promise.allSettled(batches.map((batch, index) => write(batch, index === 2 ? never : undefined)));
    expect(ends.map(({ status }) => status)).toEqual(
      campaigns.map((_, index) => (index === 2 ? 'rejected' : 'fulfilled')),
    );
    expect(await countsOf(campaigns)).toEqual(
      campaigns.map((_, index) => (index === 2 ? { Pending: RECIPIENTS } : { Submitted: RECIPIENTS })),
    );
    expect((await Promise.all(campaigns.map(laneOf))).map((lane) => lane?.['isHeld'])).toEqual(
      campaigns.map((_, index) => (index === 2 ? 1 : undefined)),
    );
    await write(batches[2] as BatchClaim);
    expect(await countsOf(campaigns)).toEqual(campaigns.map(() => ({ Submitted: RECIPIENTS })));
  });

  /** The server's answer to whatever writes the lanes of these campaigns. */
  const refuses = async (campaigns: readonly Campaign[], errno: number): Promise<void> => {
    await dataSource.query(`CREATE TRIGGER refuses_lanes BEFORE UPDATE ON campaign_lanes FOR EACH ROW
      IF NEW.campaign_id IN (${campaigns.map(({ id }) => id).join(', ')}) THEN
        SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = ${errno}, MESSAGE_TEXT = 'refused by the test'; END IF`);
  };
  const refusesNone = (): Promise<unknown> => dataSource.query('DROP TRIGGER IF EXISTS refuses_lanes');

  it('keep a race that one of them loses for good to that one', async () => {
    const campaigns = await accept(3);
    const batches = await held(campaigns);
    await refuses([campaigns[1] as Campaign], 1213);
    const ends = await Promise.allSettled(batches.map((batch) => write(batch))).finally(refusesNone);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await results.flush(resultsOf(batches[1] as BatchClaim), endsOf(batches[1] as BatchClaim), true);
    expect(await countsOf(campaigns)).toEqual(campaigns.map(() => ({ Submitted: RECIPIENTS })));
  });

  it('share a statement that takes too long: none of them is tried by itself', async () => {
    const campaigns = await accept(3);
    const batches = await held(campaigns);
    await refuses([campaigns[1] as Campaign], 1969);
    const transactions = vi.spyOn(lanes, 'finishEach');
    const ends = await Promise.allSettled(batches.map((batch) => write(batch))).finally(refusesNone);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(transactions).toHaveBeenCalledTimes(1);
    await Promise.all(batches.map((batch) => write(batch)));
    expect(await countsOf(campaigns)).toEqual(campaigns.map(() => ({ Submitted: RECIPIENTS })));
  });

  it('of single messages go by themselves', async () => {
    const campaigns = await accept(3, 1);
    const [claimed, written] = [vi.spyOn(lanes, 'claimEach'), vi.spyOn(lanes, 'finishEach')];
    await Promise.all((await held(campaigns)).map((batch) => write(batch)));
    expect([claimed, written].map(({ mock }) => mock.calls.length)).toEqual([3, 3]);
    expect(await countsOf(campaigns)).toEqual(campaigns.map(() => ({ Submitted: 1 })));
  });

  it('with retries go by themselves, each with as many as it asks for', async () => {
    const campaigns = await accept(2);
    const later: SendOutcome = { kind: 'unsent', afterMs: 0, text: 'not now' };
    await Promise.all((await held(campaigns)).map((batch) => write(batch, later)));
    await dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3) WHERE campaign_id IN (?)', [
      campaigns.map(({ id }) => id),
    ]);
    const batches = await planned(await snapshotsOf(campaigns));
    const claimed = vi.spyOn(lanes, 'claimEach');
    const begun = await Promise.all(
      batches.map((batch, index) => claims.claim({ ...batch, mostRetries: RECIPIENTS - index })),
    );
    expect(claimed).toHaveBeenCalledTimes(2);
    expect(begun.map(([lane]) => lane?.recipients.length)).toEqual([RECIPIENTS, RECIPIENTS - 1]);
  });

  it('of which one has lost its lane end the others, and leave that one to its new holder', async () => {
    const campaigns = await accept(5);
    const batches = await held(campaigns);
    const stolen = campaigns[2] as Campaign;
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [
      stolen.id,
    ]);
    const found = await snapshotOf(lanes, stolen.id);
    expect(await claimUpTo(lanes, found, found.intentSeq)).toBe(true);
    await Promise.all(batches.map((batch) => write(batch)));
    // What the carrier took counts, whichever worker holds the lane by now.
    expect(await countsOf(campaigns)).toEqual(campaigns.map(() => ({ Submitted: RECIPIENTS })));
    expect(await Promise.all(campaigns.map(laneOf))).toEqual(
      campaigns.map((campaign) =>
        campaign === stolen ? expect.objectContaining({ fence: heldFence(found), nextSeq: 1, isHeld: 1 }) : undefined,
      ),
    );
  });

  it('cost what each route asks', async () => {
    const costs = engine.part(RouteCosts);
    await inTransaction(dataSource, async (tx) => {
      await costs.put(tx, 1, 'EUR', [{ prefix: '', micros: 10 }]);
      await costs.put(tx, 3, 'USD', [{ prefix: '', micros: 7 }]);
    });
    costs.forget();
    const campaigns = await accept(3);
    await Promise.all((await held(campaigns)).map((batch) => write(batch)));
    const rows = await dataSource.query<{ routeId: number; currency: string; micros: string }[]>(
      'SELECT route_id AS routeId, currency, SUM(cost_micros) AS micros FROM route_spend GROUP BY route_id, currency ORDER BY route_id',
    );
    expect(rows.map(({ routeId, currency, micros }) => [routeId, currency, Number(micros)])).toEqual([
      [1, 'EUR', RECIPIENTS * 10],
      [3, 'USD', RECIPIENTS * 7],
    ]);
  });

  it('that end on the beat are written while their worker stops', async () => {
    const campaigns = await accept(2);
    await dataSource.query(
      `INSERT INTO routes (id, name, channel, driver, config, messages_per_second, callback_secret, pace_us, created_at, updated_at)
       VALUES (1, 'one', 'sms', 'fake', '', 20, 'x', 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)),
         (2, 'two', 'sms', 'fake', '', 20, 'x', 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
    );
    const worker = laneWorker(engine, {
      route: { messagesPerSecond: 20 },
      send: ({ ref }) => {
        worker.stop();
        return Promise.resolve({ kind: 'accepted', providerMessageIds: [ref] });
      },
    });
    await Promise.all(campaigns.map(({ id }) => worker.run(firstLane(id))));
    expect(await countsOf(campaigns)).toEqual(campaigns.map(() => ({ Submitted: RECIPIENTS })));
    expect(await Promise.all(campaigns.map(laneOf))).toEqual([undefined, undefined]);
  });
});
