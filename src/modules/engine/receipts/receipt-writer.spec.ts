import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../providers/index.js';
import { RecipientStatus } from '../recipient.js';
import {
  type AttemptReceipt,
  currentAttempts,
  endedAttempt,
  moveItems,
  type LockedItem,
  type MatchedReceipt,
  wantsAnother,
} from './receipt-writer.js';

const { Submitted, Retrying, Delivered, Read, Failed } = RecipientStatus;

/** @param attempt counts from 0 */
const receipt = (attempt: number, status: Receipt['status'], retries = 2): AttemptReceipt => ({
  receipt: { providerMessageId: `call-${attempt}`, status, errorCode: null, errorText: null, receiver: null },
  item: { campaignId: 7, seq: 1, item: attempt, items: 1 },
  campaign: { channel: 'test', retries, intervalMs: 60_000 },
});
const locked = (status: RecipientStatus, attempts: number) =>
  new Map([['7 1', { number: '919999999999', status, attempts }]]);

describe('of several attempts', () => {
  it('the receipt of the one under way counts', () => {
    expect(currentAttempts([receipt(1, 'busy')], locked(Submitted, 2))).toHaveLength(1);
  });

  it('an older one counts no more, nor any while the next one waits', () => {
    expect(currentAttempts([receipt(0, 'busy')], locked(Submitted, 2))).toEqual([]);
    expect(currentAttempts([receipt(1, 'answered')], locked(Retrying, 2))).toEqual([]);
  });

  it('the outcome counts rather than the ringing, whichever comes first', () => {
    const outcome = receipt(0, 'busy');
    const ringing = receipt(0, 'submitted');
    expect(currentAttempts([outcome, ringing], locked(Submitted, 1))).toEqual([outcome]);
    expect(currentAttempts([ringing, outcome], locked(Submitted, 1))).toEqual([outcome]);
  });

  it('another follows a failed one while there are any left', () => {
    expect(wantsAnother(receipt(1, 'no_answer'))).toBe(true);
    expect(wantsAnother(receipt(2, 'no_answer'))).toBe(false);
    expect(wantsAnother(receipt(0, 'answered'))).toBe(false);
  });

  it('each is logged when it has ended, counted from 1', () => {
    expect(endedAttempt(receipt(0, 'submitted'))).toEqual([]);
    expect(endedAttempt(receipt(1, 'busy'))).toMatchObject([{ attempt: 2, status: RecipientStatus.Busy }]);
  });
});

const lockedItems = (...statuses: RecipientStatus[]): LockedItem[] =>
  statuses.map((status, item) => ({ campaignId: 7, seq: 1, item, items: 2, status }));
const itemReceipt = (item: number, status: Receipt['status']): MatchedReceipt => ({
  receipt: { providerMessageId: `id-${item}`, status, errorCode: 88, errorText: 'Queue full', receiver: null },
  item: { campaignId: 7, seq: 1, item, items: 2 },
});

describe('a message of two items', () => {
  it.each([
    ['waits for its second item', [itemReceipt(0, 'delivered')], lockedItems(Submitted, Submitted), [Submitted], 2],
    [
      'is delivered with the last item',
      [itemReceipt(1, 'delivered')],
      lockedItems(Delivered, Submitted),
      [Delivered],
      2,
    ],
    ['waits for an item that was not named yet', [itemReceipt(0, 'delivered')], lockedItems(Submitted), [Submitted], 1],
    [
      'is read when both are',
      [itemReceipt(0, 'read'), itemReceipt(1, 'read')],
      lockedItems(Delivered, Delivered),
      [Read, Read],
      2,
    ],
    ['has failed with one item', [itemReceipt(0, 'failed')], lockedItems(Submitted, Delivered), [Failed], 2],
    ['takes the reason of the item that failed', [itemReceipt(1, 'delivered')], lockedItems(Failed, Submitted), [], 2],
    [
      'writes nothing for a receipt that comes again',
      [itemReceipt(0, 'delivered')],
      lockedItems(Read, Read),
      [Read],
      0,
    ],
  ])('%s', (_name, receipts, items, becomes, written) => {
    const moved = moveItems(receipts, items);
    expect(moved.changes.map(({ to }) => to)).toEqual(becomes);
    expect(moved.items).toHaveLength(written);
  });

  it('has an item once that was told on two days, as far as the further row of it', () => {
    const [first, second] = lockedItems(Submitted, Submitted) as [LockedItem, LockedItem];
    const rows = [first, { ...first, status: Delivered }, second];
    const moved = moveItems([itemReceipt(1, 'delivered')], rows);
    expect(moved.changes.map(({ to }) => to)).toEqual([Delivered]);
    expect(moved.items.map(({ item, status }) => [item, status])).toEqual([
      [0, Delivered],
      [1, Delivered],
    ]);
  });

  it('names a reason only where it has failed', () => {
    const [delivered] = moveItems([itemReceipt(1, 'delivered')], lockedItems(Delivered, Submitted)).changes;
    expect(delivered).toMatchObject({ errorCode: null, errorText: null });
    const [failed] = moveItems([itemReceipt(1, 'failed')], lockedItems(Delivered, Submitted)).changes;
    expect(failed).toMatchObject({ errorCode: 88, errorText: 'Queue full' });
  });
});
