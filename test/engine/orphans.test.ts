import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignAcceptance } from '../../src/modules/engine/index.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import { UnmatchedReceipts } from '../../src/modules/engine/receipts/unmatched-receipts.js';
import { type Receipt, ReceiptSink } from '../../src/modules/providers/index.js';
import { type Engine, leaveUnknown, startEngine } from '../support/engine.js';
import { snapshotOf } from '../support/lane-worker.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';

/** Receipts whose message nobody knows: they settle recipients of unknown outcome, and never more than they speak of. */
describe('orphan receipts', () => {
  let engine: Engine;
  let dataSource: DataSource;
  let sink: ReceiptSink;
  let unmatched: UnmatchedReceipts;

  const get = <T>(type: abstract new (...parameters: never[]) => T): T => engine.module.get<T>(type, { strict: false });

  beforeAll(async () => {
    engine = await startEngine();
    dataSource = get(DataSource);
    sink = get(ReceiptSink);
    unmatched = engine.part(UnmatchedReceipts);
  });
  afterAll(() => engine.stop());

  /** A campaign of which nobody knows what has left. */
  const inDoubt = async (
    username: string,
    receivers: string[],
    fields: Partial<CampaignDraft> = {},
  ): Promise<{ id: number; requestId: string }> => {
    const accountId = await engine.account(username, receivers.length);
    const accepted = await get(CampaignAcceptance).accept(engine.draft(accountId, receivers, fields));
    await leaveUnknown(dataSource, accepted.id);
    return accepted;
  };
  const tell = (
    providerMessageId: string,
    receiver: string | null,
    status: Receipt['status'] = 'delivered',
  ): Promise<void> => sink.accept(1, [{ providerMessageId, status, errorCode: null, errorText: null, receiver }]);
  const sweep = async (): Promise<void> => {
    await dataSource.query('UPDATE parked_receipts SET received_at = received_at - INTERVAL 10 SECOND');
    await unmatched.sweep();
  };
  const isUnmatched = async (id: string): Promise<boolean> => {
    const rows: unknown[] = await dataSource.query('SELECT 1 FROM parked_receipts WHERE provider_message_id = ?', [id]);
    return rows.length > 0;
  };

  it('two of one message settle one recipient, not two of the same number', async () => {
    const number = '919999999999';
    const { requestId } = await inDoubt('orphans', [number, number, number]);
    await tell('orphan-1', number, 'submitted');
    await tell('orphan-1', number);
    await sweep();
    await sweep();
    expect(await engine.counts(requestId)).toEqual({ Unknown: 2, Delivered: 1 });
    expect(await isUnmatched('orphan-1')).toBe(false);
  });

  it('of a message of several items settle it when all of them are named, or one has failed', async () => {
    const receivers = ['919999999991', '919999999992', '919999999993', '919999999991'];
    const [first = '', second = '', third = ''] = receivers;
    const content = { message: 'Hello', img1: 'https://f.example/1.jpg', document: 'https://f.example/a.pdf' };
    const { id, requestId } = await inDoubt('items', receivers, { channel: 'unofficial', content });
    for (const [name, number] of [
      ['first-1', first],
      ['first-2', first],
      ['second-1', second],
      ['second-2', second],
      ['second-3', second],
    ] as const) {
      await tell(name, number);
    }
    await sweep();
    expect(await engine.counts(requestId)).toEqual({ Unknown: 2, Submitted: 1, Delivered: 1 });
    // Another word on an item that is known is no further item.
    await tell('first-2', first);
    await sweep();
    expect(await engine.counts(requestId)).toEqual({ Unknown: 2, Submitted: 1, Delivered: 1 });
    await tell('first-3', first);
    await sweep();
    expect(await engine.counts(requestId)).toEqual({ Unknown: 2, Delivered: 2 });
    await tell('third-1', third, 'failed');
    await tell('fourth-1', first);
    await sweep();
    expect(await engine.counts(requestId)).toEqual({ Submitted: 1, Delivered: 2, Failed: 1 });
    const left: { seq: number }[] = await dataSource.query('SELECT seq FROM unknown_outcomes WHERE campaign_id = ?', [
      id,
    ]);
    expect(left.map(({ seq }) => seq)).toEqual([3, 4]);
  });

  it('pass over a recipient who was answered after all', async () => {
    const number = '919999999990';
    const { id, requestId } = await inDoubt('late', [number, number]);
    const lanes = engine.part(LaneStore);
    const lane = await snapshotOf(lanes, id);
    const results = engine.part(BatchResults);
    const answer = { kind: 'accepted' as const, providerMessageIds: ['late-1'] };
    await results.flush([{ recipient: { lane, seq: 1, number, attempt: 1 }, outcome: answer }], null);
    await tell('late-2', number);
    await sweep();
    expect(await engine.counts(requestId)).toEqual({ Submitted: 1, Delivered: 1 });
  });

  it('under the id of another message leave the recipient to a receipt of its own', async () => {
    const [other, number] = ['919999999988', '919999999989'];
    const elsewhere = await inDoubt('counted-elsewhere', [other]);
    await tell('47110815', other);
    await sweep();
    expect(await engine.counts(elsewhere.requestId)).toEqual({ Delivered: 1 });
    const { requestId } = await inDoubt('counted-again', [number]);
    await tell('47110815', number, 'failed');
    await sweep();
    await sweep();
    expect(await engine.counts(requestId)).toEqual({ Unknown: 1 });
    await tell('47110816', number);
    await sweep();
    expect(await engine.counts(requestId)).toEqual({ Delivered: 1 });
  });

  it('that are old are looked at only when all are', async () => {
    const number = '919999999987';
    const { requestId } = await inDoubt('old', [number]);
    await tell('old-receipt', number);
    await dataSource.query('UPDATE parked_receipts SET received_at = received_at - INTERVAL 1 HOUR');
    await unmatched.sweep(120_000);
    expect(await engine.counts(requestId)).toEqual({ Unknown: 1 });
    await unmatched.sweep();
    expect(await engine.counts(requestId)).toEqual({ Delivered: 1 });
  });

  it('that belong to nobody are dropped at the receipt deadline', async () => {
    await tell('nobodys', null);
    await unmatched.drop(60_000);
    expect(await isUnmatched('nobodys')).toBe(true);
    await dataSource.query('UPDATE parked_receipts SET received_at = received_at - INTERVAL 61 SECOND');
    await unmatched.drop(60_000);
    expect(await isUnmatched('nobodys')).toBe(false);
  });
});
