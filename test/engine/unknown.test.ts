import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CampaignAcceptance, Channels, RecipientStatus } from '../../src/modules/engine/index.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import { FailedRecipients } from '../../src/modules/campaigns/retry/failed-recipients.store.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { OverdueReceipts } from '../../src/modules/engine/receipts/overdue-receipts.js';
import { Settlement } from '../../src/modules/engine/settle/settlement.js';
import { HttpDriver } from '../../src/modules/providers/drivers/http/http.driver.js';
import { httpConfigSchema } from '../../src/modules/providers/drivers/http/http-config.js';
import { type RouteConnection, RouteDirectory } from '../../src/modules/providers/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { claimUpTo, firstLane, type LaneWorker, laneWorker, snapshotOf } from '../support/lane-worker.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

const LEASE_MS = 5_000;
const RECEIPT_TIMEOUT_MS = 60_000;

/** A worker and a gateway that takes messages and breaks off before it answers: what became of them nobody knows. */
describe('recipients of unknown outcome', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let lanes: LaneStore;
  let states: CampaignStates;
  let overdue: OverdueReceipts;
  let failed: FailedRecipients;
  let outbound: OutboundClient;
  let gateway: Server;
  let connection: RouteConnection;
  /** what the gateway does with a message that it has taken */
  let answer: 'reset' | 'accept' | 'refuse';
  let deduplicates: boolean;
  /** references of the messages that the gateway has taken, in order */
  const taken: string[] = [];

  beforeAll(async () => {
    engine = await startEngine();
    const get = <T>(type: abstract new (...parameters: never[]) => T): T =>
      engine.module.get<T>(type, { strict: false });
    dataSource = get(DataSource);
    lanes = engine.part(LaneStore);
    states = get(CampaignStates);
    overdue = engine.part(OverdueReceipts);
    failed = new FailedRecipients(dataSource, get(RouteDirectory), get(Channels));
    gateway = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { ref } = JSON.parse(Buffer.concat(chunks).toString()) as { ref: string };
        taken.push(ref);
        if (answer === 'reset') request.socket.destroy();
        else response.writeHead(answer === 'accept' ? 200 : 400).end(JSON.stringify({ id: `g-${ref}` }));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => gateway.once('listening', resolve));
    outbound = new OutboundClient({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  });
  afterAll(async () => {
    await connection.close();
    await outbound.onApplicationShutdown();
    gateway.close();
    await engine.stop();
  });
  beforeEach(() => {
    taken.length = 0;
    answer = 'reset';
    deduplicates = true;
  });

  const worker = async (): Promise<LaneWorker> => {
    const driver = new HttpDriver(outbound);
    const config = httpConfigSchema.parse({
      url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`,
      body: { to: '{{to}}', ref: '{{ref}}' },
      id_path: 'id',
      deduplicates,
    });
    const route = { id: 1, name: 'r', channel: 'sms' as const, driver: 'http', config, messagesPerSecond: null };
    connection = driver.open({ ...route, callbackSecret: 'hush' });
    return laneWorker(engine, {
      environment: { LANE_LEASE: LEASE_MS, RECEIPT_TIMEOUT: RECEIPT_TIMEOUT_MS },
      deduplicates: () => driver.deduplicates(config),
      connection: () => connection,
    });
  };
  const accept = async (
    username: string,
    total: number,
  ): Promise<{ id: number; requestId: string; accountId: number }> => {
    const accountId = await engine.account(username, total);
    const { id, requestId } = await engine.module
      .get(CampaignAcceptance, { strict: false })
      .accept(engine.draft(accountId, numbers(total)));
    return { id, requestId, accountId };
  };
  /** Runs batches until the lane wants no more. */
  const drive = async (campaignId: number): Promise<void> => {
    const runner = await worker();
    for (let runs = 0; runs < 40; runs++) if (!(await runner.run(firstLane(campaignId)))) return;
    throw new Error('the lane never rests');
  };
  /** The same, with every retry at its time, until none waits. */
  const driveToTheEnd = async (campaignId: number): Promise<void> => {
    for (let rounds = 0; rounds < 20; rounds++) {
      await dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [
        campaignId,
      ]);
      await drive(campaignId);
      if ((await retries(campaignId)) === 0) return;
    }
    throw new Error('retries without end');
  };
  const retries = async (campaignId: number): Promise<number> => {
    const rows: unknown[] = await dataSource.query('SELECT 1 FROM recipient_retries WHERE campaign_id = ?', [
      campaignId,
    ]);
    return rows.length;
  };
  const passDeadline = async (campaignId: number): Promise<void> => {
    await dataSource.query(
      'UPDATE campaign_recipients SET updated_at = updated_at - INTERVAL 1 HOUR WHERE campaign_id = ?',
      [campaignId],
    );
    await dataSource.query(
      'UPDATE unknown_outcomes SET created_at = created_at - INTERVAL 1 HOUR WHERE campaign_id = ?',
      [campaignId],
    );
    await overdue.sweep([campaignId], RECEIPT_TIMEOUT_MS);
  };
  /** Who is on the list that receipts without a message are matched with. */
  const listed = async (campaignId: number): Promise<number[]> => {
    const rows: { seq: number }[] = await dataSource.query(
      'SELECT seq FROM unknown_outcomes WHERE campaign_id = ? ORDER BY seq',
      [campaignId],
    );
    return rows.map(({ seq }) => seq);
  };
  /** How many `retry-failed` would send again under a new reference. */
  const retriable = async (requestId: string): Promise<number> => {
    const campaign = await engine.module.get(CampaignReader, { strict: false }).byRequestId(requestId);
    if (!campaign) throw new Error('no campaign');
    return (await failed.sourceOf(campaign)).source.total;
  };
  const referencesOf = (campaignId: number, total: number): string[] =>
    numbers(total).map((_, index) => `${campaignId}-${index + 1}`);

  it('of a deduplicating route are not refunded by a cancel', async () => {
    const { id, requestId, accountId } = await accept('cancelled', 10);
    await drive(id);
    expect(new Set(taken)).toEqual(new Set(referencesOf(id, 10)));
    expect(await states.changeAlone(id, 'cancel')).toBe(true);
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 10 });
    expect(await engine.available(accountId)).toEqual({ stored: 0, ledger: 0 });
    expect(await retries(id)).toBe(0);
    await passDeadline(id);
    expect(await engine.counts(requestId)).toEqual({ Failed: 10 });
    expect(await engine.available(accountId)).toEqual({ stored: 0, ledger: 0 });
    expect(await retriable(requestId)).toBe(0);
  });

  it('of a deduplicating route are sent again under their reference only, and never by retry-failed', async () => {
    const { id, requestId } = await accept('retried', 3);
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 3 });
    await driveToTheEnd(id);
    expect(new Set(taken)).toEqual(new Set(referencesOf(id, 3)));
    expect(taken).toHaveLength(15);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 3 });
    expect(await retriable(requestId)).toBe(0);
    await passDeadline(id);
    expect(await engine.counts(requestId)).toEqual({ Failed: 3 });
    expect(await retriable(requestId)).toBe(0);
  });

  it('count as sent once the gateway has answered, and once only', async () => {
    const { id, requestId } = await accept('answered', 4);
    await drive(id);
    answer = 'accept';
    await driveToTheEnd(id);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 4 });
    expect(taken).toHaveLength(8);
    const rows = await dataSource.query<unknown[]>(
      'SELECT seq, item, items, attempts FROM provider_messages m JOIN campaign_recipients USING (campaign_id, seq) WHERE campaign_id = ? ORDER BY seq',
      [id],
    );
    expect(rows).toEqual([1, 2, 3, 4].map((seq) => ({ seq, item: 0, items: 1, attempts: 2 })));
  });

  it('stay so when the second copy is refused: the first may have been taken', async () => {
    const { id, requestId, accountId } = await accept('refused', 4);
    await dataSource.query('UPDATE accounts SET refund_failed = 1 WHERE id = ?', [accountId]);
    await drive(id);
    answer = 'refuse';
    await driveToTheEnd(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 4 });
    expect(await engine.available(accountId)).toEqual({ stored: 0, ledger: 0 });
  });

  it('of a dead worker’s window are neither refunded nor resent elsewhere', async () => {
    const { id, requestId, accountId } = await accept('dead', 10);
    await states.begin(dataSource.manager, [id], RECEIPT_TIMEOUT_MS);
    await claimUpTo(lanes, await snapshotOf(lanes, id), 6, LEASE_MS);
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    await states.changeAlone(id, 'cancel');
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 5, Cancelled: 5 });
    expect(await engine.available(accountId)).toEqual({ stored: 5, ledger: 5 });
    expect(taken).toEqual([]);
  });

  it('are not sent again once the operator says that the route does not deduplicate', async () => {
    const { id, requestId } = await accept('switched', 3);
    await drive(id);
    expect(await retries(id)).toBe(3);
    taken.length = 0;
    deduplicates = false;
    await driveToTheEnd(id);
    expect(taken).toEqual([]);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 3 });
  });

  it('are marked for good: not even after twice the deadline does retry-failed take them', async () => {
    deduplicates = false;
    const { id, requestId } = await accept('marked', 6);
    await drive(id);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 6 });
    expect(taken).toHaveLength(6);
    await passDeadline(id);
    await overdue.forgetUnknown(RECEIPT_TIMEOUT_MS);
    expect(await engine.counts(requestId)).toEqual({ Failed: 6 });
    expect(await listed(id)).toEqual([]);
    expect(await retriable(requestId)).toBe(0);
  });

  it('leave the list after twice the deadline, whatever their campaign has come to, and no sooner', async () => {
    deduplicates = false;
    const { id, requestId } = await accept('listed', 3);
    await drive(id);
    const age = (table: string, column: string, seqs: number[]): Promise<unknown> =>
      dataSource.query(
        `UPDATE ${table} SET ${column} = ${column} - INTERVAL 1 HOUR WHERE campaign_id = ? AND seq IN (?)`,
        [id, seqs],
      );
    const sweep = async (): Promise<void> => {
      await dataSource.query(
        'UPDATE campaigns SET overdue_check_at = UTC_TIMESTAMP(3) WHERE id = ? AND overdue_check_at IS NOT NULL',
        [id],
      );
      await overdue.round(RECEIPT_TIMEOUT_MS);
      await overdue.forgetUnknown(RECEIPT_TIMEOUT_MS);
    };
    // The first is settled by its own id, the second waits on.
    const delivered = { campaignId: id, seq: 1, to: RecipientStatus.Delivered, refund: false, attempted: false };
    await dataSource.transaction((tx) =>
      engine.part(Settlement).settle(tx, [{ ...delivered, errorCode: null, errorText: null }]),
    );
    await age('campaign_recipients', 'updated_at', [3]);
    await sweep();
    expect(await listed(id)).toEqual([1, 2, 3]);
    await age('unknown_outcomes', 'created_at', [1, 2, 3]);
    await sweep();
    expect(await engine.counts(requestId)).toEqual({ Delivered: 1, Unknown: 1, Failed: 1 });
    expect(await listed(id)).toEqual([2]);

    await age('campaign_recipients', 'updated_at', [2]);
    await sweep();
    const campaign = await engine.module.get(CampaignReader, { strict: false }).byRequestId(requestId);
    expect(campaign?.state).toBe('completed');
    expect(await listed(id)).toEqual([]);
  });
});
