import { EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CustomerEvents } from '../../src/modules/customer-events/index.js';
import { CampaignAcceptance, type RecipientTerms, RecipientStatus } from '../../src/modules/engine/index.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { type LaneSnapshot, laneOf } from '../../src/modules/engine/lanes.js';
import { Cancellations } from '../../src/modules/engine/settle/cancellations.js';
import type { RecipientChange } from '../../src/modules/engine/settle/recipient-change.js';
import { Settlement } from '../../src/modules/engine/settle/settlement.js';
import { type Receipt, ReceiptSink } from '../../src/modules/providers/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine, startEngineOn } from '../support/engine.js';
import { sqlMessageKey } from '../stage/message-key.mjs';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);
const { Cancelled, Delivered, Failed, Pending, Read, Submitted } = RecipientStatus;

/** Counters by lane, the end of a campaign, and what goes back (docs/decisions/0026). */
describe('what is settled', () => {
  let engine: Engine;
  const query = <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    engine.database.dataSource.query<Row[]>(sql, values);

  beforeAll(async () => {
    engine = await startEngine();
    await query('CREATE TABLE told (campaign TEXT NOT NULL)');
  });
  afterAll(() => engine.stop());

  const settle = (changes: readonly RecipientChange[]): Promise<unknown> =>
    inTransaction(engine.database.dataSource, (tx) => engine.part(Settlement).settle(tx, changes));
  const change = (campaignId: number, seq: number, to: RecipientStatus, refund = false): RecipientChange => ({
    ...{ campaignId, seq, to, refund, errorCode: null, errorText: null, attempted: false },
  });
  const campaign = async (requestId: string) => await engine.part(CampaignReader).byRequestId(requestId);

  it('comes to a dozen statements, of however many campaigns and accounts', async () => {
    const count = 500;
    const rows = JSON.stringify(Array.from({ length: count }, (_, index) => index + 1));
    const table = "JSON_TABLE(?, '$[*]' COLUMNS (id INT PATH '$')) j";
    const first = 7_000_000_000;
    await query(
      `INSERT INTO credit_balances (account_id, balance, available) SELECT 100000 + j.id, 'gsm_credits', j.id FROM ${table}`,
      [rows],
    );
    await query(
      `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
         unit_credits, charged_credits, total_rows, open_lanes, refunded_credits, created_at)
       SELECT ? + j.id, 100000 + j.id, CONCAT('DOZEN_', j.id), 'sms', 'running', 'one', 'main', 1, '{}', 'gsm_credits', 3, 3, 1, 1,
         0, UTC_TIMESTAMP(3) FROM ${table}`,
      [first, rows],
    );
    await query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
       SELECT ? + j.id, 1, j.id, 0, 0, UTC_TIMESTAMP(3) FROM ${table}`,
      [first, rows],
    );
    await query(`INSERT INTO campaign_counters SELECT ? + j.id, 0, 0, 1, 1 FROM ${table}`, [first, rows]);
    const asked = vi.spyOn(EntityManager.prototype, 'query');
    await settle(Array.from({ length: count }, (_, index) => change(first + index + 1, 1, Failed, true)));
    const statements = asked.mock.calls.length;
    asked.mockRestore();
    expect(statements).toBeLessThanOrEqual(12);
    const [ended] = await query<Record<string, string>>(
      `SELECT COUNT(*) AS campaigns, SUM(c.refunded_credits) AS refunded, SUM(b.available - 3 = b.account_id - 100000) AS paid,
         SUM(l.amount = 3 AND l.available = b.available AND l.note = '1 recipients' AND l.request_id = c.request_id) AS lines_right
       FROM campaigns c JOIN credit_balances b ON b.account_id = c.account_id JOIN credit_ledger l ON l.account_id = c.account_id
       WHERE c.state = 'completed' AND c.open_lanes = 0 AND c.completed_at IS NOT NULL AND c.id > ? AND c.id <= ? + 500`,
      [first, first],
    );
    expect(Object.values(ended ?? {}).map(Number)).toEqual([count, 3 * count, count, count]);
  });

  it.each([2, 0])('gives back what each recipient was charged, where the campaign asks %i', async (unitCredits) => {
    const own: (RecipientTerms | null)[] = [
      null,
      { credits: 7 },
      { credits: 0 },
      { variables: { name: 'A' } },
      { credits: 1 },
      null,
    ];
    const prices = own.map((terms) => terms?.credits ?? unitCredits);
    const charged = sumOf(prices);
    const accountId = await engine.account(`own-${unitCredits}`, charged);
    const { id, requestId } = await engine
      .part(CampaignAcceptance)
      .accept(engine.draft(accountId, numbers(6), { unitCredits, terms: own }));
    expect(await engine.available(accountId)).toEqual({ stored: 0, ledger: 0 });
    await settle([change(id, 1, Failed, true), change(id, 2, Failed, true), change(id, 3, Failed, true)]);
    const first = (prices[0] ?? 0) + (prices[1] ?? 0);
    expect(await engine.available(accountId)).toEqual({ stored: first, ledger: first });
    await query("UPDATE campaigns SET state = 'cancelled' WHERE id = ?", [id]);
    await query('UPDATE campaign_lanes SET next_seq = 4, intent_seq = 4, fence = 1 WHERE campaign_id = ?', [id]);
    await cancelAll(id, 4, 7);
    expect(await engine.counts(requestId)).toEqual({ Failed: 3, Cancelled: 3 });
    expect(await engine.available(accountId)).toEqual({ stored: charged, ledger: charged });
    expect(await campaign(requestId)).toMatchObject({ openLanes: 0, refundedCredits: charged, state: 'cancelled' });
    const lines = await query<{ amount: number; note: string }>(
      "SELECT amount, note FROM credit_ledger WHERE account_id = ? AND kind = 'refund' ORDER BY id",
      [accountId],
    );
    const paid = prices.map((price) => (price > 0 ? 1 : 0));
    expect(lines).toEqual([
      { amount: first, note: `${sumOf(paid.slice(0, 3))} recipients` },
      { amount: charged - first, note: `${sumOf(paid.slice(3))} recipients` },
    ]);
  });

  /** Cancels a range of a lane as a worker does, without the lane. */
  const cancelAll = async (campaignId: number, nextSeq: number, endSeq: number): Promise<void> => {
    const finish = vi.spyOn(engine.part(LaneStore), 'finish').mockResolvedValue({ more: false, done: [] });
    const lane = { campaignId, lane: 0, nextSeq, endSeq } as LaneSnapshot;
    await engine.part(Cancellations).step(lane, 1_000);
    finish.mockRestore();
  };

  it('passes over late receipts of a campaign that is no longer kept, not over those beside them', async () => {
    const accountId = await engine.account('no-longer-kept', 2);
    const accept = () => engine.part(CampaignAcceptance).accept(engine.draft(accountId, numbers(1)));
    const [gone, kept] = [await accept(), await accept()];
    await settle([change(gone.id, 1, Delivered), change(kept.id, 1, Delivered)]);
    await query('DELETE FROM campaigns WHERE id = ?', [gone.id]);
    const another = await startEngineOn(engine.database.url); // this one remembers the campaign
    await inTransaction(engine.database.dataSource, (tx) =>
      another.get(Settlement, { strict: false }).settle(
        tx,
        [gone, kept].map(({ id }) => change(id, 1, Read)),
      ),
    );
    await another.close();
    expect(await engine.counts(kept.requestId)).toEqual({ Read: 1 });
  });

  it('ends a campaign once, with its last lane, whoever brings the last receipts', async () => {
    const total = 6_000;
    const accountId = await engine.account('two-nodes', total);
    const { id, requestId } = await engine.part(CampaignAcceptance).accept(engine.draft(accountId, numbers(total)));
    await settle(numbers(total).map((_, index) => change(id, index + 1, Submitted)));
    await query(
      `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status, message_key)
       SELECT campaign_id, seq, 0, 1, CONCAT('node-', seq), 1, 1, ${sqlMessageKey('1', "CONCAT('node-', seq)")} FROM campaign_recipients WHERE campaign_id = ?`,
      [id],
    );
    expect(await campaign(requestId)).toMatchObject({ openLanes: 3 });
    const other = await startEngineOn(engine.database.url);
    const nodes = [engine.module, other].map((module) => {
      module.get(CustomerEvents, { strict: false }).register({
        subscriptions: (tx) =>
          Promise.resolve({
            takes: (_account, type) => type === 'campaign.completed',
            record: async (events) => {
              for (const { body } of events) await tx.query('INSERT INTO told VALUES (?)', [JSON.stringify(body)]);
            },
          }),
      });
      return module.get(ReceiptSink, { strict: false });
    });
    const looking = { on: true };
    const looks = (async () => {
      while (looking.on) {
        const counts = Object.values(await engine.counts(requestId));
        expect(counts.reduce((sum, recipients) => sum + recipients, 0)).toBe(total);
      }
    })();
    const receipt = (seq: number): Receipt => ({
      ...{
        providerMessageId: `node-${seq}`,
        status: seq % 7 ? 'delivered' : 'failed',
        errorCode: null,
        errorText: null,
      },
      receiver: null,
    });
    // Each lane's last receipt comes last, over both nodes; every receipt comes twice.
    const lastOfLanes = [2_000, 4_000, 6_000];
    const seqs = numbers(total)
      .map((_, index) => index + 1)
      .filter((seq) => !lastOfLanes.includes(seq));
    const tell = (wanted: readonly number[]): Promise<unknown> =>
      Promise.all(wanted.flatMap((seq) => nodes.map((sink) => sink.accept(1, [receipt(seq)]))));
    await tell(seqs);
    expect(await campaign(requestId)).toMatchObject({ openLanes: 3, completedAt: null });
    await tell(lastOfLanes);
    looking.on = false;
    await looks;
    await other.close();
    const failed = Math.floor(total / 7);
    expect(await engine.counts(requestId)).toEqual({ Delivered: total - failed, Failed: failed });
    expect(await campaign(requestId)).toMatchObject({ openLanes: 0, state: 'completed' });
    expect(await query('SELECT SUM(unsettled) AS open FROM campaign_counters WHERE campaign_id = ?', [id])).toEqual([
      { open: '0' },
    ]);
    const told = await query<{ campaign: string }>('SELECT campaign FROM told');
    expect(told.map((row) => JSON.parse(row.campaign) as unknown)).toEqual([
      {
        event: 'campaign.completed',
        request_id: requestId,
        total_rows: total,
        status_counts: { DELIVERED: total - failed, FAILED: failed },
      },
    ]);
  });

  it('counts a recipient in the lane that sends to it', async () => {
    const accountId = await engine.account('lanes', 5_000);
    const { id } = await engine.part(CampaignAcceptance).accept(engine.draft(accountId, numbers(5_000)));
    await settle([
      change(id, 2_500, Cancelled, true),
      change(id, 2_501, Cancelled, true),
      change(id, 2_502, Submitted),
    ]);
    expect(laneOf(5_000, 2_501)).toBe(1);
    expect(
      await query(
        'SELECT lane, status, recipients, unsettled FROM campaign_counters WHERE campaign_id = ? ORDER BY lane, status',
        [id],
      ),
    ).toEqual([
      { lane: 0, status: Pending, recipients: 2_499, unsettled: 2_499 },
      { lane: 0, status: Cancelled, recipients: 1, unsettled: 0 },
      { lane: 1, status: Pending, recipients: 2_498, unsettled: 2_499 },
      { lane: 1, status: Submitted, recipients: 1, unsettled: 0 },
      { lane: 1, status: Cancelled, recipients: 1, unsettled: 0 },
    ]);
  });
});
