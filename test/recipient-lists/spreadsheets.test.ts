import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { openRecipients, type Recipients } from '../support/recipients.js';
import { expectRefused, type Member } from '../support/sms.js';
import { workbook } from '../support/workbooks.js';

let recipients: Recipients;
let member: Member;

beforeAll(async () => {
  recipients = await openRecipients();
});
afterAll(() => recipients.stop());
beforeEach(async () => {
  member = await recipients.join();
});

const ROWS = [
  ['Phone', 'name', 'due', null],
  [919_876_543_210, 'Müller', { xml: '<c s="1"><v>46352</v></c>' }],
  ['none', 'Asha', '=1+1'],
  ['+91 98765 43211', 'Ravi'],
];
const TEXT = 'sep=;\r\nphone;name;;\r\n919876543210;Müller;;\r\nnone;Asha, jr.\r\n919876543211;Ravi\r\n';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const bytesOf = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);

describe('a spreadsheet (.xlsx)', () => {
  it('becomes an upload, as a form and as a body, and keeps its name', async () => {
    const file = bytesOf(workbook({ rows: ROWS, formats: ['dd/mm/yyyy'], hidden: 1 }));
    const form = dataOf(await recipients.uploadForm(member, file, 'file', 'C:\\my files\\Kunden ä.xlsx'));
    expect(form).toMatchObject({
      rows: 2,
      file_name: 'Kunden ä.xlsx',
      format: 'xlsx',
      encoding: null,
      sheet: 'Sheet2',
      columns: ['Phone', 'name', 'due'],
      sample: [
        { row: 1, to: '919876543210', variables: { name: 'Müller', due: '2026-11-26' } },
        { row: 3, to: '919876543211', variables: { name: 'Ravi' } },
      ],
      invalid: [{ row: 2, value: 'none', reason: 'number_invalid', message: 'number has letters' }],
    });
    const body = await recipients.upload(member, file, '?file_name=autumn.xlsx', { 'content-type': TYPE });
    expect(dataOf(body)).toMatchObject({ rows: 2, file_name: 'autumn.xlsx' });
    expect(listOf(await recipients.get('/v6/api/uploads', member)).map((upload) => upload['file_name'])).toEqual([
      'autumn.xlsx',
      'Kunden ä.xlsx',
    ]);
  });

  it('has its column told as a text has', async () => {
    const rows = [
      ['code', 'Handy'],
      ['x', '919876543210'],
    ];
    expectRefused(
      await recipients.upload(member, bytesOf(workbook({ rows }))),
      400,
      'File has no column of a known name for the number: name it by number_column',
    );
    const told = await recipients.upload(member, bytesOf(workbook({ rows })), '?number_column=handy');
    expect(dataOf(told)).toMatchObject({ number_column: 'Handy', sample: [{ to: '919876543210' }] });
  });
});

describe('a text of a spreadsheet program', () => {
  it.each([
    ['utf-8', Buffer.from(`\uFEFF${TEXT}`)],
    ['utf-16le', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
    ['utf-16be', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').swap16()],
    ['windows-1252', Buffer.from(TEXT, 'latin1')],
  ])('in %s is read', async (encoding, bytes) => {
    const answer = await recipients.upload(member, bytesOf(bytes), '', {
      'content-type': `text/csv; charset=${encoding}`,
    });
    expect(dataOf(answer)).toMatchObject({
      encoding,
      format: 'csv',
      rows: 2,
      columns: ['phone', 'name'],
      sample: [
        { row: 1, to: '919876543210', variables: { name: 'Müller' } },
        { row: 3, to: '919876543211' },
      ],
    });
    const told =
      encoding === 'windows-1252' ? [expect.objectContaining({ code: 'file_windows_1252', field: 'file' })] : undefined;
    expect(answer.body['warnings']).toEqual(told);
  });
});

describe('what was left out', () => {
  const skipped = async (id: unknown, who = member): Promise<{ status: number; text: string; name: string | null }> => {
    const answer = await fetch(`${recipients.url}/v6/api/uploads/${String(id)}/skipped.csv`, {
      headers: { authorization: `Bearer ${who.token}` },
    });
    return { status: answer.status, text: await answer.text(), name: answer.headers.get('content-disposition') };
  };

  it('can be downloaded with its cells, mended and uploaded again', async () => {
    const text =
      'to,name,city\nnone,Asha,=1+1\n919876543210,Ravi,Goa\n91987,"a, ""b""",\n919876543211,x\n919876543212,a,b,c\n';
    const id = dataOf(await recipients.upload(member, text))['upload_id'];
    const { status, text: file, name } = await skipped(id);
    expect([status, name]).toEqual([200, `attachment; filename="skipped-${String(id)}.csv"`]);
    expect(file.split('\r\n')).toEqual([
      'to,name,city,row,reason,message',
      "none,Asha,'=1+1,1,number_invalid,number has letters",
      '91987,"a, ""b""",,3,number_invalid,number has fewer than 8 digits',
      '919876543211,x,,4,cells_differ,"2 cells, the header has 3"',
      '919876543212,a,b | c,5,cells_differ,"4 cells, the header has 3"',
      '',
    ]);
    const again = await recipients.upload(member, file.replace('none', '919876543213'));
    expect(dataOf(again)).toMatchObject({ rows: 3, invalid_count: 1 });
  });

  it('is there as a whole, is nobody else’s, and goes with its upload', async () => {
    const rows = Array.from({ length: 6_000 }, (_, at) => (at === 0 ? '919876543210,x' : `none,${at}`));
    const id = dataOf(await recipients.upload(member, `to,name\n${rows.join('\n')}\n`))['upload_id'];
    expect((await skipped(id)).text.split('\r\n')).toHaveLength(6_001);
    expect((await skipped(id, await recipients.join())).status).toBe(404);
    expect(await recipients.stored()).toMatchObject({ skips: expect.any(Number) as number });
    await recipients.request(`/v6/api/uploads/${String(id)}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${member.token}` },
    });
    expect((await skipped(id)).status).toBe(404);
    await recipients.clearUploads();
    expect(await recipients.stored()).toMatchObject({ uploads: 0, rows: 0, skips: 0 });
  });
});

describe('a person who comes again', () => {
  it('is counted in both spellings of the number', async () => {
    const data: Json = dataOf(
      await recipients.upload(
        member,
        'to\n5511961234567\n551161234567\n919876543210\n5215512345678\n525512345678\n5491123456789\n541123456789\n5511961234567\n',
      ),
    );
    expect(data).toMatchObject({ rows: 8, duplicates_count: 4 });
    expect(data['duplicates']).toHaveLength(3);
  });
});
