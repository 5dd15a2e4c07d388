import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { newClaimId } from '../../src/modules/engine/state/lane-claims.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { endingsOf, heldFence } from '../../src/modules/engine/lanes.js';
import { LostClaims } from '../../src/modules/engine/settle/lost-claims.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import type { OutboundMessage, SendOutcome } from '../../src/modules/providers/index.js';
import { RouteCosts } from '../../src/modules/routing/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { type Engine, startEngine } from '../support/engine.js';
import { firstLane, laneWorker, pending, snapshotOf } from '../support/lane-worker.js';

const INDIA = '919812345678';
const MUMBAI = '912212345678';
const BRITAIN = '447400123456';
const NOWHERE = '999123456789';

const taken = (ids: number): SendOutcome => ({
  kind: 'accepted',
  providerMessageIds: Array.from({ length: ids }, (_, at) => `id-${++serial}-${at}`),
});
let serial = 0;

/** Windows over route 1, whose carrier asks 0.005 a segment, 0.003 to +91, 0.002 to +9122. */
describe('what leaves over a route with costs', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let costs: RouteCosts;
  let account: number;
  let seen: OutboundMessage[];

  const price = (currency: string, rows: Record<string, number>): Promise<void> =>
    inTransaction(dataSource, (tx) =>
      costs.put(
        tx,
        1,
        currency,
        Object.entries(rows).map(([prefix, micros]) => ({ prefix, micros })),
      ),
    ).finally(() => costs.forget());

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = engine.part(DataSource);
    costs = engine.part(RouteCosts);
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    await dataSource.query('DELETE FROM route_spend');
    account = await engine.account(`payer-${++serial}`, 100_000);
    seen = [];
    await price('EUR', { '': 5_000, '91': 3_000, '9122': 2_000 });
  });

  const accept = async (receivers: string[], message = 'hello'): Promise<number> => {
    const draft = engine.draft(account, receivers, { content: { message } });
    return (await engine.module.get(CampaignAcceptance, { strict: false }).accept(draft)).id;
  };
  const run = async (id: number, send: (message: OutboundMessage) => SendOutcome): Promise<void> => {
    const worker = laneWorker(engine, {
      channels: 'real',
      send: (message) => {
        seen.push(message);
        return Promise.resolve(send(message));
      },
    });
    await worker.run(firstLane(id));
    worker.stop();
  };
  /** prefix → messages, segments, millionths */
  const spent = async (): Promise<Record<string, number[]>> => {
    const rows: Record<string, string>[] = await dataSource.query(
      `SELECT CONCAT(currency, ' ', prefix) AS place, CAST(SUM(messages) AS SIGNED) AS messages,
         CAST(SUM(segments) AS SIGNED) AS segments, CAST(SUM(cost_micros) AS SIGNED) AS micros
       FROM route_spend WHERE account_id = ? AND route_id = 1 AND channel = 'sms' AND day = UTC_DATE()
       GROUP BY currency, prefix`,
      [account],
    );
    return Object.fromEntries(
      rows.map((row) => [row['place'], [row['messages'], row['segments'], row['micros']].map(Number)]),
    );
  };

  it('costs what its segments come to, by the longest prefix', async () => {
    await run(await accept([INDIA, MUMBAI, BRITAIN, BRITAIN, NOWHERE], 'a'.repeat(200)), () => taken(2));
    expect(seen).toHaveLength(5);
    expect(await spent()).toEqual({
      'EUR 91': [2, 4, 2 * 3_000 + 2 * 2_000],
      'EUR 44': [2, 4, 4 * 5_000],
      'EUR ': [1, 2, 2 * 5_000],
    });
  });

  it('costs its segments too where the carrier answers one id for all of them', async () => {
    await run(await accept([INDIA], 'a'.repeat(200)), () => taken(1));
    expect(await spent()).toEqual({ 'EUR 91': [1, 2, 6_000] });
  });

  it('counts what the carrier has or may have, and nothing else', async () => {
    const outcomes: Record<string, SendOutcome> = {
      [INDIA]: taken(1),
      [MUMBAI]: { kind: 'unknown' },
      [BRITAIN]: { kind: 'rejected', code: 8, text: 'no', submitted: true },
      '447400123457': { kind: 'rejected', code: null, text: 'no', submitted: false },
      '447400123458': { kind: 'retry', afterMs: 60_000, code: 8, text: 'later', throttled: false },
      '447400123459': { kind: 'unsent', afterMs: 60_000, text: 'down' },
    };
    await run(await accept(Object.keys(outcomes)), ({ to }) => outcomes[to] as SendOutcome);
    expect(await spent()).toEqual({ 'EUR 91': [2, 2, 5_000] });
  });

  it('counts the parts that the carrier has of what it refused in part, also when the worker was taken for dead', async () => {
    const inPart: SendOutcome = { kind: 'rejected', code: 8, text: 'no', submitted: true, taken: 2 };
    await run(await accept([INDIA, BRITAIN], 'a'.repeat(400)), ({ to }) => (to === INDIA ? inPart : taken(3)));
    expect(await spent()).toEqual({ 'EUR 91': [1, 2, 6_000], 'EUR 44': [1, 3, 15_000] });
    const id = await accept([MUMBAI], 'a'.repeat(400));
    const lane = await snapshotOf(engine.part(LaneStore), id);
    const claimId = newClaimId();
    const recipients = await pending(dataSource, lane, 1, 2);
    await engine.part(LaneStore).claim([{ lane, intentSeq: lane.endSeq, recipients }], 60_000, { id: claimId });
    const results = engine.part(BatchResults);
    await results.recover([{ ...lane, fence: heldFence(lane), claimId, intentSeq: lane.endSeq }], false);
    await results.flush(
      recipients.map((recipient) => ({ recipient, outcome: inPart })),
      endingsOf([lane]),
    );
    // what was counted as a whole while nobody knew stays so
    expect(await spent()).toEqual({ 'EUR 91': [2, 5, 6_000 + 3 * 2_000], 'EUR 44': [1, 3, 15_000] });
  });

  it('costs nothing where the route has no costs, or none any more, and keeps what it has cost', async () => {
    await run(await accept([INDIA]), () => taken(1));
    await price('USD', { '91': 7 });
    await run(await accept([INDIA, BRITAIN]), () => taken(1));
    const both = { 'EUR 91': [1, 1, 3_000], 'USD 91': [1, 1, 7], 'USD 44': [1, 1, 0] };
    expect(await spent()).toEqual(both);
    await inTransaction(dataSource, (tx) => costs.remove(tx, 1));
    costs.forget();
    await run(await accept([INDIA]), () => taken(1));
    expect(await spent()).toEqual(both);
  });

  it('counts a batch of a killed worker once, and takes off what never left', async () => {
    const id = await accept([INDIA, MUMBAI, BRITAIN]);
    const lane = await snapshotOf(engine.part(LaneStore), id);
    const claimId = newClaimId();
    await engine.part(LaneStore).claim([{ lane, intentSeq: lane.endSeq, recipients: [] }], 60_000, { id: claimId });
    await engine
      .part(BatchResults)
      .recover([{ ...lane, fence: heldFence(lane), claimId, intentSeq: lane.endSeq }], false);
    expect(await spent()).toEqual({ 'EUR 91': [2, 2, 5_000], 'EUR 44': [1, 1, 5_000] });
    const back = await engine.part(LostClaims).takeBack({
      id: claimId,
      lanes: [{ campaignId: id, lane: lane.lane, fence: heldFence(lane) }],
      mayHaveLeft: (_id, seq) => seq === 1,
    });
    expect(back).toBe(2);
    expect(await spent()).toEqual({ 'EUR 91': [1, 1, 3_000], 'EUR 44': [0, 0, 0] });
  });

  it('takes off what the carrier has refused, as a worker says that was taken for dead', async () => {
    const id = await accept([INDIA, BRITAIN, MUMBAI]);
    const lane = await snapshotOf(engine.part(LaneStore), id);
    const claimId = newClaimId();
    const recipients = await pending(dataSource, lane, 1, 4);
    await engine.part(LaneStore).claim([{ lane, intentSeq: lane.endSeq, recipients }], 60_000, { id: claimId });
    const results = engine.part(BatchResults);
    await results.recover([{ ...lane, fence: heldFence(lane), claimId, intentSeq: lane.endSeq }], false);
    const outcomes: SendOutcome[] = [
      { kind: 'rejected', code: 8, text: 'no', submitted: true },
      { kind: 'rejected', code: null, text: 'no', submitted: false },
      taken(1),
    ];
    await results.flush(
      recipients.map((recipient, at) => ({ recipient, outcome: outcomes[at] as SendOutcome })),
      endingsOf([lane]),
    );
    expect(await spent()).toEqual({ 'EUR 91': [1, 1, 2_000], 'EUR 44': [0, 0, 0] });
  });

  it('writes rows of their own for windows side by side', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => accept([INDIA, BRITAIN])));
    await Promise.all(ids.map((id) => run(id, () => taken(1))));
    expect(await spent()).toEqual({ 'EUR 91': [6, 6, 18_000], 'EUR 44': [6, 6, 30_000] });
  });
});
