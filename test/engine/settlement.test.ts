import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import type { LanesLeft } from '../../src/modules/engine/state/lane-endings.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { endingsOf } from '../../src/modules/engine/lanes.js';
import { RoutePace } from '../../src/modules/engine/dispatch/pacing.js';
import { Cancellations } from '../../src/modules/engine/settle/cancellations.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import { OverdueReceipts } from '../../src/modules/engine/receipts/overdue-receipts.js';
import { UnmatchedReceipts } from '../../src/modules/engine/receipts/unmatched-receipts.js';
import { ReceiptSink, type Route, type SendOutcome } from '../../src/modules/providers/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { receiptOf, Steps } from '../support/steps.js';
import { claimRetries, claimUpTo, dueNow, pending } from '../support/lane-worker.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

/** The engine's writing side, driven step by step: what a worker does, without the carrier. */
describe('settling recipients', () => {
  let engine: Engine;
  let steps: Steps;
  let dataSource: DataSource;
  let lanes: LaneStore;
  let results: BatchResults;
  let states: CampaignStates;
  let sink: ReceiptSink;
  let unmatched: UnmatchedReceipts;
  let overdue: OverdueReceipts;
  let reader: CampaignReader;

  beforeAll(async () => {
    engine = await startEngine();
    steps = new Steps(engine);
    const get = <T>(type: abstract new (...parameters: never[]) => T): T =>
      engine.module.get<T>(type, { strict: false });
    dataSource = get(DataSource);
    lanes = engine.part(LaneStore);
    results = engine.part(BatchResults);
    states = get(CampaignStates);
    sink = get(ReceiptSink);
    unmatched = engine.part(UnmatchedReceipts);
    overdue = engine.part(OverdueReceipts);
    reader = get(CampaignReader);
  });
  afterAll(async () => engine.stop());

  const accepted = (seq: number): SendOutcome => ({ kind: 'accepted', providerMessageIds: [`m-${seq}`] });

  it('moves forward only, whatever the order of receipts, and completes with the last', async () => {
    const { id, requestId, accountId } = await steps.accept('forward', 40);
    const { end } = await steps.batch(id, 40, (seq) => ({ kind: 'accepted', providerMessageIds: [`f-${seq}`] }));
    expect(end).toMatchObject({ done: [id] });
    expect(await engine.counts(requestId)).toEqual({ Submitted: 40 });
    await sink.accept(1, [
      receiptOf('f-1', 'delivered'),
      receiptOf('f-1', 'submitted'),
      receiptOf('f-2', 'failed', { errorCode: 9, errorText: 'gone' }),
    ]);
    await sink.accept(1, [receiptOf('f-1', 'failed'), receiptOf('f-2', 'delivered')]);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 38, Delivered: 1, Failed: 1 });
    expect((await reader.recipients(id, { afterSeq: 1, limit: 1 }))[0]).toMatchObject({
      errorCode: 9,
      errorMessage: 'gone',
      attempts: 1,
    });
    await Promise.all(
      Array.from({ length: 38 }, (_, index) => sink.accept(1, [receiptOf(`f-${index + 3}`, 'delivered')])),
    );
    expect(await reader.byRequestId(requestId)).toMatchObject({ state: 'completed', openLanes: 0 });
    expect(await engine.counts(requestId)).toEqual({ Delivered: 39, Failed: 1 });
    expect(await engine.available(accountId)).toEqual({ stored: 0, ledger: 0 });
  });

  it('keeps the counters at the total at every moment, under receipts and windows at once', async () => {
    const { id, requestId } = await steps.accept('moments', 300);
    const looking = { on: true };
    const looks = (async () => {
      while (looking.on) {
        const counts = Object.values(await engine.counts(requestId));
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300);
      }
    })();
    for (let from = 0; from < 300; from += 50) {
      await steps.batch(id, 50, (seq) => ({ kind: 'accepted', providerMessageIds: [`c-${seq}`] }));
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          sink.accept(1, [receiptOf(`c-${from + index + 1}`, index % 3 ? 'delivered' : 'failed')]),
        ),
      );
    }
    looking.on = false;
    await looks;
    expect(await engine.counts(requestId)).toEqual({ Delivered: 198, Failed: 102 });
  });

  it('refunds what never left or was refused, once; later failures only for an account with refund_failed', async () => {
    const { id, requestId, accountId } = await steps.accept('refunds', 20);
    await steps.batch(id, 20, (seq) =>
      seq <= 5
        ? { kind: 'rejected', code: null, text: 'Number too long for the carrier', submitted: false }
        : seq <= 8
          ? { kind: 'rejected', code: 11, text: 'Invalid destination', submitted: true }
          : accepted(seq),
    );
    expect(await engine.available(accountId)).toEqual({ stored: 8, ledger: 8 });
    expect(await reader.byRequestId(requestId)).toMatchObject({ refundedCredits: 8 });
    const generous = await steps.accept('generous', 4);
    await dataSource.query('UPDATE accounts SET refund_failed = 1 WHERE id = ?', [generous.accountId]);
    await steps.batch(generous.id, 4, (seq) => ({ kind: 'accepted', providerMessageIds: [`g-${seq}`] }));
    await sink.accept(1, [receiptOf('g-1', 'failed'), receiptOf('g-1', 'failed'), receiptOf('g-2', 'delivered')]);
    await sink.accept(1, [receiptOf('g-1', 'failed')]);
    expect(await engine.available(generous.accountId)).toEqual({ stored: 1, ledger: 1 });
  });

  it('a message of several parts is delivered with its last part, failed with its first failure', async () => {
    const { id } = await steps.accept('parts', 3);
    await steps.batch(id, 3, (seq) => ({
      kind: 'accepted',
      providerMessageIds: [`p-${seq}-a`, `p-${seq}-b`, `p-${seq}-c`],
    }));
    await sink.accept(1, [receiptOf('p-1-a', 'delivered'), receiptOf('p-1-c', 'delivered')]);
    await sink.accept(1, [receiptOf('p-2-b', 'failed', { errorCode: 3, errorText: 'UNDELIV' })]);
    expect(await steps.statuses(id)).toEqual(['Submitted', 'Failed', 'Submitted']);
    // Checking writes the items that have not moved too: what another node of a cluster checks meanwhile must meet it.
    const checked: { seq: number; item: number; receipts: number }[] = await dataSource.query(
      'SELECT seq, item, receipts FROM provider_messages WHERE campaign_id = ? ORDER BY seq, item',
      [id],
    );
    expect(checked.map(({ receipts }) => receipts)).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0]);
    await Promise.all([
      sink.accept(1, [receiptOf('p-1-b', 'delivered')]),
      sink.accept(1, [receiptOf('p-2-a', 'delivered')]),
    ]);
    expect(await steps.statuses(id)).toEqual(['Delivered', 'Failed', 'Submitted']);
  });

  it('finds a message by another spelling of its id for the same recipient, and never over another route', async () => {
    const { id } = await steps.accept('spelling', 2);
    await steps.batch(id, 2, (seq) => ({ kind: 'accepted', providerMessageIds: [`ff0${seq}`] }));
    await sink.accept(2, [receiptOf('ff01', 'delivered')]);
    expect(await steps.statuses(id)).toEqual(['Submitted', 'Submitted']);
    await sink.accept(1, [receiptOf('65282', 'delivered', { receiver: '910000000000' })]);
    expect(await steps.statuses(id)).toEqual(['Submitted', 'Submitted']);
    await sink.accept(1, [receiptOf('65282', 'delivered', { receiver: numbers(2)[1] as string })]);
    expect(await steps.statuses(id)).toEqual(['Submitted', 'Delivered']);
  });

  it('keeps a receipt that comes before the submit answer is written', async () => {
    const { id } = await steps.accept('early', 1);
    await sink.accept(1, [receiptOf('e-1', 'delivered')]);
    await unmatched.sweep();
    await steps.batch(id, 1, (seq) => ({ kind: 'accepted', providerMessageIds: [`e-${seq}`] }));
    expect(await steps.statuses(id)).toEqual(['Submitted']);
    await unmatched.sweep();
    expect(await steps.statuses(id)).toEqual(['Delivered']);
    expect(await dataSource.query("SELECT 1 FROM parked_receipts WHERE provider_message_id = 'e-1'")).toEqual([]);
  });

  it('marks the open window of a lost worker as unknown, lets nobody resend it, and settles it by an orphan receipt', async () => {
    const { id, requestId } = await steps.accept('lost', 30);
    const lost = await steps.lane(id);
    expect(await claimUpTo(lanes, lost, 11)).toBe(true);
    expect(await claimUpTo(lanes, lost, 21)).toBe(false);
    await results.flush(
      [
        {
          recipient: { lane: lost, seq: 1, number: numbers(1)[0] as string, attempt: 1 },
          outcome: { kind: 'accepted', providerMessageIds: ['l-1'] },
        },
      ],
      null,
    );
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);

    const found = await steps.lane(id);
    expect(found).toMatchObject({ nextSeq: 1, intentSeq: 11 });
    expect(await claimUpTo(lanes, found, found.intentSeq)).toBe(true);
    expect(await results.recover([found], false)).toMatchObject({ more: true });
    expect(await engine.counts(requestId)).toEqual({ Pending: 20, Submitted: 1, Unknown: 9 });
    expect(await pending(dataSource, found, 1, 11)).toEqual([]);

    // The lost worker wakes: what it knows to be accepted counts, and its batch is over.
    expect(
      await results.flush(
        [
          {
            recipient: { lane: lost, seq: 2, number: numbers(2)[1] as string, attempt: 1 },
            outcome: { kind: 'accepted', providerMessageIds: ['l-2'] },
          },
        ],
        endingsOf([lost]),
      ),
    ).toEqual({ more: false, done: [id] }); // not held any more: it is looked at whether all of it was sent
    expect(await engine.counts(requestId)).toEqual({ Pending: 20, Submitted: 2, Unknown: 8 });
    expect((await steps.lane(id)).nextSeq).toBe(11);

    await sink.accept(1, [receiptOf('nobody-knows-this', 'delivered', { receiver: numbers(3)[2] as string })]);
    await dataSource.query('UPDATE parked_receipts SET received_at = received_at - INTERVAL 10 SECOND');
    await unmatched.sweep();
    expect(await engine.counts(requestId)).toEqual({ Pending: 20, Submitted: 2, Unknown: 7, Delivered: 1 });
  });

  it('sends the open batch again where the carrier removes duplicates', async () => {
    const { id, requestId } = await steps.accept('resend', 10);
    const lost = await steps.lane(id);
    await claimUpTo(lanes, lost, 6);
    await dataSource.query('UPDATE campaign_lanes SET lease_until = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    const found = await steps.lane(id);
    await claimUpTo(lanes, found, found.intentSeq);
    await results.recover([found], true);
    expect(await engine.counts(requestId)).toEqual({ Pending: 5, Unknown: 5 });
    const lane = await steps.lane(id);
    expect(lane.retriesDue).toBe(true);
    expect((await claimRetries(lanes, lane, true))?.map((entry) => entry.seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('tries a temporary fault five times, a throttle as long as it takes', async () => {
    const { id } = await steps.accept('again', 2);
    const fault = (seq: number): SendOutcome => ({
      kind: 'retry',
      afterMs: 1,
      code: 8,
      text: 'System error',
      throttled: seq === 2,
    });
    expect((await steps.batch(id, 2, fault)).end).toEqual({ more: false, done: [] });
    for (let attempt = 2; attempt <= 6; attempt++) {
      await dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
      const lane = await steps.lane(id);
      const due = (await claimRetries(lanes, lane)) ?? [];
      await results.flush(
        due.map((recipient) => ({ recipient, outcome: fault(recipient.seq) })),
        endingsOf([lane]),
      );
    }
    const [first, second] = await reader.recipients(id, { afterSeq: 0, limit: 2 });
    expect(first).toMatchObject({ status: RecipientStatus.Failed, errorCode: 8, errorMessage: 'System error' });
    expect(second).toMatchObject({ status: RecipientStatus.Pending });
    expect(await dataSource.query('SELECT seq, attempt FROM recipient_retries WHERE campaign_id = ?', [id])).toEqual([
      { seq: 2, attempt: 1 },
    ]);
  });

  it('cancels what has not left in bounded steps with its refund, and a window under way still counts', async () => {
    const { id, requestId, accountId } = await steps.accept('cancel', 100);
    await steps.batch(id, 30, (seq) => ({ kind: 'accepted', providerMessageIds: [`x-${seq}`] }));
    const underWay = await steps.lane(id);
    await claimUpTo(lanes, underWay, 41);
    expect(await states.changeAlone(id, 'cancel')).toBe(true);
    expect(await states.changeAlone(id, 'cancel')).toBe(false);
    const sent = await pending(dataSource, underWay, 31, 41);
    const end = await results.flush(
      sent.map((recipient) => ({
        recipient,
        outcome: { kind: 'accepted', providerMessageIds: [`x-${recipient.seq}`] },
      })),
      endingsOf([underWay]),
    );
    expect(end).toMatchObject({ more: true });
    for (let left: LanesLeft = end; left.more;) {
      const next = await steps.lane(id);
      await claimUpTo(lanes, next, next.intentSeq);
      left = await engine.part(Cancellations).step(next, 25);
    }
    expect(await engine.counts(requestId)).toEqual({ Submitted: 40, Cancelled: 60 });
    expect(await engine.available(accountId)).toEqual({ stored: 60, ledger: 60 });
    expect(await reader.byRequestId(requestId)).toMatchObject({ state: 'cancelled', openLanes: 1 });
  });

  it('a pause between plan and claim wins, and resuming wakes the lane', async () => {
    const { id } = await steps.accept('pause', 10);
    const planned = await steps.lane(id);
    expect(await states.changeAlone(id, 'pause')).toBe(true);
    expect(await claimUpTo(lanes, planned, 5)).toBe(false);
    expect((await dueNow(dataSource)).has(id)).toBe(false);
    expect(await states.changeAlone(id, 'resume')).toBe(true);
    expect((await dueNow(dataSource)).has(id)).toBe(true);
  });

  it('fails who got no receipt by the deadline, and never earlier', async () => {
    const { id, requestId } = await steps.accept('overdue', 3);
    await steps.batch(id, 3, (seq) => ({ kind: 'accepted', providerMessageIds: [`o-${seq}`] }));
    await overdue.sweep([id], 60_000);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 3 });
    await dataSource.query(
      'UPDATE campaign_recipients SET updated_at = updated_at - INTERVAL 61 SECOND WHERE campaign_id = ? AND seq < 3',
      [id],
    );
    await overdue.sweep([id], 60_000);
    expect(await engine.counts(requestId)).toEqual({ Submitted: 1, Failed: 2 });
    expect((await reader.recipients(id, { afterSeq: 0, limit: 1 }))[0]?.errorMessage).toBe('No delivery receipt');
    await sink.accept(1, [receiptOf('o-1', 'delivered')]);
    expect((await steps.statuses(id))[0]).toBe('Failed');
  });

  it('shares the speed of a route among everybody who reserves', async () => {
    await dataSource.query(
      `INSERT INTO routes (name, channel, driver, config, messages_per_second, callback_secret, pace_us, created_at, updated_at)
       VALUES ('paced', 'sms', 'smpp', '', 100, 'x', 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
    );
    const [row] = await dataSource.query<{ id: number }[]>("SELECT id FROM routes WHERE name = 'paced'");
    const route: Route = {
      id: row?.id ?? 0,
      name: 'paced',
      channel: 'sms',
      driver: 'smpp',
      config: {},
      messagesPerSecond: 100,
      callbackSecret: 'x',
    };
    const other = new RoutePace(dataSource);
    const began = performance.now();
    const waits = await Promise.all(
      Array.from({ length: 12 }, (_, index) => (index % 2 ? other : new RoutePace(dataSource)).reserve(route, 25)),
    );
    // A statement's clock stands where it began, though it waited for the row behind another that began later.
    const apart = performance.now() - began;
    const granted = waits.filter((wait) => wait !== null).sort((a, b) => a - b);
    // 25 messages are a quarter of a second; whoever would wait more than a second is sent away.
    expect(granted.length).toBeGreaterThanOrEqual(4);
    expect(granted.length).toBeLessThanOrEqual(6);
    for (const [index, wait] of granted.entries()) expect(Math.floor(wait)).toBeLessThanOrEqual(index * 250 + apart);
    expect(granted.at(-1)).toBeGreaterThan(600);
  });
});
