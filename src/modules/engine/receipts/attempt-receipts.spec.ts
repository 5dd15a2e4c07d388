import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../providers/index.js';
import { RecipientStatus } from '../state/recipient-status.js';
import { type AttemptReceipt, currentAttempts, endedAttempt, wantsAnother } from './attempt-receipts.js';

const { Submitted, Retrying } = RecipientStatus;

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

  it('another follows one in vain while there are any left', () => {
    expect(wantsAnother(receipt(1, 'no_answer'))).toBe(true);
    expect(wantsAnother(receipt(2, 'no_answer'))).toBe(false);
    expect(wantsAnother(receipt(0, 'answered'))).toBe(false);
  });

  it('each is logged when it has ended, counted from 1', () => {
    expect(endedAttempt(receipt(0, 'submitted'))).toEqual([]);
    expect(endedAttempt(receipt(1, 'busy'))).toMatchObject([{ attempt: 2, status: RecipientStatus.Busy }]);
  });
});
