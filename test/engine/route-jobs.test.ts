import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { DueLanes } from '../../src/modules/engine/dispatch/due-lanes.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { endingsOf, type LaneKey } from '../../src/modules/engine/lanes.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import type { OutboundMessage, SendOutcome } from '../../src/modules/providers/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { type LaneWorker, laneWorker } from '../support/lane-worker.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';

const SINGLES = { channel: 'sms', routeId: 1, single: true };
const CAMPAIGNS = { ...SINGLES, single: false };

describe('a job of a route', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let due: DueLanes;
  let carrier: (message: OutboundMessage) => SendOutcome;
  let sent: OutboundMessage[];
  let worker: LaneWorker;

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = engine.module.get(DataSource);
    due = new DueLanes(dataSource);
    worker = laneWorker(engine, {
      environment: { LANE_LEASE: 5_000 },
      send: (message) => {
        sent.push(message);
        return Promise.resolve(carrier(message));
      },
    });
  });
  afterAll(() => engine.stop());

  const start = async (): Promise<void> => {
    sent = [];
    carrier = ({ ref }) => ({ kind: 'accepted', providerMessageIds: [`id-${ref}`] });
    for (const table of ['campaign_lanes', 'recipient_retries']) await dataSource.query(`DELETE FROM ${table}`);
  };
  const accept = (accountId: number, total: number, fields: Partial<CampaignDraft> = {}) =>
    engine.module
      .get(CampaignAcceptance, { strict: false })
      .accept(engine.draft(accountId, numbers(total), { content: { message: `of ${accountId}` }, ...fields }));
  const many = async (accountId: number, campaigns: number, total: number): Promise<number[]> =>
    (await Promise.all(Array.from({ length: campaigns }, () => accept(accountId, total)))).map(({ id }) => id);
  const ownersOf = async (keys: readonly LaneKey[]): Promise<number[]> =>
    (await engine.part(LaneStore).snapshots(keys)).map(({ accountId }) => accountId);
  const lanesLeft = async (): Promise<number> =>
    (await dataSource.query<unknown[]>('SELECT 1 FROM campaign_lanes')).length;

  it('takes messages of one recipient together, of all accounts, and leaves no lane behind', async () => {
    await start();
    const [a, b] = [await engine.account('together-a', 40), await engine.account('together-b', 40)];
    const ids = [...(await many(a, 12, 1)), ...(await many(b, 8, 1))];
    const keys = await due.next(SINGLES, { most: 500, accounts: 64 });
    expect(keys.map(({ campaignId }) => campaignId).sort()).toEqual(ids.sort());
    expect(await worker.run(...keys)).toBe(false);
    expect(sent).toHaveLength(20);
    expect(sent.every(({ urgent }) => urgent)).toBe(true);
    expect(await lanesLeft()).toBe(0);
    const states: { state: string; sent: number; begun: number }[] = await dataSource.query(
      `SELECT DISTINCT state, sent_at IS NOT NULL AS sent, overdue_check_at IS NOT NULL AS begun FROM campaigns WHERE id IN (?)`,
      [ids],
    );
    expect(states).toEqual([{ state: 'running', sent: 1, begun: 1 }]);
  });

  it('costs a few statements for five hundred of them', async () => {
    await start();
    const account = await engine.account('cheap', 500);
    await many(account, 500, 1);
    const asked = async (): Promise<number> => {
      const [row] = await dataSource.query<{ Value: string }[]>("SHOW GLOBAL STATUS LIKE 'Com_commit'");
      return Number(row?.Value);
    };
    const before = await asked();
    const keys = await due.next(SINGLES, { most: 500, accounts: 64 });
    await worker.run(...keys);
    expect(sent).toHaveLength(500);
    // The server is shared with other tests; one commit a message would be far more.
    expect((await asked()) - before).toBeLessThan(200);
    expect(await lanesLeft()).toBe(0);
  });

  it('keeps what one of them could not do to its own campaign', async () => {
    await start();
    const account = await engine.account('mixed', 40);
    const [first, second, third] = await many(account, 3, 1);
    carrier = ({ ref }) => {
      if (ref === `${first}-1`) return { kind: 'retry', afterMs: 60_000, code: 8, text: 'Later', throttled: false };
      if (ref === `${second}-1`) return { kind: 'unknown' };
      return { kind: 'rejected', code: 5, text: 'No', submitted: false };
    };
    await worker.run(...(await due.next(SINGLES, { most: 500, accounts: 64 })));
    const rows: { id: number; status: number; lanes: string }[] = await dataSource.query(
      `SELECT r.campaign_id AS id, r.status, (SELECT COUNT(*) FROM campaign_lanes l WHERE l.campaign_id = r.campaign_id) AS lanes
       FROM campaign_recipients r WHERE r.campaign_id IN (?) ORDER BY r.campaign_id`,
      [[first, second, third]],
    );
    const byId = new Map(rows.map(({ id, status, lanes }) => [id, [status, Number(lanes)]]));
    expect([first, second, third].map((id) => byId.get(id ?? 0))).toEqual([
      [0, 1],
      [9, 0],
      [4, 0],
    ]);
    await dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3)');
    await dataSource.query('UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3)');
    carrier = ({ ref }) => ({ kind: 'accepted', providerMessageIds: [`again-${ref}`] });
    await worker.run(...(await due.next(SINGLES, { most: 500, accounts: 64 })));
    expect(sent.filter(({ ref }) => ref === `${first}-1`)).toHaveLength(2);
    expect(await lanesLeft()).toBe(0);
  });

  it('that was lost with its worker is recovered as a whole, and what never left is taken back', async () => {
    await start();
    const account = await engine.account('lost-singles', 40);
    const ids = await many(account, 5, 1);
    const lanes = engine.part(LaneStore);
    const lost = await lanes.snapshots(await due.next(SINGLES, { most: 500, accounts: 64 }));
    await engine.part(CampaignStates).begin(dataSource.manager, ids, 60_000);
    expect(
      await lanes.claim(
        lost.map((lane) => ({ lane: lane, intentSeq: 2, recipients: [] })),
        5_000,
      ),
    ).toHaveLength(5);
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3), wake_at = UTC_TIMESTAMP(3)');
    await worker.run(...(await due.next(SINGLES, { most: 500, accounts: 64 })));
    expect(sent).toEqual([]);
    const unknown: unknown[] = await dataSource.query('SELECT 1 FROM unknown_outcomes WHERE campaign_id IN (?)', [ids]);
    expect([unknown.length, await lanesLeft()]).toEqual([5, 0]);
    // It was not dead: what it says has never left is tried again, and what it says was taken is.
    const recipients = lost.map((lane) => ({ lane: lane, seq: 1, number: '4915112345678', attempt: 1 }));
    await engine.part(BatchResults).flush(
      recipients.map((recipient, index) => ({
        recipient,
        outcome:
          index === 0
            ? { kind: 'accepted', providerMessageIds: ['taken'] }
            : { kind: 'unsent', afterMs: 0, text: 'Lease lost' },
      })),
      endingsOf(lost),
    );
    const statuses = async (): Promise<unknown> =>
      dataSource.query(
        `SELECT status, outcome_unknown AS unknown, COUNT(*) AS n FROM campaign_recipients WHERE campaign_id IN (?)
         GROUP BY status, outcome_unknown ORDER BY status, outcome_unknown`,
        [ids],
      );
    expect(await statuses()).toEqual([
      { status: 0, unknown: 0, n: 4 },
      { status: 1, unknown: 1, n: 1 },
    ]);
    expect(await lanesLeft()).toBe(4);
    await dataSource.query('UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3)');
    await worker.run(...(await due.next(SINGLES, { most: 500, accounts: 64 })));
    expect([sent.length, await lanesLeft()]).toEqual([4, 0]);
    expect(await statuses()).toEqual([
      { status: 1, unknown: 0, n: 4 },
      { status: 1, unknown: 1, n: 1 },
    ]);
  });

  it('goes from account to account: a thousand campaigns of one do not delay those of another', async () => {
    await start();
    const [a, b, c] = [
      await engine.account('many', 4_000),
      await engine.account('one', 10),
      await engine.account('few', 10),
    ];
    await many(a, 60, 3);
    await many(b, 1, 3);
    await many(c, 2, 3);
    const fresh = new DueLanes(dataSource);
    const share = { most: 1, accounts: 1 };
    const served: number[] = [];
    for (let round = 0; round < 3; round++) served.push(...(await ownersOf(await fresh.next(CAMPAIGNS, share))));
    expect(new Set(served)).toEqual(new Set([a, b, c]));
    const together = await ownersOf(await fresh.next(CAMPAIGNS, { most: 6, accounts: 3 }));
    expect(together.filter((id) => id === a).length).toBeLessThanOrEqual(2);
    expect(together).toContain(b);
  });

  it('begins with another account each time, also when a large campaign has its window alone', async () => {
    await start();
    const [a, b] = [await engine.account('large', 4_000), await engine.account('beside-large', 10)];
    await many(a, 2, 1_200);
    const { requestId } = await accept(b, 3);
    const fresh = new DueLanes(dataSource);
    for (let round = 0; round < 2; round++)
      await worker.run(...(await fresh.next(CAMPAIGNS, { most: 8, accounts: 8 })));
    expect(await engine.counts(requestId)).toEqual({ Submitted: 3 });
  });

  it('finds the accounts beside one that has many lanes, due or asleep, without reading those', async () => {
    await start();
    const [a, b] = [await engine.account('crowd', 10), await engine.account('beside-crowd', 10)];
    const lanes = (account: number, route: number, single: number, wakeAt: string): Promise<unknown> =>
      dataSource.query(
        `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq, fence, wake_at)
         SELECT n, 0, 'sms', ?, ?, ?, 1, 1, 2, 0, ${wakeAt} FROM (
           SELECT ? * 100000 + x.d * 1000 + y.d * 100 + z.d * 10 + w.d AS n FROM ${['x', 'y', 'z', 'w']
             .map((name) => `(${Array.from({ length: 10 }, (_, d) => `SELECT ${d} AS d`).join(' UNION ALL ')}) ${name}`)
             .join(' CROSS JOIN ')}) n WHERE ? = 1 OR n % 10000 = 0`,
        [route, account, single, route * 10 + single + account * 1_000, account === a ? 1 : 0],
      );
    const due = 'UTC_TIMESTAMP(3) - INTERVAL 1 SECOND';
    const routes = [
      { routeId: 1, single: true, wakeAt: due },
      { routeId: 1, single: false, wakeAt: due },
      { routeId: 2, single: false, wakeAt: 'NULL' },
      { routeId: 3, single: true, wakeAt: 'UTC_TIMESTAMP(3) + INTERVAL 1 DAY' },
    ];
    for (const { routeId, single, wakeAt } of routes) {
      await lanes(a, routeId, single ? 1 : 0, wakeAt);
      await lanes(b, routeId, single ? 1 : 0, due);
    }
    for (const { routeId, single, wakeAt } of routes) {
      await dataSource.transaction(async (tx) => {
        const reads = async (): Promise<number> => {
          const rows = await tx.query<{ Value: string }[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
          return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
        };
        const before = await reads();
        const found = await new DueLanes(tx as unknown as DataSource).next(
          { channel: 'sms', routeId, single },
          { most: 10, accounts: 8 },
        );
        // `SHOW STATUS` reads a table of its own besides.
        expect((await reads()) - before).toBeLessThan(800);
        const owners = found.map(({ campaignId }) => Math.floor(campaignId / 100_000 / 1_000));
        expect(new Set(owners)).toEqual(new Set(wakeAt === due ? [a, b] : [b]));
      });
    }
  });

  it('leaves lanes out that a worker holds, also when they are due again, and takes those behind them', async () => {
    await start();
    const account = await engine.account('held-and-due', 4_000);
    const [id] = await many(account, 1, 1_200);
    const lanes = engine.part(LaneStore);
    const [held] = await lanes.snapshots(await due.next(CAMPAIGNS, { most: 8, accounts: 8 }));
    if (!held) throw new Error('no lane');
    expect(await lanes.claim([{ lane: held, intentSeq: 501, recipients: [] }], 60_000)).toHaveLength(1);
    await engine.part(CampaignStates).changeAlone(id ?? 0, 'cancel');
    expect([await due.any(CAMPAIGNS), await due.next(CAMPAIGNS, { most: 8, accounts: 8 })]).toEqual([false, []]);
    const [other] = await many(account, 1, 3);
    expect(await due.next(CAMPAIGNS, { most: 1, accounts: 8 })).toEqual([{ campaignId: other, lane: 0 }]);
  });

  it('sends to the recipients of its group alone, and a window of it that is lost leaves those in doubt', async () => {
    await start();
    const account = await engine.account('grouped', 4_000);
    const terms = Array.from({ length: 1_200 }, (_, index) => (index % 2 === 1 ? { routeId: 30 } : null));
    const { id, requestId } = await accept(account, 1_200, { terms });
    const own = { campaignId: id, lane: 0 };
    const other = { campaignId: id, lane: 8 };
    const seqs = (): number[] => sent.map(({ ref }) => Number(ref.split('-')[1]));
    expect(await due.next({ ...CAMPAIGNS, routeId: 30 }, { most: 8, accounts: 8 })).toEqual([other]);
    expect(await worker.run(other)).toBe(true);
    expect(seqs().every((seq) => seq % 2 === 0)).toBe(true);
    expect(await engine.counts(requestId)).toEqual({ Pending: 700, Submitted: 500 });
    // The rest of its recipients, with a worker that dies before any has left.
    const lanes = engine.part(LaneStore);
    const [lost] = await lanes.snapshots([other]);
    if (!lost) throw new Error('no lane');
    expect(await lanes.claim([{ lane: lost, intentSeq: lost.endSeq, recipients: [] }], 5_000)).toHaveLength(1);
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3), wake_at = UTC_TIMESTAMP(3)');
    await worker.run(other);
    expect(await engine.counts(requestId)).toEqual({ Pending: 600, Submitted: 500, Unknown: 100 });
    sent = [];
    while (await worker.run(own));
    expect(sent).toHaveLength(600);
    expect(seqs().every((seq) => seq % 2 === 1)).toBe(true);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 1_100, Unknown: 100 });
    expect(await lanesLeft()).toBe(0);
  });

  it('takes a lane of one account after another, from behind the one that the window before ended with', async () => {
    await start();
    const [a, b] = [await engine.account('turn-a', 400), await engine.account('turn-b', 400)];
    await many(a, 4, 3);
    await many(b, 2, 3);
    const fresh = new DueLanes(dataSource);
    const next = async (most: number) => ownersOf(await fresh.next(CAMPAIGNS, { most, accounts: 8 }));
    fresh.servedTo(CAMPAIGNS, b);
    expect(await next(8)).toEqual([a, b, a, b, a, a]);
    fresh.servedTo(CAMPAIGNS, a);
    expect(await next(8)).toEqual([b, a, b, a, a, a]);
    fresh.servedTo(CAMPAIGNS, a);
    expect(await next(4)).toEqual([b, a, b, a]);
    fresh.servedTo(CAMPAIGNS, b);
    expect(await next(4)).toEqual([a, b, a, b]);
  });

  it('tells which lanes it holds before anything of them leaves', async () => {
    await start();
    const account = await engine.account('held', 40);
    const ids = await many(account, 3, 1);
    const told: [held: number[], sent: number][] = [];
    await worker.runTelling(await due.next(SINGLES, { most: 500, accounts: 64 }), (held) =>
      told.push([held.map(({ campaignId }) => campaignId).sort((x, y) => x - y), sent.length]),
    );
    expect(told).toEqual([[ids.sort((x, y) => x - y), 0]]);
    expect(sent).toHaveLength(3);
  });

  it('fills a window with small campaigns, and a large one has it alone', async () => {
    await start();
    const account = await engine.account('small', 4_000);
    await many(account, 4, 3);
    await worker.run(...(await due.next(CAMPAIGNS, { most: 8, accounts: 8 })));
    expect(sent).toHaveLength(12);
    expect(await lanesLeft()).toBe(0);
    const { requestId } = await accept(account, 1_200);
    const keys = await due.next(CAMPAIGNS, { most: 8, accounts: 8 });
    expect(await worker.run(...keys)).toBe(true);
    expect(await engine.counts(requestId)).toEqual({ Pending: 700, Submitted: 500 });
  });

  it('has no place for what waits: no row is written while nobody takes it', async () => {
    await start();
    const account = await engine.account('waits', 400);
    await many(account, 20, 3);
    const before: unknown = await dataSource.query('SELECT campaign_id, fence, wake_at FROM campaign_lanes ORDER BY 1');
    expect(await due.routes(['sms'])).toEqual([CAMPAIGNS]);
    expect(await due.routes(['voice'])).toEqual([]);
    expect([await due.any(CAMPAIGNS), await due.any(SINGLES)]).toEqual([true, false]);
    expect(await dataSource.query('SELECT campaign_id, fence, wake_at FROM campaign_lanes ORDER BY 1')).toEqual(before);
  });
});
