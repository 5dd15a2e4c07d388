import { describe, expect, it } from 'vitest';
import { smsChannel } from '../channels/sms/index.js';
import { type Channel, RecipientStatus, StatusLabels } from '../engine/index.js';
import { RecordText, type ReportRow } from './delivery-reports.queries.js';

const STATUSES = Object.values(RecipientStatus).filter((status) => typeof status === 'number');
const voice: Channel = { ...smsChannel, name: 'voice', event: 'voice.status.update', timed: true };

const ERRORS = [null, '', 'Absent "subscriber"', '"receiver":"#"', 'line\nend \u2028 \ud83d ü', 'null'];
const NUMBERS = ['919812345678', '+49 151', 'DE.123_a', '"', 'a\\b'];

const rows = STATUSES.flatMap((status): ReportRow[] =>
  ERRORS.flatMap((message) =>
    [null, 0, 88].flatMap((code) =>
      [null, 0, 17].map((duration, index): ReportRow => {
        const number = NUMBERS[(index + (code ?? 1)) % NUMBERS.length] ?? '';
        return [1, number, status, code, message, duration];
      }),
    ),
  ),
);

describe('records as JSON (reference/delivery-reports#delivery-record)', () => {
  it.each([smsChannel, voice])('have the bytes that JSON.stringify makes of $name', (channel) => {
    const plain = rows.map(([, number, status, errorCode, errorMessage, duration]) =>
      new StatusLabels(channel).deliveryRecord('id:1"', { number, status, errorCode, errorMessage, duration }),
    );
    const text = new RecordText(channel, 'id:1"');
    // one by one, so that a fault shows the record that is wrong; twice, because the second time they are kept
    for (const [index, row] of [...rows, ...rows].entries()) {
      expect(text.of([row])).toBe(JSON.stringify(plain[index % plain.length]));
    }
    expect(text.of(rows) === JSON.stringify(plain).slice(1, -1)).toBe(true);
    expect(text.of([])).toBe('');
  });

  it('keeps no more ends than a bound, and makes the others as well', () => {
    const text = new RecordText(smsChannel, 'id-1');
    const odd = Array.from({ length: 5_000 }, (_, code): ReportRow => [
      1,
      '9198',
      RecipientStatus.Failed,
      code,
      'x',
      null,
    ]);
    const records = JSON.parse(`[${text.of(odd)}]`) as { error_code: number }[];
    expect(records.map(({ error_code }) => error_code)).toEqual(odd.map(([, , , code]) => code));
  });
});

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
    expect(new StatusLabels(smsChannel).deliveryRecord('id-1', recipient(status))).toEqual({
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
    const record = new StatusLabels(smsChannel).deliveryRecord('id-1', recipient(RecipientStatus.Failed));
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
    expect(new StatusLabels(voice).deliveryRecord('id-1', recipient(RecipientStatus.Pending))).toMatchObject({
      duration: 0,
    });
    expect(
      new StatusLabels(voice).deliveryRecord('id-1', { ...recipient(RecipientStatus.Answered), duration: 12 }).duration,
    ).toBe(12);
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
    expect(new StatusLabels(smsChannel).countsOf(counts)).toEqual({ PP1: 5, DELIVERED: 5 });
  });

  it('finds the statuses behind a word', () => {
    expect(new StatusLabels(smsChannel).statusesOf('pp1')).toEqual([RecipientStatus.Pending, RecipientStatus.Unknown]);
    expect(new StatusLabels(smsChannel).statusesOf('READ')).toEqual([]);
  });
});
