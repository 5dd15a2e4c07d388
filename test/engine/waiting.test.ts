import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import { RecipientReader } from '../../src/modules/campaigns/contacts/recipients.store.js';
import type { OutboundMessage, RouteConnection, SendOutcome } from '../../src/modules/providers/index.js';
import { numbers } from '../support/client.js';
import { type Engine, startEngine } from '../support/engine.js';
import { claimUpTo, type LaneWorker, laneWorker, pending, snapshotOf } from '../support/lane-worker.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

const TIMEOUT_MS = 60_000;
const UNREACHED: SendOutcome = { kind: 'unsent', afterMs: 1_000, text: 'Gateway is not reachable: connection refused' };
const BUSY: SendOutcome = { kind: 'retry', afterMs: 1_000, code: 429, text: 'Throttled', throttled: true };
const FAULT: SendOutcome = { kind: 'retry', afterMs: 1_000, code: 500, text: 'Temporary error', throttled: false };
const REFUSED: SendOutcome = { kind: 'rejected', code: 603, text: 'Refused', submitted: true };
const taken = ({ ref }: OutboundMessage): SendOutcome => ({ kind: 'accepted', providerMessageIds: [`id-${ref}`] });

/** The worker's side with a carrier of our own: what waits for it, how long, what it costs, and how many tries are told. */
describe('messages that wait for their carrier', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let states: CampaignStates;
  let reader: CampaignReader;
  let contacts: RecipientReader;
  let worker: LaneWorker;
  let carrier: (message: OutboundMessage) => SendOutcome;
  let standing: Pick<RouteConnection, 'ready' | 'fault'>;
  let routeIsThere: boolean;

  beforeAll(async () => {
    engine = await startEngine({ RECEIPT_TIMEOUT: TIMEOUT_MS });
    const get = <T>(type: abstract new (...parameters: never[]) => T): T =>
      engine.module.get<T>(type, { strict: false });
    dataSource = get(DataSource);
    states = get(CampaignStates);
    reader = get(CampaignReader);
    contacts = new RecipientReader(dataSource);
    worker = laneWorker(engine, {
      routeIsThere: () => routeIsThere,
      connection: () => ({ ...standing, send: (message) => Promise.resolve(carrier(message)) }),
    });
  });
  afterAll(async () => engine.stop());
  beforeEach(() => {
    carrier = taken;
    standing = { ready: true, fault: null };
    routeIsThere = true;
  });

  interface Campaign {
    id: number;
    requestId: string;
    accountId: number;
  }
  const never = (): Promise<SendOutcome> => Promise.reject(new Error('nothing may leave'));
  const accept = async (username: string, total: number, fields: Partial<CampaignDraft> = {}): Promise<Campaign> => {
    const accountId = await engine.account(username, total);
    const accepted = await engine.module
      .get(CampaignAcceptance, { strict: false })
      .accept(engine.draft(accountId, numbers(total), fields));
    return { id: accepted.id, requestId: accepted.requestId, accountId };
  };
  /** The next batch of the campaign's lane, its retries being due. */
  const run = async ({ id }: Campaign): Promise<void> => {
    await dataSource.query('UPDATE recipient_retries SET due_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [id]);
    await worker.run({ campaignId: id, lane: 0 });
  };
  const runs = async (campaign: Campaign, times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await run(campaign);
  };
  /** As if the lane had waited for this much longer. */
  const wait = ({ id }: Campaign, milliseconds: number): Promise<unknown> =>
    dataSource.query(
      'UPDATE campaign_lanes SET stalled_since = stalled_since - INTERVAL ? MICROSECOND WHERE campaign_id = ?',
      [milliseconds * 1_000, id],
    );
  const recipients = async ({ id }: Campaign) => {
    const page = { page: 1, limit: 100, after: null };
    const { items } = await contacts.part({ id, totalRows: 100 }, { statuses: null, number: null }, page, 100);
    return items.map(({ attempts, errorMessage, errorCode }) => [attempts, errorCode, errorMessage]);
  };
  const state = async ({ requestId }: Campaign) => (await reader.byRequestId(requestId))?.state;

  it('are not tried, not counted and not lost while it cannot be reached, however often', async () => {
    const campaign = await accept('unreached', 3);
    carrier = () => UNREACHED;
    await runs(campaign, 12);
    expect(await engine.counts(campaign.requestId)).toEqual({ Pending: 3 });
    expect(await recipients(campaign)).toEqual(Array(3).fill([0, null, null]));
    carrier = taken;
    await run(campaign);
    expect(await engine.counts(campaign.requestId)).toEqual({ Submitted: 3 });
    expect(await recipients(campaign)).toEqual(Array(3).fill([1, null, null]));
    expect(await engine.available(campaign.accountId)).toEqual({ stored: 0, ledger: 0 });
  });

  it('end with their deadline, refunded, when the route stays down', async () => {
    const campaign = await accept('down', 3);
    standing = { ready: false, fault: 'Gateway is not reachable: connection refused' };
    await runs(campaign, 3);
    await wait(campaign, TIMEOUT_MS - 10_000);
    await run(campaign);
    expect(await engine.counts(campaign.requestId)).toEqual({ Pending: 3 });
    await wait(campaign, 10_000);
    await run(campaign);
    const text = 'Not sent in time: Gateway is not reachable: connection refused';
    expect(await recipients(campaign)).toEqual(Array(3).fill([0, null, text]));
    expect(await engine.available(campaign.accountId)).toEqual({ stored: 3, ledger: 3 });
    expect(await state(campaign)).toBe('completed');
  });

  it('have their whole deadline again once one got through', async () => {
    const campaign = await accept('again', 3);
    carrier = () => UNREACHED;
    await run(campaign);
    await wait(campaign, TIMEOUT_MS - 10_000);
    carrier = (message) => (message.ref.endsWith('-1') ? taken(message) : UNREACHED);
    await run(campaign);
    await wait(campaign, TIMEOUT_MS - 10_000);
    standing = { ready: false, fault: 'gone' };
    await run(campaign);
    expect(await engine.counts(campaign.requestId)).toEqual({ Pending: 2, Submitted: 1 });
  });

  it('end once they are of no use any more, while the route is down, and not before', async () => {
    const content = { message: 'hello', validity_s: 60 };
    const [late, early] = [await accept('wait-late', 2, { content }), await accept('wait-early', 2, { content })];
    await dataSource.query('UPDATE campaigns SET created_at = created_at - INTERVAL 61 SECOND WHERE id = ?', [late.id]);
    const down = laneWorker(engine, {
      channels: 'real',
      connection: () => ({ ready: false, fault: 'x', send: never }),
    });
    for (const { id } of [late, early, late, early]) await down.run({ campaignId: id, lane: 0 });
    expect(await engine.counts(late.requestId)).toEqual({ Failed: 2 });
    expect(await engine.available(late.accountId)).toEqual({ stored: 2, ledger: 2 });
    expect(await engine.counts(early.requestId)).toEqual({ Pending: 2 });
  });

  it('are not given up by a worker whose lane has passed on, as they may have left since', async () => {
    const { id, requestId } = await accept('wait-passed', 2);
    const lanes = engine.part(LaneStore);
    const results = engine.part(BatchResults);
    const lane = await snapshotOf(lanes, id);
    const recipients = await pending(dataSource, lane, 1, 3);
    expect(await claimUpTo(lanes, lane, lane.intentSeq, 1)).toBe(true);
    await dataSource.query('UPDATE campaign_lanes SET fence = fence + 1 WHERE campaign_id = ?', [id]);
    const outcome: SendOutcome = { kind: 'rejected', code: null, text: 'Not sent in time', submitted: false };
    const given = await results.giveUp(
      recipients.map((recipient) => ({ recipient, outcome })),
      [{ lane, reached: 3 }],
    );
    expect([given, await engine.counts(requestId)]).toEqual([{ more: false, done: [] }, { Pending: 2 }]);
  });

  it('have it again after a pause', async () => {
    const campaign = await accept('paused', 3);
    standing = { ready: false, fault: 'gone' };
    await run(campaign);
    await wait(campaign, TIMEOUT_MS);
    await states.changeAlone(campaign.id, 'pause');
    await states.changeAlone(campaign.id, 'resume');
    await run(campaign);
    expect(await engine.counts(campaign.requestId)).toEqual({ Pending: 3 });
  });

  it('throttled for ever: they end with their deadline, not before, and are refunded', async () => {
    const campaign = await accept('throttled', 3);
    carrier = (message) => (message.ref.endsWith('-1') ? taken(message) : BUSY);
    await runs(campaign, 12);
    await wait(campaign, TIMEOUT_MS - 10_000);
    await run(campaign);
    expect(await engine.counts(campaign.requestId)).toEqual({ Pending: 2, Submitted: 1 });
    await wait(campaign, 10_000);
    await run(campaign);
    const ended = [0, null, 'Not sent in time: Throttled'];
    expect(await recipients(campaign)).toEqual([[1, null, null], ended, ended]);
    expect(await engine.available(campaign.accountId)).toEqual({ stored: 2, ledger: 2 });
    expect(await dataSource.query('SELECT seq FROM recipient_retries WHERE campaign_id = ?', [campaign.id])).toEqual(
      [],
    );
  });

  it('are still taken after the deadline by a carrier that comes back', async () => {
    const campaign = await accept('late', 3);
    carrier = () => BUSY;
    await runs(campaign, 2);
    await wait(campaign, 2 * TIMEOUT_MS);
    carrier = (message) => (message.ref.endsWith('-1') ? BUSY : taken(message));
    await run(campaign);
    expect(await engine.counts(campaign.requestId)).toEqual({ Pending: 1, Submitted: 2 });
    await run(campaign);
    expect(await engine.counts(campaign.requestId)).toEqual({ Pending: 1, Submitted: 2 });
  });

  it('tell how often they were tried: while they wait, taken, refused and given up', async () => {
    const campaign = await accept('tries', 4);
    const tries = new Map<string, number>();
    carrier = (message) => {
      const seq = message.ref.slice(-1);
      const time = (tries.get(seq) ?? 0) + 1;
      tries.set(seq, time);
      if (seq === '1' && time === 3) return taken(message);
      if (seq === '2' && time === 4) return REFUSED;
      if (seq === '4' && time > 1) return UNREACHED;
      return FAULT;
    };
    await runs(campaign, 2);
    expect((await recipients(campaign)).map(([attempts]) => attempts)).toEqual([2, 2, 2, 1]);
    await runs(campaign, 8);
    const expected = [
      [3, null, null],
      [4, 603, 'Refused'],
      [5, 500, 'Temporary error'],
      [1, null, null],
    ];
    expect(await recipients(campaign)).toEqual(expected);
    expect([tries.get('1'), tries.get('2'), tries.get('3')]).toEqual([3, 4, 5]);
    standing = { ready: false, fault: 'gone' };
    await wait(campaign, TIMEOUT_MS);
    await run(campaign);
    expect((await recipients(campaign))[3]).toEqual([1, null, 'Not sent in time: gone']);
    // What the carrier refused in its answer, and what it never took, is refunded.
    expect(await engine.available(campaign.accountId)).toEqual({ stored: 3, ledger: 3 });
  });

  it('are refunded when their route goes away before they left', async () => {
    const campaign = await accept('gone', 2);
    carrier = () => UNREACHED;
    await runs(campaign, 6);
    routeIsThere = false;
    await run(campaign);
    expect(await recipients(campaign)).toEqual(Array(2).fill([0, null, 'No route available for this channel']));
    expect(await engine.available(campaign.accountId)).toEqual({ stored: 2, ledger: 2 });
  });
});
