import { describe, expect, it } from 'vitest';
import { type Channel, deliveryRecord, RecipientStatus, statusCounts, statusesOf } from '../engine/index.js';
import { smsChannel } from '../channels/sms/index.js';

const recipient = (status: RecipientStatus) => ({
  number: '919812345678',
  status,
  errorCode: 88,
  errorMessage: 'Queue full',
  duration: null,
});

describe('a delivery record (reference/delivery-reports#delivery-record)', () => {
  it.each([
    [RecipientStatus.Pending, 'PP1'],
    [RecipientStatus.Unknown, 'PP1'],
    [RecipientStatus.Submitted, 'SENT'],
    [RecipientStatus.Delivered, 'DELIVERED'],
    [RecipientStatus.Read, 'DELIVERED'],
    [RecipientStatus.Cancelled, 'CANCELLED'],
  ])('status %i is %s and carries no error', (status, word) => {
    expect(deliveryRecord(smsChannel, 'id-1', recipient(status))).toEqual({
      event: 'gsm.status.update',
      providerMessageId: 'id-1',
      receiver: '919812345678',
      status: word,
      status_code: 0,
      error_code: null,
      errorMessage: null,
    });
  });

  it("tells a failure with the carrier's number and text, in the order of the fields", () => {
    const record = deliveryRecord(smsChannel, 'id-1', recipient(RecipientStatus.Failed));
    expect(record).toMatchObject({ status: 'FAILED', status_code: 1, error_code: 88, errorMessage: 'Queue full' });
    expect(Object.keys(record)).toEqual([
      'event',
      'providerMessageId',
      'receiver',
      'status',
      'status_code',
      'error_code',
      'errorMessage',
    ]);
  });

  it('has a duration on voice alone', () => {
    const voice: Channel = { ...smsChannel, name: 'voice', event: 'voice.status.update', timed: true };
    expect(deliveryRecord(voice, 'id-1', recipient(RecipientStatus.Pending))).toMatchObject({ duration: 0 });
    expect(deliveryRecord(voice, 'id-1', { ...recipient(RecipientStatus.Answered), duration: 12 }).duration).toBe(12);
  });
});

describe('status_counts', () => {
  it('sums what shares a word and leaves out zeros', () => {
    const counts = new Map([
      [RecipientStatus.Pending, 3],
      [RecipientStatus.Unknown, 2],
      [RecipientStatus.Submitted, 0],
      [RecipientStatus.Delivered, 5],
    ]);
    expect(statusCounts(smsChannel, counts)).toEqual({ PP1: 5, DELIVERED: 5 });
  });

  it('finds the statuses behind a word', () => {
    expect(statusesOf(smsChannel, 'pp1')).toEqual([RecipientStatus.Pending, RecipientStatus.Unknown]);
    expect(statusesOf(smsChannel, 'READ')).toEqual([]);
  });
});
