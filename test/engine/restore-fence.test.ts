import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignAcceptance, RecipientStatus } from '../../src/modules/engine/index.js';
import { LostClaims } from '../../src/modules/engine/settle/lost-claims.js';
import { OverdueReceipts } from '../../src/modules/engine/receipts/overdue-receipts.js';
import { RestoredCampaigns } from '../../src/modules/engine/restore/restored-campaigns.js';
import { RestoreFence } from '../../src/modules/engine/restore/restore-fence.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import { SessionFence } from '../../src/modules/session-messages/index.js';
import type { OutboundMessage, SendOutcome } from '../../src/modules/providers/index.js';
import { CallEngine } from '../support/call-engine.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { type LaneWorker, laneWorker, snapshotOf } from '../support/lane-worker.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

const TIMEOUT_MS = 60_000;

interface Campaign {
  id: number;
  requestId: string;
  accountId: number;
}

/** Whatever may have left after the copy was taken does not leave again. */
describe('the fence of a restore', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let fence: RestoreFence;
  let restored: RestoredCampaigns;
  let states: CampaignStates;
  let worker: LaneWorker;
  const sent: string[] = [];
  let carrier: (message: OutboundMessage) => SendOutcome;

  beforeAll(async () => {
    engine = await startEngine({ RECEIPT_TIMEOUT: TIMEOUT_MS });
    dataSource = engine.part(DataSource);
    fence = engine.part(RestoreFence);
    restored = engine.part(RestoredCampaigns);
    states = engine.part(CampaignStates);
    carrier = ({ ref }) => ({ kind: 'accepted', providerMessageIds: [`id-${ref}`] });
    worker = laneWorker(engine, {
      send: (message) => {
        sent.push(message.ref);
        return Promise.resolve(carrier(message));
      },
    });
  });
  afterAll(() => engine.stop());

  const accept = async (username: string, total: number, fields: Partial<CampaignDraft> = {}): Promise<Campaign> => {
    const accountId = await engine.account(username, total);
    const acceptance = engine.module.get(CampaignAcceptance, { strict: false });
    const accepted = await acceptance.accept(engine.draft(accountId, numbers(total), fields));
    return { id: accepted.id, requestId: accepted.requestId, accountId };
  };
  const state = async ({ requestId }: Campaign): Promise<string | undefined> =>
    (await engine.module.get(CampaignReader, { strict: false }).byRequestId(requestId))?.state;
  const send = ({ id }: Campaign): Promise<boolean> => worker.run({ campaignId: id, lane: 0 });
  const lanes = (campaign: Campaign): Promise<{ fence: number; wake_at: Date | null }[]> =>
    dataSource.query('SELECT fence, wake_at FROM campaign_lanes WHERE campaign_id = ?', [campaign.id]);
  const deadline = async (campaign: Campaign): Promise<void> => {
    await dataSource.query(
      'UPDATE campaign_recipients SET updated_at = updated_at - INTERVAL 1 DAY WHERE campaign_id = ?',
      [campaign.id],
    );
    await dataSource.query('UPDATE campaigns SET overdue_check_at = UTC_TIMESTAMP(3) WHERE id = ?', [campaign.id]);
    await engine.part(OverdueReceipts).round(TIMEOUT_MS);
  };
  const undecided = async (requestId: string) => (await restored.undecided(0, 10, requestId))[0];

  it('takes what waits for whatever reason as of unknown outcome, and gives it back at the deadline', async () => {
    const running = await accept('running', 6);
    carrier = ({ ref }) =>
      ref.endsWith('-1')
        ? { kind: 'accepted', providerMessageIds: [`id-${ref}`] }
        : { kind: 'retry', afterMs: 60_000, code: 500, text: 'Temporary error', throttled: false };
    await send(running);
    const paused = await accept('paused', 3);
    await states.changeAlone(paused.id, 'pause');
    const awaited = await accept('awaited', 2, { initialState: 'pending_approval' });
    const done = await fence.raise();
    expect(done).toMatchObject({ campaigns: 3, mayHaveLeft: 10, callsEnded: 0, held: 0 });
    expect(await engine.counts(running.requestId)).toEqual({ Submitted: 1, Unknown: 5 });
    expect(await engine.counts(paused.requestId)).toEqual({ Unknown: 3 });
    expect(await engine.counts(awaited.requestId)).toEqual({ Unknown: 2 });
    expect(await Promise.all([running, paused, awaited].map(state))).toEqual(['running', 'paused', 'running']);
    for (const campaign of [running, paused, awaited]) expect(await lanes(campaign)).toEqual([]);
    // once more comes to the same
    expect(await fence.raise()).toMatchObject({ campaigns: 0, mayHaveLeft: 0 });

    await Promise.all([running, paused, awaited].map(deadline));
    expect(await Promise.all([running, paused, awaited].map(state))).toEqual(Array(3).fill('completed'));
    expect(await engine.available(running.accountId)).toEqual({ stored: 5, ledger: 5 });
    expect(await engine.available(paused.accountId)).toEqual({ stored: 3, ledger: 3 });
    expect(await engine.available(awaited.accountId)).toEqual({ stored: 2, ledger: 2 });
    expect(await undecided(running.requestId)).toBeUndefined();
  });

  it('keeps what is ahead of its schedule, and lets a cancel go on', async () => {
    const ahead = await accept('ahead', 3, { scheduledAt: new Date(Date.now() + 86_400_000) });
    const soon = await accept('soon', 2, { scheduledAt: new Date(Date.now() + 60_000) });
    const cancelled = await accept('cancelled', 3);
    await states.changeAlone(cancelled.id, 'cancel');
    expect(await fence.raise()).toMatchObject({ campaigns: 1, mayHaveLeft: 2, held: 1 });
    expect(await state(ahead)).toBe('paused');
    expect(await engine.counts(ahead.requestId)).toEqual({ Pending: 3 });
    expect(await engine.counts(soon.requestId)).toEqual({ Unknown: 2 });
    await send(cancelled);
    expect(await engine.counts(cancelled.requestId)).toEqual({ Cancelled: 3 });
    expect(await engine.available(cancelled.accountId)).toEqual({ stored: 3, ledger: 3 });

    const held = await undecided(ahead.requestId);
    expect(held).toMatchObject({ held: 1, mayHaveLeft: 0, username: 'ahead' });
    if (held) await restored.resume(held);
    expect(await state(ahead)).toBe('accepted');
    expect((await lanes(ahead))[0]?.wake_at?.getTime()).toBeGreaterThan(Date.now() + 3_600_000);
    expect(await undecided(ahead.requestId)).toBeUndefined();
  });

  it('keeps claims and words of the former life out, and takes what they say has left', async () => {
    const campaign = await accept('former', 4);
    const former = await snapshotOf(engine.part(LaneStore), campaign.id);
    await fence.raise();
    const found = await undecided(campaign.requestId);
    expect(found).toMatchObject({ held: 0, mayHaveLeft: 4 });
    const claim = { lane: former, intentSeq: 5, recipients: [] };
    expect(await engine.part(LaneStore).claim([claim], 5_000)).toEqual([]);
    // notes of the former life name other claims
    const lane = { campaignId: campaign.id, lane: 0, fence: former.fence + 1 };
    expect(await engine.part(LostClaims).takeBack({ id: 1, lanes: [lane], mayHaveLeft: () => false })).toBe(0);
    if (found) await restored.resume(found);
    expect(await engine.part(LaneStore).claim([claim], 5_000)).toEqual([]);
    carrier = ({ ref }) => ({ kind: 'accepted', providerMessageIds: [`id-${ref}`] });
    sent.length = 0;
    await send(campaign);
    expect(sent).toHaveLength(4);
    expect(await engine.counts(campaign.requestId)).toEqual({ Submitted: 4 });
    await deadline(campaign);
    // sent for certain by now: a receipt that does not come is no reason to give it back
    expect(await engine.available(campaign.accountId)).toEqual({ stored: 0, ledger: 0 });
  });

  it('only raises the fences where nothing has left since', async () => {
    const campaign = await accept('stopped', 2);
    const former = await snapshotOf(engine.part(LaneStore), campaign.id);
    await fence.keepOut();
    expect(await engine.part(LaneStore).claim([{ lane: former, intentSeq: 3, recipients: [] }], 5_000)).toEqual([]);
    await send(campaign);
    expect(await engine.counts(campaign.requestId)).toEqual({ Submitted: 2 });
  });

  it('leaves session messages that were due of unknown outcome, and later ones scheduled', async () => {
    const sessions = new SessionFence(dataSource);
    const message = (id: number, due: string): Promise<unknown> =>
      dataSource.query(
        `INSERT INTO session_messages (id, account_id, route_id, receiver, content, status, due_at, scheduled, created_at, updated_at)
         VALUES (?, 1, 1, '919812345678', '{}', 0, ${due}, 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
        [id],
      );
    await message(1, 'UTC_TIMESTAMP(3) - INTERVAL 1 MINUTE');
    await message(2, 'UTC_TIMESTAMP(3) + INTERVAL 1 DAY');
    expect(await sessions.raise()).toBe(1);
    expect(await sessions.raise()).toBe(0);
    expect(await dataSource.query('SELECT id, status, due_at IS NULL AS gone FROM session_messages')).toMatchObject([
      { id: 1, status: RecipientStatus.Unknown, gone: 1 },
      { id: 2, status: RecipientStatus.Pending, gone: 0 },
    ]);
  });
});

describe('the fence of a restore, of calls', () => {
  it('ends the wait for another call with the outcome of the last one', async () => {
    const calls = await CallEngine.start();
    try {
      const campaign = await calls.accept('again', 3, 2, 30);
      await calls.drive(campaign);
      await calls.report(campaign, 1, 'no_answer');
      await calls.report(campaign, 2, 'busy');
      expect(await calls.counts(campaign)).toEqual({ Retrying: 2, Submitted: 1 });
      expect(await calls.engine.part(RestoreFence).raise()).toMatchObject({ mayHaveLeft: 0, callsEnded: 2 });
      expect(await calls.counts(campaign)).toEqual({ NoAnswer: 1, Busy: 1, Submitted: 1 });
      expect(await calls.waits(campaign)).toEqual([]);
      expect(await calls.engine.available(campaign.accountId)).toEqual({ stored: 0, ledger: 0 });
    } finally {
      await calls.engine.stop();
    }
  });
});
