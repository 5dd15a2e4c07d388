import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import type { OutboundMessage, SendOutcome } from '../../src/modules/providers/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { claimUpTo, dueNow, firstLane, type LaneWorker, laneWorker, snapshotOf } from '../support/lane-worker.js';

const LEASE_MS = 5_000;

const throttled = (afterMs: number): SendOutcome => ({
  kind: 'retry',
  afterMs,
  code: 88,
  text: 'busy',
  throttled: true,
});

/** A fault between the claim of a window and its first message: only a worker that died leaves doubt. */
describe('a worker whose claim breaks off', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let lanes: LaneStore;
  let results: BatchResults;
  let states: CampaignStates;
  let carrier: (message: OutboundMessage) => Promise<SendOutcome>;

  beforeAll(async () => {
    engine = await startEngine();
    const get = <T>(type: abstract new (...parameters: never[]) => T): T =>
      engine.module.get<T>(type, { strict: false });
    dataSource = get(DataSource);
    lanes = engine.part(LaneStore);
    results = engine.part(BatchResults);
    states = get(CampaignStates);
  });
  afterAll(() => engine.stop());
  beforeEach(() => {
    carrier = ({ ref }) => Promise.resolve({ kind: 'accepted', providerMessageIds: [`id-${ref}`] });
  });

  const runner = (parts: { lanes?: LaneStore } = {}): LaneWorker =>
    laneWorker(engine, { environment: { LANE_LEASE: LEASE_MS }, send: (message) => carrier(message), ...parts });
  const accept = async (username: string, receivers: string[]): Promise<{ id: number; requestId: string }> => {
    const accountId = await engine.account(username, receivers.length);
    return engine.module.get(CampaignAcceptance, { strict: false }).accept(engine.draft(accountId, receivers));
  };
  /** Takes turns until the lane wants no more. */
  const drive = async (campaignId: number): Promise<void> => {
    const worker = runner();
    for (let snapshots = 0; snapshots < 40; snapshots++) if (!(await worker.run(firstLane(campaignId)))) return;
    throw new Error('the lane never rests');
  };
  const leaseEnds = (campaignId: number): Promise<unknown> =>
    dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [campaignId]);
  const retriesDue = (campaignId: number): Promise<unknown> =>
    dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [campaignId]);
  const deadline = async (campaignId: number): Promise<Date | null> => {
    const [row] = await dataSource.query<{ at: Date | null }[]>(
      'SELECT overdue_check_at AS at FROM campaigns WHERE id = ?',
      [campaignId],
    );
    return row?.at ?? null;
  };
  /** The store of a worker, with something that happens right after its claim is written. */
  const afterClaim = (happens: () => Promise<unknown>): LaneStore =>
    Object.assign(Object.create(lanes) as LaneStore, {
      claimEach: async (...parameters: Parameters<LaneStore['claimEach']>) => {
        const held = await lanes.claimEach(...parameters);
        await happens();
        return held;
      },
    });
  const connectionLost = (): Promise<never> => Promise.reject(new Error('connection lost'));
  const waiting = async (campaignId: number): Promise<number> => {
    const rows: unknown[] = await dataSource.query('SELECT 1 FROM recipient_retries WHERE campaign_id = ?', [
      campaignId,
    ]);
    return rows.length;
  };

  it('and who dies between the claim and the first message still leaves a deadline', async () => {
    const { id, requestId } = await accept('begin-crash', numbers(3));
    const planned = firstLane(id);
    await new Promise<void>((resolve) => {
      const dying = afterClaim(() => {
        resolve();
        return new Promise(() => undefined);
      });
      void runner({ lanes: dying }).run(planned);
    });
    await leaseEnds(id);
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 3 });
    expect(await deadline(id)).not.toBeNull();
  });

  it('a pause or a cancel between the claim and the first message still leaves a deadline', async () => {
    const { id, requestId } = await accept('begin-pause', numbers(3));
    await runner({ lanes: afterClaim(() => states.changeAlone(id, 'cancel')) }).run(firstLane(id));
    expect(await engine.counts(requestId)).toEqual({ Submitted: 3 });
    expect(await deadline(id)).not.toBeNull();
  });

  it('and who lives gives back a claim whose answer was lost: nobody is in doubt, nobody sent to twice', async () => {
    const { id, requestId } = await accept('answer-lost', numbers(5));
    const sent: string[] = [];
    carrier = ({ ref }) => {
      sent.push(ref);
      return Promise.resolve({ kind: 'accepted', providerMessageIds: [`lost-${ref}`] });
    };
    expect(await runner({ lanes: afterClaim(connectionLost) }).run(firstLane(id))).toBe(false);
    expect(sent).toEqual([]);
    expect((await dueNow(dataSource)).has(id)).toBe(true);
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 5 });
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent).toHaveLength(5);
  });

  it('and who lives gives back retries whose claim was not answered', async () => {
    const { id, requestId } = await accept('retries-lost', numbers(4));
    carrier = () => Promise.resolve(throttled(1));
    await drive(id);
    await retriesDue(id);
    await runner({ lanes: afterClaim(connectionLost) }).run(firstLane(id));
    carrier = (message) => Promise.resolve({ kind: 'accepted', providerMessageIds: [`r-${message.ref}`] });
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 4 });
    expect(await waiting(id)).toBe(0);
  });

  it('and who lives gives back until the database can be reached again', async () => {
    const { id, requestId } = await accept('back-later', numbers(5));
    let faults = 3;
    const faulty: LaneStore = Object.assign(afterClaim(connectionLost), {
      giveBack: (...parameters: Parameters<LaneStore['giveBack']>) =>
        faults-- > 0 ? connectionLost() : lanes.giveBack(...parameters),
    });
    await runner({ lanes: faulty }).run(firstLane(id));
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 5 });
  });

  it('gives nothing back of a lane that another worker has taken meanwhile', async () => {
    const { id, requestId } = await accept('taken-meanwhile', numbers(5));
    const planned = await snapshotOf(lanes, id);
    const late: LaneStore = Object.assign(Object.create(lanes) as LaneStore, {
      claimEach: async () => {
        await claimUpTo(lanes, planned, 6);
        return connectionLost();
      },
    });
    await runner({ lanes: late }).run(planned);
    expect(await lanes.snapshots([planned])).toEqual([]); // held
    await leaseEnds(id);
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 5 });
  });

  describe('taken for dead while it was cut off', () => {
    /** One answer a message, given once another worker has recovered the window. */
    const cutOff = async (username: string, outcomes: readonly SendOutcome[], deduplicates = false) => {
      const campaign = await accept(username, numbers(outcomes.length));
      let recovered: Promise<void> | null = null;
      carrier = async ({ ref }) => {
        const answer = outcomes[Number(ref.split('-').at(-1)) - 1];
        recovered ??= leaseEnds(campaign.id).then(async () => {
          const lane = await snapshotOf(lanes, campaign.id);
          if (!(await claimUpTo(lanes, lane, lane.intentSeq))) throw new Error('not recovered');
          await results.recover([lane], deduplicates);
        });
        await recovered;
        return answer ?? { kind: 'unknown' };
      };
      await runner().run(firstLane(campaign.id));
      return campaign;
    };
    const accepted: SendOutcome = { kind: 'accepted', providerMessageIds: ['late-answer'] };
    const unsent: SendOutcome = { kind: 'unsent', afterMs: 0, text: 'Lease lost' };
    const rows = (id: number): Promise<Record<string, unknown>[]> =>
      dataSource.query(
        `SELECT r.seq, r.attempts, r.outcome_unknown, u.seq AS listed FROM campaign_recipients r
         LEFT JOIN unknown_outcomes u ON u.campaign_id = r.campaign_id AND u.seq = r.seq
         WHERE r.campaign_id = ? ORDER BY r.seq`,
        [id],
      );

    it('still says what never left: that waits, and leaves once', async () => {
      const { id, requestId } = await cutOff('cut-off', [accepted, unsent, { kind: 'unknown' }, throttled(1)]);
      expect(await engine.counts(requestId)).toEqual({ Submitted: 1, Pending: 2, Unknown: 1 });
      const sent: string[] = [];
      carrier = ({ ref }) => {
        sent.push(ref);
        return Promise.resolve({ kind: 'accepted', providerMessageIds: [`again-${ref}`] });
      };
      expect((await dueNow(dataSource)).has(id)).toBe(true);
      await drive(id);
      expect(sent.sort()).toEqual([`${id}-2`, `${id}-4`]);
      expect(await engine.counts(requestId)).toEqual({ Submitted: 3, Unknown: 1 });
      expect(await rows(id)).toMatchObject([
        { seq: 1, attempts: 1 },
        { seq: 2, attempts: 1, outcome_unknown: 0, listed: null },
        { seq: 3, attempts: 1, outcome_unknown: 1, listed: 3 },
        { seq: 4, attempts: 1, outcome_unknown: 0, listed: null },
      ]);
    });

    it('and cancelled meanwhile: what never left is refunded, once', async () => {
      const { id, requestId } = await cutOff('cut-off-cancelled', [unsent, { kind: 'unknown' }]);
      await states.changeAlone(id, 'cancel');
      await drive(id);
      expect(await engine.counts(requestId)).toEqual({ Cancelled: 1, Unknown: 1 });
      const [campaign] = await dataSource.query<{ refunded: number }[]>(
        'SELECT refunded_credits / unit_credits AS refunded FROM campaigns WHERE id = ?',
        [id],
      );
      expect(Number(campaign?.refunded)).toBe(1);
    });

    it('where the other worker sends again: nothing is taken back', async () => {
      const { requestId } = await cutOff('cut-off-deduplicated', [unsent, unsent], true);
      expect(await engine.counts(requestId)).toEqual({ Unknown: 2 });
    });
  });

  it('is not taken up on a claim that comes through after it was given back', async () => {
    const { id, requestId } = await accept('late-claim', numbers(5));
    const onItsWay: Parameters<LaneStore['claimEach']>[] = [];
    const slow: LaneStore = Object.assign(Object.create(lanes) as LaneStore, {
      claimEach: (...parameters: Parameters<LaneStore['claimEach']>) => {
        onItsWay.push(parameters);
        return connectionLost();
      },
    });
    await runner({ lanes: slow }).run(firstLane(id));
    for (const parameters of onItsWay) expect((await lanes.claimEach(...parameters)).flat()).toEqual([]);
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 5 });
  });
});
