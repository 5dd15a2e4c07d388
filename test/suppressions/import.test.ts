import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Campaigns, dataOf, listOf, openCampaigns } from '../support/campaigns.js';
import { numbers } from '../support/client.js';
import { sendRaw } from '../support/raw-request.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { fillSpool, workbook } from '../support/workbooks.js';

const PATH = '/v6/api/suppressions';

let campaigns: Campaigns;
beforeAll(async () => {
  campaigns = await openCampaigns();
});
afterAll(() => campaigns.stop());

const list = (member: Member, query = ''): Promise<Answer> => campaigns.get(`${PATH}${query}`, member);
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const importBody = (member: Member, body: FormData | string | Buffer<ArrayBuffer>, type?: string): Promise<Answer> =>
  campaigns.request(`${PATH}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${member.token}`, ...(type && { 'content-type': type }) },
    body,
  });
const form = (text: string, field = 'file'): FormData => {
  const data = new FormData();
  data.append('note', 'a field before the file');
  data.append(field, new Blob([text], { type: 'text/csv' }), 'stop.csv');
  return data;
};

describe('the import', () => {
  it.each(['a form', 'a body'])('takes %s, and reports bad lines', async (way) => {
    const member = await campaigns.join();
    const csv = 'name,phone\nJane,+49 151 00000001\nJohn,n/a\nAgain,4915100000001\n';
    const answer =
      way === 'a form' ? await importBody(member, form(csv)) : await importBody(member, csv, 'text/csv; charset=utf-8');
    const message = 'number has letters';
    const fault = { row: 3, value: 'n/a', reason: 'number_invalid', message };
    expect(answer.body).toEqual({
      success: true,
      message: 'Suppressions imported successfully',
      data: { lines: 3, added: 1, already: 1, invalid_count: 1, invalid: [fault] },
      ...(way === 'a form' && { warnings: [expect.objectContaining({ code: 'unknown_field', field: 'note' })] }),
    });
    expect(listOf(await list(member))).toMatchObject([{ number: '4915100000001', source: 'import' }]);
  });

  it('takes 100,000 numbers, from two files at once', async () => {
    const member = await campaigns.join();
    const all = numbers(100_000, '9188').map((number, index) => `${number}${String(index).padStart(6, '0')}`);
    const answers = await Promise.all([
      importBody(member, form(all.join('\n'))),
      importBody(member, all.toReversed().join('\r\n'), 'text/csv'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const added = answers.map((answer) => Number(dataOf(answer)['added']));
    expect((added[0] ?? 0) + (added[1] ?? 0)).toBe(100_000);
    expect((await list(member, '?limit=1')).body).toMatchObject({ total: 10_000, total_is_capped: true });
    const [row] = await campaigns.dataSource.query<{ total: string }[]>(
      'SELECT COUNT(*) AS total FROM suppressions WHERE account_id = ?',
      [member.account.id],
    );
    expect(Number(row?.total)).toBe(100_000);
  });

  it.each([
    ['UTF-16', Buffer.from('\uFEFFname;phone\nMüller;+49 151 00000001\n', 'utf16le'), 'text/csv; charset=utf-16le'],
    ['a named separator', Buffer.from('sep=|\nname|phone\nMüller|+49 151 00000001\n'), 'text/csv'],
    ['Windows-1252', Buffer.from('name,phone\nMüller,+49 151 00000001\n', 'latin1'), 'application/vnd.ms-excel'],
    ['.xlsx', workbook({ rows: [['phone'], [4_915_100_000_001]] }), XLSX],
  ])('reads %s as uploads do', async (_name, bytes, type) => {
    const member = await campaigns.join();
    const answer = await importBody(member, bytes, type);
    expect(answer.body).toMatchObject({ data: { lines: 1, added: 1, invalid_count: 0 } });
    const whole = new FormData();
    whole.append('file', new Blob([bytes]), 'stop');
    expect((await importBody(member, whole)).body).toMatchObject({ data: { lines: 1, added: 0, already: 1 } });
    expect(listOf(await list(member))).toMatchObject([{ number: '4915100000001' }]);
  });

  it('keeps what was read before a fault', async () => {
    const member = await campaigns.join();
    const lines = numbers(20_000).join('\n');
    const broken = Buffer.concat([Buffer.from(`${lines}\nMüller\n`), Buffer.from([0xff, 0x0a])]);
    expectRefused(
      await importBody(member, broken, 'text/csv'),
      400,
      'File is neither a text nor a spreadsheet (.xlsx)',
    );
    expect((await list(member, '?limit=1')).body).toMatchObject({ total: 10_000, total_is_capped: true });
    const archives = [
      [workbook({ without: ['xl/workbook.xml'] }), 400, 'File is no spreadsheet that can be read (.xlsx)'],
      [
        workbook({ rows: [['phone'], ['x'.repeat(70_000)]], inline: true }),
        400,
        'Row 1 of the file is larger than 64 KB',
      ],
      [workbook({ rows: [['x'.repeat(70_000)]] }), 413, 'File must have at most 256 MB when it is unpacked'],
    ] as const;
    for (const [bytes, status, message] of archives)
      expectRefused(await importBody(member, bytes, XLSX), status, message);
  });

  it('refuses a workbook where others have taken the room for all', async () => {
    const member = await campaigns.join();
    const bytes = workbook({ rows: [['phone'], ['4915100000001']] });
    const free = await fillSpool();
    const refused = await importBody(member, bytes, XLSX);
    await free();
    expectRefused(refused, 429, 'Too many spreadsheets are being read');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await importBody(member, bytes, XLSX)).status).toBe(200);
  });

  it('leaves the connection of a form that was taken to the next request', async () => {
    const member = await campaigns.join();
    const headers = { authorization: `Bearer ${member.token}`, 'content-type': 'multipart/form-data; boundary=x' };
    const body = '--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n4915100000001\r\n--x--\r\n';
    for (let i = 0; i < 3; i++) {
      const answer = await sendRaw(campaigns.url, {
        method: 'POST',
        path: '/v6/api/suppressions/import',
        headers,
        body,
      });
      expect(answer.status).toBe(200);
    }
  });

  it('refuses what is no file', async () => {
    const member = await campaigns.join();
    expectRefused(await importBody(member, '{}', 'application/json'), 400, 'file is required');
    expectRefused(await importBody(member, form('4915100000001', 'other')), 400, 'file is required');
    const headless = '--x\r\nno end of this';
    expectRefused(
      await importBody(member, headless, 'multipart/form-data; boundary=x'),
      400,
      'Malformed multipart body',
    );
    expectRefused(await importBody(member, headless, 'multipart/form-data'), 400, 'Malformed multipart body');
    expect((await importBody(member, form(''))).body).toMatchObject({ data: { lines: 0, added: 0 } });
  });

  it.each(['a form', 'a body'])('refuses %s of more than 32 MB', async (way) => {
    const member = await campaigns.join();
    const csv = `${'x'.repeat(1023)}\n`.repeat(33 * 1024);
    // the answer may come, and the connection end, while the client still writes
    const answer = await (way === 'a form' ? importBody(member, form(csv)) : importBody(member, csv, 'text/csv')).catch(
      () => null,
    );
    if (answer) expectRefused(answer, 413, 'Request body is too large');
    expect((await campaigns.get('/health/live', null)).status).toBe(200);
  });
});
