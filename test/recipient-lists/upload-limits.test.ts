import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Leftovers } from '../../src/modules/recipient-lists/leftovers.store.js';
import { dataOf } from '../support/campaigns.js';
import { openRecipients, type Recipients } from '../support/recipients.js';
import { expectRefused, type Member } from '../support/sms.js';
import { workbook, zipped } from '../support/workbooks.js';

const PATH = '/v6/api/uploads';

const NO_TEXT = 'File is neither a text nor a spreadsheet (.xlsx)';
const NO_WORKBOOK = 'File is no spreadsheet that can be read (.xlsx)';
const SHEET = [
  ['to', 'name'],
  ['919876543210', 'Asha'],
];

let recipients: Recipients;
let member: Member;

beforeAll(async () => {
  recipients = await openRecipients({ UPLOAD_LIMIT: 12 * 1024 * 1024 });
});
afterAll(() => recipients.stop());
beforeEach(async () => {
  member = await recipients.join();
});

describe('what is no file of recipients', () => {
  beforeEach(() => recipients.clearUploads());

  const header = (columns: number): string =>
    ['to', ...Array.from({ length: columns - 1 }, (_, at) => `c${at}`)].join(',');
  const row = (columns: number): string =>
    ['919876543210', ...Array.from({ length: columns - 1 }, () => 'x')].join(',');

  it.each<[string, string | Uint8Array<ArrayBuffer>, number, string]>([
    ['nothing', '', 400, 'File is empty'],
    ['a byte order mark alone', '\uFEFF', 400, 'File is empty'],
    ['a header alone', 'to,name\n', 400, 'File has no row below its header'],
    ['a header and empty rows', 'to,name\n\n,\n', 400, 'File has no row below its header'],
    [
      'no name for the number',
      'name,city\nAsha,Pune\n',
      400,
      'File has no column of a known name for the number: name it by number_column',
    ],
    ['an empty name', 'to,,name\n919876543210,a,b\n', 400, 'Column 2 of the file has no name'],
    ['an empty first line', '\nto,name\n', 400, 'Column 1 of the file has no name'],
    [
      'a long name',
      `to,${'n'.repeat(65)}\n919876543210,a\n`,
      400,
      'Column 2 of the file has a name of more than 64 characters',
    ],
    ['a name twice', 'to,a b,a_b\n919876543210,1,2\n', 400, 'Columns of the file must differ: a_b'],
    ['too many columns', `${header(52)}\n${row(52)}\n`, 400, 'File must have at most 51 columns'],
    [
      'a quote that does not close',
      'to,name\n919876543210,x\n919876543211,"x\n',
      400,
      'Row 2 of the file has a quote that opens or closes in the wrong place',
    ],
    [
      'a quote within a cell',
      'to,name\n919876543210,x"y\n',
      400,
      'Row 1 of the file has a quote that opens or closes in the wrong place',
    ],
    [
      'a long row',
      `to,name\n919876543210,x\n919876543211,${'x'.repeat(70_000)}\n`,
      400,
      'Row 2 of the file is larger than 64 KB',
    ],
    ['a long header', `to,${'x'.repeat(70_000)}`, 400, 'Header of the file is larger than 64 KB'],
    [
      'no number at all',
      'to,name\nnone,x\nnope,y\n',
      400,
      'No row of the file has a number that can be kept, row 1: number has letters',
    ],
    ['a compressed text', gzipSync('to,name\n919876543210,x\n'), 400, NO_TEXT],
    ['an old spreadsheet', Buffer.from('d0cf11e0a1b11ae1000000000000', 'hex'), 400, NO_TEXT],
    ['UTF-8 that breaks', Buffer.from('to,name\n919876543210,\xc3\xa9\n919876543211,\xff\n', 'latin1'), 400, NO_TEXT],
    ['UTF-16 cut in a character', Buffer.from('fffe74006f000a0031', 'hex'), 400, NO_TEXT],
    ['another archive', zipped({ 'word/document.xml': '<x/>' }), 400, NO_WORKBOOK],
    ['a spreadsheet that breaks off', workbook({ rows: SHEET }).subarray(0, 900), 400, NO_WORKBOOK],
    ['a spreadsheet without rows', workbook({ rows: SHEET.slice(0, 1) }), 400, 'File has no row below its header'],
    ['an empty spreadsheet', workbook({}), 400, 'File is empty'],
    [
      'a spreadsheet with a long cell',
      workbook({ rows: [...SHEET, ['919876543210', 'x'.repeat(70_000)]], inline: true }),
      400,
      'Row 2 of the file is larger than 64 KB',
    ],
    [
      'a spreadsheet that unpacks to 260 MB',
      workbook({ sheet: `<worksheet><sheetData>${' '.repeat(260 * 1024 * 1024)}</sheetData></worksheet>` }),
      413,
      'File must have at most 256 MB when it is unpacked',
    ],
    [
      'a spreadsheet of 500,001 rows',
      workbook({
        sheet: `<worksheet><sheetData><row><c t="str"><v>to</v></c></row>${'<row><c><v>1</v></c></row>'.repeat(500_001)}</sheetData></worksheet>`,
      }),
      413,
      'File must have at most 500000 rows',
    ],
    [
      'too many bytes',
      `to,name\n${`919876543210,${'x'.repeat(100)}\n`.repeat(112_000)}`,
      413,
      'Request body is too large',
    ],
  ])('%s is refused, and leaves nothing', async (_what, body, status, message) => {
    expectRefused(await recipients.upload(member, body), status, message);
    expect(await recipients.stored()).toMatchObject({ uploads: 0, rows: 0, skips: 0 });
    if (typeof body === 'string') expectRefused(await recipients.uploadForm(member, body), status, message);
    expect(await recipients.stored()).toMatchObject({ uploads: 0, rows: 0 });
  });

  it('takes what stands just within the limits', async () => {
    expect((await recipients.upload(member, `${header(51)}\n${row(51)}\n`)).status).toBe(201);
    expect((await recipients.upload(member, `to,${'n'.repeat(64)}\n919876543210,a\n`)).status).toBe(201);
  });

  it('leaves no timer behind when it is refused before it is read', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const twoColumns = '?number_column=a&number_column=b';
    await slowly(twoColumns);
    const before = timers();
    for (let count = 0; count < 20; count++) expect(await slowly(twoColumns)).toBe(400);
    await expect.poll(() => timers() - before).toBeLessThan(10);
  });

  /** Sends head and body in two packets; resolves with the status. */
  function slowly(query: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${member.token}`, 'content-type': 'text/csv', 'content-length': 16 };
      const sent = httpRequest(`${recipients.url}${PATH}${query}`, { method: 'POST', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      }).on('error', reject);
      sent.flushHeaders();
      setImmediate(() => sent.end('to\n919876543210\n'));
    });
  }

  it('refuses other types, charsets and encodings', async () => {
    const file = 'to\n919876543210\n';
    expectRefused(
      await recipients.upload(member, file, '', { 'content-type': 'application/pdf' }),
      400,
      'file is required',
    );
    expectRefused(
      await recipients.upload(member, file, '', { 'content-type': 'application/json' }),
      400,
      'file is required',
    );
    const unsupported = 'Unsupported charset or encoding';
    const other = { 'content-type': 'text/csv; charset=koi8-r' };
    expectRefused(await recipients.upload(member, file, '', other), 415, unsupported);
    const bomb = gzipSync(Buffer.alloc(1_000_000, 'to\n'));
    expectRefused(await recipients.upload(member, bomb, '', { 'content-encoding': 'gzip' }), 415, unsupported);
    expect((await recipients.upload(member, file, '', { 'content-type': 'text/csv; charset="UTF-8"' })).status).toBe(
      201,
    );
    expectRefused(await recipients.upload(null, file), 401, 'Invalid Authorization token');
  });

  it('takes 500,000 rows and refuses one more', { timeout: 180_000 }, async () => {
    const rows = 'to\n' + Array.from({ length: 500_000 }, (_, at) => 919_000_000_000 + at).join('\n');
    const whole = await recipients.upload(member, rows);
    expect(whole.status).toBe(201);
    expect(dataOf(whole)).toMatchObject({ rows: 500_000, duplicates_count: 0 });
    expectRefused(
      await recipients.upload(member, `${rows}\n919876543210\n`),
      413,
      'File must have at most 500000 rows',
    );
    await recipients.send('DELETE', `${PATH}/${String(dataOf(whole)['upload_id'])}`, member);
    await recipients.part(Leftovers).sweep();
    expect(await recipients.stored()).toMatchObject({ uploads: 0, rows: 0 });
  });
});
