import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignAcceptance, RecipientStatus } from '../../src/modules/engine/index.js';
import { UnmatchedReceipts } from '../../src/modules/engine/receipts/unmatched-receipts.js';
import { type Receipt, ReceiptSink } from '../../src/modules/providers/index.js';
import { type Engine, leaveUnknown, startEngine } from '../support/engine.js';

const { Unknown, Delivered, Read } = RecipientStatus;
const NUMBER = '919999999998';
const ROUTE = 1;

/** Receipts of sends whose answer was lost, from an upstream that gives our reference back. */
describe('an orphan receipt with our reference', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let unmatched: UnmatchedReceipts;
  let campaignId: number;
  let requestId: string;

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = engine.module.get(DataSource, { strict: false });
    unmatched = engine.part(UnmatchedReceipts);
    const receivers = [NUMBER, NUMBER, '919999999997'];
    const accountId = await engine.account('referred', receivers.length);
    const acceptance = engine.module.get(CampaignAcceptance, { strict: false });
    ({ id: campaignId, requestId } = await acceptance.accept(engine.draft(accountId, receivers)));
    await leaveUnknown(dataSource, campaignId);
  });
  afterAll(() => engine.stop());

  const recipients = (): Promise<{ seq: number; status: RecipientStatus }[]> =>
    dataSource.query('SELECT seq, status FROM campaign_recipients WHERE campaign_id = ? ORDER BY seq', [campaignId]);
  const statuses = async (): Promise<RecipientStatus[]> => (await recipients()).map(({ status }) => status);
  const tell = async (
    providerMessageId: string,
    status: Receipt['status'],
    about: Pick<Receipt, 'receiver' | 'ref'>,
    routeId = ROUTE,
  ): Promise<void> => {
    const receipt: Receipt = { providerMessageId, status, errorCode: null, errorText: null, ...about };
    await engine.module.get(ReceiptSink, { strict: false }).accept(routeId, [receipt]);
    await dataSource.query('UPDATE parked_receipts SET received_at = received_at - INTERVAL 10 SECOND');
    await unmatched.sweep();
  };

  it('settles whom it names, however it writes the number, and nobody else', async () => {
    const [first = 0, second = 0, third = 0] = (await recipients()).map(({ seq }) => seq);
    // A session's, another campaign's, one that is none, another route's.
    await tell('a', 'read', { receiver: NUMBER, ref: `session-${campaignId}` });
    await tell('b', 'read', { receiver: NUMBER, ref: `${campaignId + 1}-${first}` });
    await tell('c', 'read', { receiver: NUMBER, ref: 'a reference of somebody else' });
    await tell('d', 'read', { receiver: NUMBER, ref: `${campaignId}-${first}` }, ROUTE + 1);
    expect(await statuses()).toEqual([Unknown, Unknown, Unknown]);
    await tell('e', 'delivered', { receiver: NUMBER, ref: `${campaignId}-${second}` });
    expect(await statuses()).toEqual([Unknown, Delivered, Unknown]);
    // The upstream writes the numbers of some countries in its own way.
    await tell('f', 'read', { receiver: '91999999997', ref: `${campaignId}-${third}` });
    expect(await statuses()).toEqual([Unknown, Delivered, Read]);
    // A second message with the reference of one that is settled is nobody else's either.
    await tell('g', 'read', { receiver: NUMBER, ref: `${campaignId}-${second}` });
    expect(await statuses()).toEqual([Unknown, Delivered, Read]);
    await tell('e', 'read', { receiver: NUMBER, ref: `${campaignId}-${second}` });
    expect(await statuses()).toEqual([Unknown, Read, Read]);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 1, Read: 2 });
  });

  it('is told by the number alone where it brings none', async () => {
    await tell('h', 'delivered', { receiver: NUMBER });
    expect(await statuses()).toEqual([Delivered, Read, Read]);
  });
});
