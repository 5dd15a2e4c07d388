import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNumber } from '../../src/kernel/phone-numbers.js';
import { planOf } from '../../src/modules/numbers/index.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { type Installation, openInstallation } from '../support/installation.js';
import { READ, REFUSED } from '../support/number-table.js';
import { workbook } from '../support/workbooks.js';

/** Texts of the reader's table; files have no NUL, and no row without anything in it. */
const TEXTS = [...READ, ...REFUSED].flatMap(([given]) =>
  typeof given === 'string' && !given.includes('\0') && given.replace(/[\s\u200B\u00A0]/g, '') !== '' ? [given] : [],
);

/** The digits of a number, or `number` and why it is refused. */
type Outcome = string;
const expected = (text: string): Outcome => {
  const read = readNumber(text, planOf(null));
  return 'digits' in read ? read.digits : `number ${read.refused}`;
};

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallation({ BROADCAST_RATE_LIMIT: 0 });
});
afterAll(() => installation.stop());

const get = async (path: string): Promise<Json[]> => listOf(await installation.get(path, installation.owner));
const send = async (path: string, body: Uint8Array<ArrayBuffer>, type: string): Promise<Json> => {
  const answer = await installation.request(path, {
    method: 'POST',
    headers: { 'content-type': type, ...installation.bearer(installation.owner) },
    body,
  });
  expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).toBeLessThan(300);
  return dataOf(answer);
};
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const CSV = ['to,name', ...TEXTS.map((text) => `${quoted(text)},x`), ''].join('\r\n');
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** What became of each row of an upload: of its list of skipped rows, and of the members of a list made from the others. */
async function outcomes(upload: Json): Promise<Outcome[]> {
  const file = await fetch(`${installation.url}/v6/api/uploads/${String(upload['upload_id'])}/skipped.csv`, {
    headers: installation.bearer(installation.owner),
  });
  const found: Outcome[] = [];
  for (const [, row, message] of (await file.text()).matchAll(/,(\d+),number_invalid,"?(number [^"\r\n]*)/g))
    found[Number(row) - 1] = String(message);
  const { body } = await installation.post('/v6/api/campaigns', installation.owner, {
    ...{ channel: 'sms', broadcast_name: 'Table', message: 'Hi', upload_id: upload['upload_id'] },
    skip_invalid: true,
  });
  const data = body['data'] as Json;
  expect(data, JSON.stringify(body).slice(0, 500)).toBeDefined();
  const contacts = await get(`/v6/api/campaigns/${String(data['request_id'])}/contacts?limit=1000`);
  const digits = contacts.map(({ receiver }) => String(receiver));
  for (const [index, text] of TEXTS.entries())
    // what the channel does not take is left out of the send
    found[index] ??= expected(text).length < 9 ? expected(text) : String(digits.shift());
  expect(digits).toEqual([]);
  return found;
}

describe('the table of the strict reader', () => {
  const table = TEXTS.map((text) => [text, expected(text)]);
  const of = (found: readonly Outcome[]): unknown => TEXTS.map((text, index) => [text, found[index]]);

  it('is read alike, number by number', async () => {
    expect(TEXTS.length).toBeGreaterThanOrEqual(200);
    const { body } = await installation.post('/v6/api/numbers/read', installation.owner, { numbers: TEXTS });
    const rows = body['data'] as Json[];
    expect(of(rows.map(({ number, message }) => String(number ?? message)))).toEqual(table);
  });

  it.each([
    ['a text in UTF-8', Buffer.from(CSV), 'text/csv'],
    ['a text in UTF-16', Buffer.from(`\uFEFF${CSV}`, 'utf16le'), 'text/csv'],
    ['a workbook', workbook({ rows: [['to', 'name'], ...TEXTS.map((text) => [text, 'x'])] }), XLSX],
  ])('is read alike in an upload of %s', async (_name, file, type) => {
    expect(of(await outcomes(await send('/v6/api/uploads', new Uint8Array(file), type)))).toEqual(table);
  });
});
