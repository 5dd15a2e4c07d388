import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { CampaignReader } from '../../src/modules/campaigns/index.js';
import { type Receipt, ReceiptSink, type SendOutcome } from '../../src/modules/providers/index.js';
import { type Engine, startEngine } from '../support/engine.js';
import { receiptOf, Steps } from '../support/steps.js';

describe('refusals and receipts under the terms of a route', () => {
  let engine: Engine;
  let steps: Steps;
  let dataSource: DataSource;
  let sink: ReceiptSink;
  let reader: CampaignReader;

  beforeAll(async () => {
    engine = await startEngine();
    steps = new Steps(engine);
    const get = <T>(type: abstract new (...parameters: never[]) => T): T =>
      engine.module.get<T>(type, { strict: false });
    dataSource = get(DataSource);
    sink = get(ReceiptSink);
    reader = get(CampaignReader);
  });
  afterAll(async () => engine.stop());

  const accepted = (seq: number): SendOutcome => ({ kind: 'accepted', providerMessageIds: [`m-${seq}`] });

  it('refunds what a carrier refuses at once unless staff turn it off, and not what it took in part', async () => {
    const refusal = { kind: 'rejected', code: 11, text: 'Invalid destination', submitted: true } as const;
    const outcomes = (seq: number): SendOutcome => {
      if (seq === 1) return refusal;
      if (seq === 2) return { ...refusal, code: null, carrierCode: 'EC001' };
      return seq === 3 ? { ...refusal, taken: 1 } : accepted(seq);
    };
    const standard = await steps.accept('refused', 4);
    await steps.batch(standard.id, 4, outcomes);
    expect(await engine.available(standard.accountId)).toEqual({ stored: 2, ledger: 2 });
    const rows = await dataSource.query<
      { seq: number; refused: number; refunded: number; carrier_code: string | null }[]
    >('SELECT seq, refused, refunded, carrier_code FROM campaign_recipients WHERE campaign_id = ? ORDER BY seq', [
      standard.id,
    ]);
    expect(rows.map(({ refused, refunded, carrier_code }) => [refused, refunded, carrier_code])).toEqual([
      [1, 1, null],
      [1, 1, 'EC001'],
      [0, 0, null],
      [0, 0, null],
    ]);
    const strict = await steps.accept('strict', 4);
    await dataSource.query('UPDATE accounts SET refund_refused = 0, refund_failed = 1 WHERE id = ?', [
      strict.accountId,
    ]);
    await steps.batch(strict.id, 4, outcomes);
    expect(await engine.available(strict.accountId)).toEqual({ stored: 1, ledger: 1 });
  });

  it.each<[Receipt['decidedBy'], item: string, status: string]>([
    [undefined, 'a', 'Submitted'],
    ['first', 'a', 'Delivered'],
    ['first', 'c', 'Submitted'],
    ['last', 'c', 'Delivered'],
    ['last', 'a', 'Submitted'],
    ['any', 'b', 'Delivered'],
  ])(
    'a message of several parts is decided by %s: after the receipt of part %s it is %s',
    async (decidedBy, item, status) => {
      const name = `decided-${decidedBy ?? 'all'}-${item}`;
      const { id } = await steps.accept(name, 1);
      const ids = ['a', 'b', 'c'].map((part) => `${name}-${part}`);
      await steps.batch(id, 1, () => ({ kind: 'accepted', providerMessageIds: ids }));
      await sink.accept(1, [receiptOf(`${name}-${item}`, 'delivered', { ...(decidedBy && { decidedBy }) })]);
      expect(await steps.statuses(id)).toEqual([status]);
      const failed = { errorCode: 7, errorText: 'gone', carrierCode: '1B2' };
      for (const part of ids)
        await sink.accept(1, [receiptOf(part, 'failed', { ...failed, ...(decidedBy && { decidedBy }) })]);
      expect(await steps.statuses(id)).toEqual([status === 'Delivered' ? 'Delivered' : 'Failed']);
    },
  );

  it('finds an id in its stored form alone where the route names the base of ids', async () => {
    const { id } = await steps.accept('bases', 2);
    // to one number: answered as 10 and 16 in hexadecimal
    await steps.batch(id, 2, (seq) => ({ kind: 'accepted', providerMessageIds: [seq === 1 ? '16' : '22'] }));
    await dataSource.query("UPDATE campaign_recipients SET receiver = '4915112345678' WHERE campaign_id = ?", [id]);
    const exact = { receiver: '4915112345678', isExact: true as const };
    await sink.accept(1, [receiptOf('10', 'failed', exact)]);
    expect(await steps.statuses(id)).toEqual(['Submitted', 'Submitted']);
    await sink.accept(1, [receiptOf('16', 'delivered', exact)]);
    expect(await steps.statuses(id)).toEqual(['Delivered', 'Submitted']);
    await sink.accept(1, [receiptOf('22', 'delivered', exact)]);
    expect(await steps.statuses(id)).toEqual(['Delivered', 'Delivered']);
  });

  it('takes a receipt that is not marked as one for a message of its id and number alone', async () => {
    const { id } = await steps.accept('unmarked', 2);
    await steps.batch(id, 2, (seq) => ({ kind: 'accepted', providerMessageIds: [`unmarked-${seq}`] }));
    const [first, second] = (await reader.recipients(id, { afterSeq: 0, limit: 2 })).map(({ number }) => number);
    const claim = (messageId: string, receiver: string | undefined) =>
      sink.accept(1, [
        receiptOf(messageId, 'delivered', {
          receiver: receiver ?? null,
          orText: { from: receiver ?? '', text: `id:${messageId} stat:DELIVRD` },
        }),
      ]);
    await claim('unmarked-1', first);
    expect(await steps.statuses(id)).toEqual(['Delivered', 'Submitted']);
    await Promise.all([claim('unmarked-2', first), claim('unmarked-9', second)]);
    expect(await steps.statuses(id)).toEqual(['Delivered', 'Submitted']);
    const kept = await dataSource.query<unknown[]>(
      "SELECT 1 FROM parked_receipts WHERE provider_message_id LIKE 'unmarked-%'",
    );
    expect(kept).toEqual([]);
  });
});
