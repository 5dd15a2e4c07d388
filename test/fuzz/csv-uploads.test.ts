import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { fuzz, hostileText, PROTOTYPE_KEYS } from '../support/fuzz.js';
import { openRecipients, type Recipients } from '../support/recipients.js';
import type { Member } from '../support/sms.js';

const ANSWERS = [201, 400, 413, 415, 422, 429];

/** A text that a cell keeps as it is: no white space at its ends, no line break but one. */
const cell = fc.oneof(
  fc.constantFrom(
    'Asha',
    'a"b',
    '"',
    '""',
    'a,b;c\td',
    'two\nlines',
    "O'Neil",
    '=1+1',
    'Büro',
    '😀',
    '0',
    ...PROTOTYPE_KEYS,
  ),
  fc.string({ maxLength: 12 }).map((text) => text.replace(/[\p{C}\p{Z}\s]/gu, '')),
);
const names = fc.uniqueArray(fc.constantFrom('name', 'city', 'code', '__proto__', 'constructor', 'plan'), {
  maxLength: 4,
});

interface Table {
  columns: string[];
  rows: string[][];
  separator: ',' | ';' | '\t';
  hasMark: boolean;
  lineEnds: string[];
  endsWithBreak: boolean;
  quotesAll: boolean;
}

const table: fc.Arbitrary<Table> = names.chain((columns) =>
  fc.record({
    columns: fc.constant(columns),
    rows: fc.array(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), {
      minLength: 1,
      maxLength: 30,
    }),
    separator: fc.constantFrom(',', ';', '\t'),
    hasMark: fc.boolean(),
    lineEnds: fc.oneof(
      fc.constantFrom<string[][]>(['\n'], ['\r\n']),
      fc.array(fc.constantFrom<string[]>('\n', '\r\n'), { minLength: 2, maxLength: 5 }),
    ),
    endsWithBreak: fc.boolean(),
    quotesAll: fc.boolean(),
  }),
);

const numberOf = (row: number): string => String(919_500_000_000 + row);

/** The table as a spreadsheet writes it. */
function written({ columns, rows, separator, hasMark, lineEnds, endsWithBreak, quotesAll }: Table): string {
  const quoted = (text: string): string =>
    quotesAll || /[",;\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const lines = [['to', ...columns], ...rows.map((cells, row) => [numberOf(row), ...cells])];
  const text = lines
    .map((cells, line) => cells.map(quoted).join(separator) + (lineEnds[line % lineEnds.length] ?? '\n'))
    .join('');
  return (hasMark ? '\ufeff' : '') + (endsWithBreak ? text : text.replace(/\r?\n$/, ''));
}

/** A change that makes a file odd. */
const damage: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc.oneof(
  fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 40 })).map(([at, odd]) => (bytes: Buffer) => {
    const place = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, place), odd, bytes.subarray(place)]);
  }),
  fc.tuple(fc.nat(), hostileText).map(([at, odd]) => (bytes: Buffer) => {
    const place = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, place), Buffer.from(odd), bytes.subarray(place)]);
  }),
  fc.nat().map((at) => (bytes: Buffer) => bytes.subarray(0, at % (bytes.length + 1))),
  fc.constantFrom<(bytes: Buffer) => Buffer>(
    (bytes) => Buffer.from(bytes.toString(), 'utf16le'),
    (bytes) => Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(bytes.toString(), 'utf16le')]),
    (bytes) => Buffer.from(bytes.toString(), 'latin1'),
    (bytes) => gzipSync(bytes),
    (bytes) => gzipSync(bytes).subarray(0, 30),
    (bytes) => Buffer.concat([bytes, Buffer.alloc(500_000, 'x')]),
    (bytes) => Buffer.concat([bytes, Buffer.from(`"${'y\n'.repeat(400_000)}`)]),
    (bytes) => Buffer.concat([Buffer.from(`to,${'c,'.repeat(20_000)}\n`), bytes]),
    (bytes) => Buffer.concat([bytes, Buffer.from('\n'.repeat(20_000))]),
    (bytes) => Buffer.concat([bytes, Buffer.from('"'.repeat(99_999))]),
    (bytes) => Buffer.concat([bytes, Buffer.from(',;\t'.repeat(60_000))]),
    () => Buffer.from('\ufeff\ufeffto\n1\r2\n\r3'),
  ),
);

describe('files of recipients gone mad', () => {
  let recipients: Recipients;
  let owner: Member;
  let other: Member;
  let shown: unknown;

  beforeAll(async () => {
    recipients = await openRecipients({ UPLOAD_LIMIT: 4 * 1024 * 1024, UPLOADS_PER_ACCOUNT: 10_000 });
    [owner, other] = [await recipients.join(), await recipients.join()];
    await recipients.uploaded(other, 'to,name\n919876543210,Asha\n');
    shown = listOf(await recipients.get('/v6/api/uploads', other));
  });
  afterAll(() => recipients.stop());

  const rowsOf = async (id: unknown): Promise<{ number: string; variables: string | null }[]> =>
    recipients.dataSource.query(
      'SELECT number, variables FROM recipient_upload_rows WHERE upload_id = ? ORDER BY seq',
      [id],
    );
  const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

  it('are read to the character where they are files of recipients', async () => {
    await fuzz(table, 25, async (made) => {
      const answer = await recipients.upload(owner, bytesOf(written(made)));
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      const data = dataOf(answer);
      expect(data).toMatchObject({ rows: made.rows.length, invalid_count: 0, duplicates_count: 0 });
      const stored = await rowsOf(data['upload_id']);
      const columns = (data['columns'] as string[]).slice(1);
      expect(stored).toHaveLength(made.rows.length);
      for (const [row, cells] of made.rows.entries()) {
        const entries = columns.flatMap((name, at) => (cells[at] ? [[name, cells[at]] as const] : []));
        expect(stored[row]?.number).toBe(numberOf(row));
        expect(Object.entries(JSON.parse(stored[row]?.variables ?? '{}') as Json)).toEqual(entries);
      }
    });
  });

  it('are refused in words, or taken with every row accounted for', async () => {
    const damaged = fc.record({
      made: table,
      damages: fc.array(damage, { minLength: 1, maxLength: 2 }),
      encoding: fc.constantFrom(undefined, undefined, 'gzip', 'identity', 'br'),
      type: fc.constantFrom('text/csv', 'text/csv', 'text/csv; charset=utf-16', 'application/octet-stream'),
    });
    const before = process.memoryUsage.rss();
    await fuzz(damaged, 25, async ({ made, damages, encoding, type }) => {
      const bytes = damages.reduce<Buffer>((now, change) => change(now), Buffer.from(written(made)));
      const headers: Record<string, string> = {
        'content-type': type,
        ...(encoding && { 'content-encoding': encoding }),
      };
      const answer = await recipients.upload(owner, new Uint8Array(bytes), '', headers);
      expect(ANSWERS, JSON.stringify(answer.body)).toContain(answer.status);
      if (answer.status !== 201) return;
      const data = dataOf(answer);
      expect(await rowsOf(data['upload_id'])).toHaveLength(Number(data['rows']));
    });
    expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 * 1024);
    expect(listOf(await recipients.get('/v6/api/uploads', other))).toEqual(shown);
    expect((await recipients.upload(owner, 'to\n919876543210\n')).status).toBe(201);
  });
});
