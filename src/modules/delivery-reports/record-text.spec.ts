import { describe, expect, it } from 'vitest';
import { smsChannel } from '../channels/sms/index.js';
import { type Channel, deliveryRecord, RecipientStatus } from '../engine/index.js';
import { RecordText, type ReportRow } from './record-text.js';

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
      deliveryRecord(channel, 'id:1"', { number, status, errorCode, errorMessage, duration }),
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
