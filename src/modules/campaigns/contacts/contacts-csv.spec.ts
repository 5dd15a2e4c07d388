import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvField } from '../../../kernel/text.js';
import { csvFrame, csvLines } from './contacts-csv.js';

/** A field as a reader after RFC 4180 takes it. */
const read = (field: string): string => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);

describe('a field of the export', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\n=1', '＝1+1', '＋1', '－1', '＠A1'])(
    '%j does not begin a formula',
    (value) => {
      expect(read(csvField(value))).toBe(`'${value}`);
    },
  );

  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=x,y', `"'=x,y"`],
    ['', ''],
    [null, ''],
    [undefined, ''],
    [0, '0'],
    [-7, '-7'],
  ])('%j is %j', (value, field) => expect(csvField(value)).toBe(field));

  it('comes back whole from any text, and is one field of one record', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', '=', '-', '\t', ' ', 'я') }),
        (value) => {
          const field = csvField(value);
          const back = read(field);
          expect(back === value || back === `'${value}`).toBe(true);
          if (!field.startsWith('"')) expect(field).not.toMatch(/[",\r\n]/);
          expect(back).not.toMatch(/^[=+\-@\t\r\n]/);
        },
      ),
    );
  });
});

describe('the file', () => {
  const contact = {
    ...{ seq: 1, receiver: '919812345678', status: 'FAILED', status_code: 1 as const, error_code: 8 },
    ...{
      errorMessage: 'gone, really',
      attempts: 2,
      provider_message_id: null,
      updated_at: '2026-05-01 10:00:00',
      credits: 1,
    },
  };
  const open = (fileName: string, extra: Record<string, string | number | null> = {}, isTest = false) => ({
    fileName,
    isTest,
    details: Object.keys(extra).filter((name) => name !== 'credits'),
    batches: (async function* () {
      yield await Promise.resolve([{ ...contact, ...extra, ...(isTest && { test: true as const }) }]);
    })(),
  });

  it('has a header line and CRLF, the price of each recipient, and the columns of calls on voice alone', async () => {
    const sms = open('a:b');
    expect(csvFrame(sms).before).toMatch(/^seq,receiver,.*,updated_at,credits,carrier_code,refused\r\n$/);
    expect(csvFrame(sms).headers).toEqual({ 'Content-Disposition': 'attachment; filename="a_b.csv"' });
    for await (const lines of csvLines(sms)) {
      expect(lines).toBe('1,919812345678,FAILED,1,8,"gone, really",2,,2026-05-01 10:00:00,1,,\r\n');
    }
    const priced = open('p', { credits: 3, duration: 17 });
    expect(csvFrame(priced).before).toMatch(/,updated_at,credits,duration,carrier_code,refused\r\n$/);
    for await (const lines of csvLines(priced)) expect(lines).toMatch(/,2026-05-01 10:00:00,3,17,,\r\n$/);
    const voice = open('v', { duration: 17, digits: '*1', recording_url: null });
    expect(csvFrame(voice).before).toMatch(
      /,updated_at,credits,duration,digits,recording_url,carrier_code,refused\r\n$/,
    );
    for await (const lines of csvLines(voice)) expect(lines).toMatch(/,17,\*1,,,\r\n$/);
  });

  it('says of tests that they are', async () => {
    const test = open('a', {}, true);
    expect(csvFrame(test).before).toMatch(/,credits,carrier_code,refused,test\r\n$/);
    for await (const lines of csvLines(test)) expect(lines).toMatch(/,1,,,true\r\n$/);
  });
});
