import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../providers/index.js';
import { RecipientStatus } from '../state/recipient-status.js';
import { judgeItems, type LockedItem } from './message-items.js';
import type { MatchedReceipt } from './receipt-change.js';

const { Submitted, Delivered, Read, Failed } = RecipientStatus;

const locked = (...statuses: RecipientStatus[]): LockedItem[] =>
  statuses.map((status, item) => ({ campaignId: 7, seq: 1, item, items: 2, status }));
const receipt = (item: number, status: Receipt['status']): MatchedReceipt => ({
  receipt: { providerMessageId: `id-${item}`, status, errorCode: 88, errorText: 'Queue full', receiver: null },
  item: { campaignId: 7, seq: 1, item, items: 2 },
});

describe('a message of two items', () => {
  it.each([
    ['waits for its second item', [receipt(0, 'delivered')], locked(Submitted, Submitted), [Submitted], 2],
    ['is delivered with the last item', [receipt(1, 'delivered')], locked(Delivered, Submitted), [Delivered], 2],
    ['waits for an item that was not named yet', [receipt(0, 'delivered')], locked(Submitted), [Submitted], 1],
    ['is read when both are', [receipt(0, 'read'), receipt(1, 'read')], locked(Delivered, Delivered), [Read, Read], 2],
    ['has failed with one item', [receipt(0, 'failed')], locked(Submitted, Delivered), [Failed], 2],
    ['takes the reason of the item that failed', [receipt(1, 'delivered')], locked(Failed, Submitted), [], 2],
    ['writes nothing for a receipt that comes again', [receipt(0, 'delivered')], locked(Read, Read), [Read], 0],
  ])('%s', (_name, receipts, items, becomes, written) => {
    const judged = judgeItems(receipts, items);
    expect(judged.changes.map(({ to }) => to)).toEqual(becomes);
    expect(judged.items).toHaveLength(written);
  });

  it('has an item once that was told on two days, as far as the further row of it', () => {
    const [first, second] = locked(Submitted, Submitted) as [LockedItem, LockedItem];
    const rows = [first, { ...first, status: Delivered }, second];
    const judged = judgeItems([receipt(1, 'delivered')], rows);
    expect(judged.changes.map(({ to }) => to)).toEqual([Delivered]);
    expect(judged.items.map(({ item, status }) => [item, status])).toEqual([
      [0, Delivered],
      [1, Delivered],
    ]);
  });

  it('names a reason only where it has failed', () => {
    const [delivered] = judgeItems([receipt(1, 'delivered')], locked(Delivered, Submitted)).changes;
    expect(delivered).toMatchObject({ errorCode: null, errorText: null });
    const [failed] = judgeItems([receipt(1, 'failed')], locked(Delivered, Submitted)).changes;
    expect(failed).toMatchObject({ errorCode: 88, errorText: 'Queue full' });
  });
});
