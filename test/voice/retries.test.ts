import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AttemptReader, RecipientStatus } from '../../src/modules/engine/index.js';
import type { SendOutcome } from '../../src/modules/providers/index.js';
import { CallEngine, callReceipt } from '../support/call-engine.js';
import { numbers } from '../support/client.js';
import { endingsOf } from '../../src/modules/engine/lanes.js';
import { claimRetries, claimUpTo } from '../support/lane-worker.js';

/** The engine with calls: attempts, their receipts, and the waits between them. */
describe('voice retries', () => {
  let calls: CallEngine;

  beforeAll(async () => {
    calls = await CallEngine.start();
  });
  beforeEach(() => calls.reset());
  afterAll(() => calls.engine.stop());

  it('calls again after the interval and keeps the last word', async () => {
    const campaign = await calls.accept('again', 4, 2, 30);
    await calls.drive(campaign);
    expect(calls.made.map(({ ref }) => ref)).toEqual([1, 2, 3, 4].map((seq) => `${campaign.id}-${seq}`));
    await calls.report(campaign, 1, 'no_answer');
    await calls.report(campaign, 2, 'busy');
    await calls.report(campaign, 3, 'failed', { errorCode: 13224, errorText: 'Invalid number' });
    await calls.report(campaign, 4, 'answered', { durationSeconds: 14 });
    expect(await calls.counts(campaign)).toEqual({ Retrying: 3, Answered: 1 });
    expect(await calls.waits(campaign)).toEqual([1, 2, 3].map((seq) => [seq, 30]));
    expect(await calls.wakesIn(campaign)).toBe(30);
    await calls.drive(campaign); // too early: nobody is called
    expect(calls.made).toHaveLength(4);
    await calls.redial(campaign);
    expect(calls.made).toHaveLength(7);
    expect(await calls.waits(campaign)).toEqual([]);
    expect(await calls.counts(campaign)).toEqual({ Submitted: 3, Answered: 1 });
    await calls.report(campaign, 1, 'answered', { durationSeconds: 7 });
    await calls.report(campaign, 2, 'no_answer');
    await calls.report(campaign, 3, 'busy');
    await calls.redial(campaign);
    await calls.report(campaign, 2, 'busy');
    await calls.report(campaign, 3, 'failed', { errorCode: 486, errorText: 'Call failed' });
    expect(calls.made).toHaveLength(9);
    expect(await calls.counts(campaign)).toEqual({ Answered: 2, Busy: 1, Failed: 1 });
    expect(await calls.recipient(campaign, 1)).toEqual({ status: 'Answered', attempts: 2, duration: 7 });
    expect(await calls.recipient(campaign, 2)).toEqual({ status: 'Busy', attempts: 3, duration: 0 });
    expect(await calls.recipient(campaign, 4)).toEqual({ status: 'Answered', attempts: 1, duration: 14 });
    expect(await calls.reader.byRequestId(campaign.requestId)).toMatchObject({ state: 'completed', openLanes: 0 });
    expect(await calls.engine.available(campaign.accountId)).toEqual({ stored: 0, ledger: 0 });
    expect(
      (await calls.calls.of(campaign.id, [2])).map((call) => [call.attempt, RecipientStatus[call.status]]),
    ).toEqual([
      [1, 'Busy'],
      [2, 'NoAnswer'],
      [3, 'Busy'],
    ]);
  });

  it('calls again over the route that a recipient has of its own', async () => {
    const campaign = await calls.accept('elsewhere', 2, 1, 30, [null, { routeId: 2 }]);
    await calls.drive(campaign);
    await calls.drive(campaign, 8);
    await calls.tellOver(2, callReceipt(await calls.callTo(campaign, 2), 'busy'));
    const lanes = await calls.dataSource.query<unknown[]>(
      `SELECT l.lane, l.route_id AS route, t.seq FROM campaign_lanes l
       JOIN recipient_retries t ON t.campaign_id = l.campaign_id AND t.lane = l.lane WHERE l.campaign_id = ?`,
      [campaign.id],
    );
    expect(lanes).toEqual([{ lane: 8, route: 2, seq: 2 }]);
  });

  it('without retries the first word is the last', async () => {
    const campaign = await calls.accept('once', 3, 0);
    await calls.drive(campaign);
    await calls.report(campaign, 1, 'no_answer');
    await calls.report(campaign, 2, 'busy');
    await calls.report(campaign, 3, 'failed');
    expect(await calls.counts(campaign)).toEqual({ NoAnswer: 1, Busy: 1, Failed: 1 });
    expect(await calls.reader.byRequestId(campaign.requestId)).toMatchObject({ state: 'completed' });
  });

  it('a late receipt of an older call changes nothing, and a repeated one plans nothing twice', async () => {
    const campaign = await calls.accept('late', 1, 1);
    await calls.drive(campaign);
    const first = await calls.callTo(campaign, 1);
    await calls.tell(callReceipt(first, 'busy'), callReceipt(first, 'busy'), callReceipt(first, 'submitted'));
    await calls.tell(callReceipt(first, 'busy'), callReceipt(first, 'answered', { durationSeconds: 9 }));
    await calls.tell(callReceipt(first, 'submitted'));
    await calls.tell(callReceipt(first, 'answered', { durationSeconds: 9 }));
    expect(await calls.counts(campaign)).toEqual({ Retrying: 1 });
    await calls.redial(campaign);
    expect(calls.made).toHaveLength(2);
    await calls.tell(callReceipt(first, 'failed'), callReceipt(first, 'answered', { durationSeconds: 9 }));
    expect(await calls.recipient(campaign, 1)).toEqual({ status: 'Submitted', attempts: 2, duration: 0 });
    expect(await calls.waits(campaign)).toEqual([]);
    await calls.report(campaign, 1, 'answered', { durationSeconds: 5 });
    await calls.tell(callReceipt(first, 'no_answer'));
    expect(await calls.recipient(campaign, 1)).toEqual({ status: 'Answered', attempts: 2, duration: 5 });
  });

  it('a cancel while retries wait: the last word stands, nobody who was called is refunded', async () => {
    const campaign = await calls.accept('cancelled', 5, 3);
    calls.network = ({ ref }) =>
      Promise.resolve(
        ref.endsWith('-5')
          ? { kind: 'retry', afterMs: 60_000, code: 20429, text: 'busy', throttled: true }
          : calls.accepted(),
      );
    await calls.drive(campaign);
    await calls.report(campaign, 1, 'no_answer');
    await calls.report(campaign, 2, 'busy');
    await calls.report(campaign, 3, 'failed', { errorCode: 7, errorText: 'Unreachable' });
    expect(await calls.states.changeAlone(campaign.id, 'cancel')).toBe(true);
    await calls.drive(campaign);
    // The fourth still rings, the fifth was never called.
    expect(await calls.counts(campaign)).toEqual({
      NoAnswer: 1,
      Busy: 1,
      Failed: 1,
      Submitted: 1,
      Cancelled: 1,
    });
    expect((await calls.reader.recipients(campaign.id, { afterSeq: 2, limit: 1 }))[0]).toMatchObject({
      errorCode: 7,
      errorMessage: 'Unreachable',
    });
    await calls.report(campaign, 4, 'no_answer');
    expect(await calls.waits(campaign)).toEqual([]);
    expect(await calls.reader.byRequestId(campaign.requestId)).toMatchObject({ state: 'cancelled', openLanes: 0 });
    expect(await calls.engine.available(campaign.accountId)).toEqual({ stored: 1, ledger: 1 });
    expect(calls.made).toHaveLength(5);
  });

  it('a receipt beside a cancel leaves nobody waiting', async () => {
    for (let round = 0; round < 8; round++) {
      const campaign = await calls.accept(`beside-${round}`, 3, 3);
      await calls.drive(campaign);
      await Promise.all([
        calls.states.changeAlone(campaign.id, 'cancel'),
        ...[1, 2, 3].map((seq) => calls.report(campaign, seq, 'busy')),
      ]);
      await calls.drive(campaign);
      expect(await calls.counts(campaign)).toEqual({ Busy: 3 });
    }
  });

  it('a pause keeps the wait, however long it lasts', async () => {
    const campaign = await calls.accept('paused', 2, 1, 5);
    await calls.drive(campaign);
    await calls.report(campaign, 1, 'no_answer');
    await calls.states.changeAlone(campaign.id, 'pause');
    await calls.report(campaign, 2, 'no_answer'); // wakes the lane, which then sleeps again
    await calls.due(campaign);
    await calls.drive(campaign);
    expect([calls.made.length, await calls.wakesIn(campaign)]).toEqual([2, null]);
    await calls.dataSource.query(
      'UPDATE campaign_recipients SET updated_at = updated_at - INTERVAL 80 HOUR WHERE campaign_id = ?',
      [campaign.id],
    );
    await calls.overdue.sweep([campaign.id], 72 * 3_600_000);
    expect(await calls.counts(campaign)).toEqual({ Retrying: 2 });
    await calls.states.changeAlone(campaign.id, 'resume');
    expect(await calls.wakesIn(campaign)).toBeLessThanOrEqual(0);
    await calls.drive(campaign);
    expect(calls.made).toHaveLength(4);
  });

  it('a worker that dies while it calls again leaves an unknown outcome, settled by its receipt', async () => {
    const campaign = await calls.accept('lost', 2, 3);
    await calls.drive(campaign);
    await calls.report(campaign, 1, 'busy');
    await calls.report(campaign, 2, 'busy');
    await calls.due(campaign);
    const lost = await calls.lane(campaign);
    const claimed = await claimRetries(calls.lanes, lost);
    expect(claimed?.map(({ seq, made: before }) => [seq, before])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    await calls.leaseEnds(campaign);
    await calls.drive(campaign);
    expect(calls.made).toHaveLength(2);
    expect(await calls.counts(campaign)).toEqual({ Unknown: 2 });
    // The dead worker's word on the first comes late; the second call is known by its receipt only.
    const [first] = claimed ?? [];
    if (!first) throw new Error('nobody is claimed');
    const accepted: SendOutcome = { kind: 'accepted', providerMessageIds: ['late-word'] };
    await calls.results.flush([{ recipient: first, outcome: accepted }], null);
    expect(await calls.recipient(campaign, 1)).toMatchObject({ status: 'Submitted', attempts: 2 });
    await calls.tell(callReceipt('late-word', 'no_answer'));
    await calls.tell(callReceipt('orphan', 'no_answer', { receiver: numbers(2)[1] as string }));
    await calls.adoptOrphans();
    expect(await calls.counts(campaign)).toEqual({ Retrying: 2 });
    await calls.redial(campaign);
    await calls.report(campaign, 1, 'answered', { durationSeconds: 3 });
    await calls.report(campaign, 2, 'answered', { durationSeconds: 4 });
    expect(await calls.recipient(campaign, 2)).toEqual({ status: 'Answered', attempts: 3, duration: 4 });
    expect((await calls.calls.of(campaign.id, [2])).map((call) => call.attempt)).toEqual([1, 2, 3]);
  });

  it("a dead worker's late word on an older call does not end a wait", async () => {
    const campaign = await calls.accept('late-word', 1, 2);
    const before = await calls.lane(campaign);
    await calls.states.begin(calls.dataSource.manager, [campaign.id], 60_000);
    await claimUpTo(calls.lanes, before, 2);
    await calls.leaseEnds(campaign);
    await calls.drive(campaign);
    const receiver = numbers(1)[0] as string;
    await calls.tell(callReceipt('first-call', 'busy', { receiver }));
    await calls.adoptOrphans();
    expect(await calls.counts(campaign)).toEqual({ Retrying: 1 });
    const outcome: SendOutcome = { kind: 'accepted', providerMessageIds: ['first-call'] };
    await calls.results.flush([{ recipient: { lane: before, seq: 1, number: receiver, attempt: 1 }, outcome }], null);
    expect(await calls.recipient(campaign, 1)).toMatchObject({ status: 'Retrying', attempts: 1 });
    await calls.redial(campaign);
    expect(calls.made).toHaveLength(1);
    expect(await calls.recipient(campaign, 1)).toMatchObject({ status: 'Submitted', attempts: 2 });
  });

  it("a dead worker's late word on a second call does not take the third away", async () => {
    const campaign = await calls.accept('third', 1, 3);
    await calls.drive(campaign);
    await calls.report(campaign, 1, 'busy');
    await calls.due(campaign);
    const lost = await calls.lane(campaign);
    const [claimed] = (await claimRetries(calls.lanes, lost)) ?? [];
    if (!claimed) throw new Error('nobody is claimed');
    await calls.leaseEnds(campaign);
    await calls.drive(campaign);
    await calls.tell(callReceipt('second-call', 'no_answer', { receiver: numbers(1)[0] as string }));
    await calls.adoptOrphans();
    expect(await calls.recipient(campaign, 1)).toMatchObject({ status: 'Retrying', attempts: 2 });
    const outcome: SendOutcome = { kind: 'accepted', providerMessageIds: ['second-call'] };
    await calls.results.flush([{ recipient: claimed, outcome }], null);
    expect(await calls.waits(campaign)).toHaveLength(1);
    await calls.redial(campaign);
    expect(await calls.recipient(campaign, 1)).toMatchObject({ status: 'Submitted', attempts: 3 });
  });

  it('a result that is written twice does not take the next call away', async () => {
    const campaign = await calls.accept('twice', 1, 3);
    await calls.drive(campaign);
    await calls.report(campaign, 1, 'busy');
    await calls.due(campaign);
    const snapshot = await calls.lane(campaign);
    const [claimed] = (await claimRetries(calls.lanes, snapshot)) ?? [];
    if (!claimed) throw new Error('nobody is claimed');
    const results = [{ recipient: claimed, outcome: calls.accepted() }];
    await calls.results.flush(results, null); // the connection broke before its end was heard
    await calls.report(campaign, 1, 'no_answer');
    await calls.results.flush(results, endingsOf([snapshot]));
    expect(await calls.recipient(campaign, 1)).toMatchObject({ status: 'Retrying', attempts: 2 });
    expect(await calls.wakesIn(campaign)).toBe(60);
    await calls.redial(campaign);
    expect(await calls.recipient(campaign, 1)).toMatchObject({ status: 'Submitted', attempts: 3 });
  });

  it('a window that is sent again over a deduplicating route leaves no retry of who has left after all', async () => {
    const campaign = await calls.accept('deduplicated', 1, 0);
    const lost = await calls.lane(campaign);
    await calls.states.begin(calls.dataSource.manager, [campaign.id], 60_000);
    await claimUpTo(calls.lanes, lost, 2);
    const recover = async (): Promise<void> => {
      await calls.leaseEnds(campaign);
      const snapshot = await calls.lane(campaign);
      await claimUpTo(calls.lanes, snapshot, snapshot.intentSeq);
      await calls.results.recover([snapshot], true);
    };
    await recover();
    const recipient = { lane: lost, seq: 1, number: numbers(1)[0] as string, attempt: 1 };
    await calls.results.flush([{ recipient, outcome: calls.accepted() }], null);
    expect(await calls.counts(campaign)).toEqual({ Submitted: 1 });
    const snapshot = await calls.lane(campaign);
    expect(await claimRetries(calls.lanes, snapshot)).toEqual([]);
    expect(await calls.results.flush([], endingsOf([snapshot]))).toMatchObject({ done: [campaign.id] });
    expect(await calls.waits(campaign)).toEqual([]);
  });

  it('a route that is gone: the last word stands for who was called, the rest is refunded', async () => {
    const campaign = await calls.accept('routeless', 2, 2);
    calls.network = ({ ref }) =>
      Promise.resolve(
        ref.endsWith('-2')
          ? { kind: 'retry', afterMs: 60_000, code: null, text: 'away', throttled: false }
          : calls.accepted(),
      );
    await calls.drive(campaign);
    await calls.report(campaign, 1, 'no_answer');
    calls.routeIsThere = false;
    await calls.redial(campaign);
    expect(await calls.counts(campaign)).toEqual({ NoAnswer: 1, Failed: 1 });
    expect(await calls.recipient(campaign, 1)).toMatchObject({ attempts: 1 });
    expect(await calls.engine.available(campaign.accountId)).toEqual({ stored: 1, ledger: 1 });
  });

  it('a network that puts the second call off keeps the last word for a cancel', async () => {
    const campaign = await calls.accept('put-off', 1, 2);
    await calls.drive(campaign);
    await calls.report(campaign, 1, 'busy');
    calls.network = () =>
      Promise.resolve({ kind: 'retry', afterMs: 30_000, code: 500, text: 'later', throttled: false });
    await calls.redial(campaign);
    expect(await calls.counts(campaign)).toEqual({ Retrying: 1 });
    expect(await calls.waits(campaign)).toEqual([[1, 30]]);
    await calls.states.changeAlone(campaign.id, 'cancel');
    await calls.drive(campaign);
    expect(await calls.counts(campaign)).toEqual({ Busy: 1 });
  });

  it('10,000 calls of mixed fates: one final word each', async () => {
    const total = 10_000;
    const campaign = await calls.accept('many', total, 1);
    const fates = ['answered', 'no_answer', 'busy', 'failed', 'answered'] as const;
    const round = async (): Promise<void> => {
      for (let lane = 0; lane < 4; lane++) await calls.drive(campaign, lane);
    };
    calls.network = ({ ref }) =>
      Promise.resolve({ kind: 'accepted', providerMessageIds: [`m-${calls.made.length}-${ref}`] });
    await round();
    const all = await calls.dataSource.query<{ seq: number; call_id: string }[]>(
      'SELECT seq, call_id FROM voice_calls WHERE campaign_id = ?',
      [campaign.id],
    );
    expect(all).toHaveLength(total);
    const word = ({ seq }: { seq: number }): (typeof fates)[number] => fates[seq % fates.length] ?? 'answered';
    await calls.tell(
      ...all.map((call) =>
        callReceipt(call.call_id, word(call), { durationSeconds: word(call) === 'answered' ? 5 : 0 }),
      ),
    );
    expect(await calls.counts(campaign)).toEqual({ Answered: 4_000, Retrying: 6_000 });
    await calls.due(campaign);
    await round();
    expect(calls.made).toHaveLength(16_000);
    const second = await calls.dataSource.query<{ seq: number; call_id: string }[]>(
      'SELECT seq, call_id FROM voice_calls WHERE campaign_id = ? AND attempt = 2',
      [campaign.id],
    );
    await calls.tell(...second.map((call) => callReceipt(call.call_id, word(call))));
    expect(await calls.counts(campaign)).toEqual({
      Answered: 4_000,
      NoAnswer: 2_000,
      Busy: 2_000,
      Failed: 2_000,
    });
    expect(await calls.reader.byRequestId(campaign.requestId)).toMatchObject({ state: 'completed', openLanes: 0 });
  });

  it('knows which call the network speaks of before its answer is written', async () => {
    const campaign = await calls.accept('early', 1, 2);
    const attempts = calls.get(AttemptReader);
    const number = (id: string): Promise<number | null> =>
      calls.dataSource.transaction((tx) => attempts.numberOf(tx, campaign.id, 1, id));
    expect(await number('not-yet-written')).toBe(1);
    await calls.drive(campaign);
    const first = await calls.callTo(campaign, 1);
    expect([await number(first), await number('stranger')]).toEqual([1, null]);
    await calls.report(campaign, 1, 'busy');
    expect([await number(first), await number('second')]).toEqual([1, 2]);
    expect(await calls.dataSource.transaction((tx) => attempts.numberOf(tx, campaign.id, 2, first))).toBeNull();
  });
});
