import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Leftovers } from '../../src/modules/recipient-lists/leftovers.store.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { csvOf, openRecipients, type Recipients } from '../support/recipients.js';
import { expectRefused, type Member } from '../support/sms.js';

const PATIENCE = { timeout: 60_000, interval: 50 };
const PATH = '/v6/api/uploads';

let recipients: Recipients;
let member: Member;

beforeAll(async () => {
  recipients = await openRecipients({ UPLOAD_LIMIT: 12 * 1024 * 1024 });
});
afterAll(() => recipients.stop());
beforeEach(async () => {
  member = await recipients.join();
});

const rowsOf = (id: number): Promise<Json[]> =>
  recipients.dataSource.query(
    'SELECT seq, number, variables FROM recipient_upload_rows WHERE upload_id = ? ORDER BY seq',
    [id],
  );
const nothingIsLeft = (): Promise<void> =>
  vi.waitFor(async () => expect(await recipients.stored()).toMatchObject({ uploads: 0, rows: 0 }), PATIENCE);
describe('a file', () => {
  it('becomes an upload with its variables', async () => {
    const answer = await recipients.upload(
      member,
      'Phone,name,City Name\r\n+91 98765 43210,Asha,Pune\r\n919876543211,"Ravi ""R"", jr.\nsecond line",\r\n919876543210,,Goa\r\n',
    );
    expect(answer.status).toBe(201);
    const { upload_id: id, created_at, expires_at, ...facts } = dataOf(answer);
    expect(answer.body).toMatchObject({ success: true, message: 'Upload saved successfully' });
    expect(facts).toEqual({
      rows: 3,
      file_name: null,
      format: 'csv',
      encoding: 'utf-8',
      sheet: null,
      columns: ['Phone', 'name', 'City_Name'],
      number_column: 'Phone',
      invalid_count: 0,
      duplicates_count: 1,
      sample: [
        { row: 1, to: '919876543210', variables: { name: 'Asha', City_Name: 'Pune' } },
        { row: 2, to: '919876543211', variables: { name: 'Ravi "R", jr.\nsecond line' } },
        { row: 3, to: '919876543210', variables: { City_Name: 'Goa' } },
      ],
      invalid: [],
      duplicates: ['919876543210'],
      created_by: { kind: 'account', id: member.account.id, name: member.account.username },
    });
    expect(Date.parse(String(expires_at)) - Date.parse(String(created_at))).toBe(7 * 86_400_000);
    expect((await recipients.get(`${PATH}/${String(id)}`, member)).body).toEqual({
      success: true,
      data: dataOf(answer),
    });
    const { sample: _sample, invalid: _invalid, duplicates: _duplicates, ...summary } = dataOf(answer);
    expect(listOf(await recipients.get(PATH, member))).toEqual([summary]);
  });

  it.each([
    ['a comma', 'name,mobile\nAsha,919876543210\n'],
    ['a semicolon', '"name, first";mobile\nAsha;919876543210\n'],
    ['a tab', 'name\tmobile\nAsha\t919876543210\n'],
    ['a byte order mark', '\uFEFFname,mobile\nAsha,919876543210\n'],
    ['carriage returns', 'name,mobile\rAsha,919876543210\r'],
    ['no line break at its end', 'name,mobile\nAsha,919876543210'],
    ['spaces around cells', 'name , mobile\n "Asha" , 919876543210 \n'],
    ['mixed line breaks', 'name,mobile\r\nAsha,919876543210\nRavi,919876543211\n'],
  ])('is read with %s', async (_what, text) => {
    const data = dataOf(await recipients.upload(member, text));
    expect(data).toMatchObject({ number_column: 'mobile', invalid_count: 0 });
    expect((data['sample'] as Json[])[0]).toMatchObject({ row: 1, to: '919876543210' });
    expect(Object.values((data['sample'] as { variables: Json }[])[0]?.variables ?? {})).toEqual(['Asha']);
  });

  it.each(['to', 'PHONE', 'Mobile', 'number', 'MSISDN', 'contact', 'Receiver', 'Phone No.', 'mobile_number', 'tel'])(
    'has its number in the column %s',
    async (name) => {
      const data = dataOf(await recipients.upload(member, `name,${name}\nAsha,919876543210\n`));
      expect(data).toMatchObject({ rows: 1, number_column: (data['columns'] as string[])[1] });
    },
  );

  it('has its number in the column that is told', async () => {
    const file = 'contact,phone,Büro (1)\nAsha,919876543210,4930123456\n';
    expectRefused(
      await recipients.upload(member, file),
      400,
      'File has several columns that may hold the number: name it by number_column',
    );
    for (const name of ['phone', 'PHONE', ' phone ']) {
      const told = await recipients.upload(member, file, `?number_column=${encodeURIComponent(name)}`);
      expect(dataOf(told)).toMatchObject({ number_column: 'phone' });
    }
    const other = dataOf(await recipients.upload(member, file, `?number_column=${encodeURIComponent('Büro (1)')}`));
    expect(other).toMatchObject({ number_column: 'Büro_1', sample: [{ to: '4930123456' }] });
    expectRefused(
      await recipients.upload(member, file, '?number_column=mobil'),
      400,
      'number_column is not in the header of the file',
    );
    expectRefused(
      await recipients.upload(member, file, '?number_column=a&number_column=b'),
      400,
      'number_column is invalid',
    );
  });

  it('leaves out rows that have no number, and tells of the first hundred', async () => {
    const bad = ['n/a', '4.9E+12', '1234567', '', '9'.repeat(31)].map((number) => `${number},x`);
    const many = Array.from({ length: 100 }, () => 'none,x');
    const long = `919876543299,${'ä'.repeat(1_001)}`;
    const text = [
      'to,name',
      ...bad,
      '919876543210,Asha',
      '',
      ',',
      '919876543211',
      '919876543212,a,b',
      long,
      ...many,
    ].join('\n');
    const data = dataOf(await recipients.upload(member, text));
    expect(data).toMatchObject({ rows: 1, invalid_count: 108 });
    const invalid = data['invalid'] as Json[];
    expect(invalid).toHaveLength(100);
    expect(invalid.slice(0, 8)).toEqual([
      {
        row: 1,
        value: 'n/a',
        reason: 'number_invalid',
        message: 'number has letters',
      },
      {
        row: 2,
        value: '4.9E+12',
        reason: 'number_invalid',
        message: 'number is in the exponent notation of a spreadsheet, which loses digits',
      },
      { row: 3, value: '1234567', reason: 'number_invalid', message: 'number has fewer than 8 digits' },
      { row: 4, value: '', reason: 'number_invalid', message: 'number is missing' },
      { row: 5, value: '9'.repeat(31), reason: 'number_invalid', message: 'number has more than 15 digits' },
      { row: 9, value: '919876543211', reason: 'cells_differ', message: '1 cells, the header has 2' },
      { row: 10, value: '919876543212', reason: 'cells_differ', message: '3 cells, the header has 2' },
      { row: 11, value: '919876543299', reason: 'variables_invalid', message: 'name is longer than 1000 characters' },
    ]);
    expect((await rowsOf(data['upload_id'] as number)).map(({ seq }) => seq)).toEqual([6]);
  });

  it('keeps the longest values there may be, and no more', async () => {
    const value = '😀'.repeat(1_000);
    const data = dataOf(await recipients.upload(member, `to,a\n919876543210,${value}\n`));
    expect((data['sample'] as { variables: Json }[])[0]?.variables['a']).toBe(value);
    const three = `to,a,b,c\n919876543210,${value},${value},x\n919876543211,${value},${value},${value}\n`;
    expect(dataOf(await recipients.upload(member, three))).toMatchObject({
      rows: 1,
      invalid: [{ row: 2, reason: 'variables_invalid', message: 'variables are larger than 8 KB' }],
    });
  });

  it('keeps names that objects have of their own', async () => {
    const id = await recipients.uploaded(member, 'to,__proto__,constructor\n919876543210,a,b\n');
    expect(await rowsOf(id)).toEqual([
      { seq: 1, number: '919876543210', variables: '{"__proto__":"a","constructor":"b"}' },
    ]);
  });

  it('comes as a form too', async () => {
    const answer = await recipients.uploadForm(member, 'phone,name\n919876543210,Asha\n');
    expect(answer.status).toBe(201);
    expect(dataOf(answer)).toMatchObject({ rows: 1, number_column: 'phone' });
    expectRefused(await recipients.uploadForm(member, 'phone\n919876543210\n', 'other'), 400, 'file is required');
  });
});

describe('an upload', () => {
  const FILE = 'to,name\n919876543210,Asha\n919876543211,Ravi\n';
  beforeEach(() => recipients.clearUploads());

  it('is its owner’s alone', async () => {
    const id = await recipients.uploaded(member, FILE);
    const other = await recipients.join();
    for (const unknown of [id, 0, -1, 'x', '1e3', 99_999_999_999_999_999_999n]) {
      expectRefused(await recipients.get(`${PATH}/${String(unknown)}`, other), 404, 'Upload not found');
      expectRefused(await recipients.send('DELETE', `${PATH}/${String(unknown)}`, other), 404, 'Upload not found');
    }
    expect(listOf(await recipients.get(PATH, other))).toEqual([]);
    expect(listOf(await recipients.get(PATH, member))).toHaveLength(1);
  });

  it('vanishes when it is deleted, and its rows behind it', async () => {
    const id = await recipients.uploaded(member, FILE);
    const gone = await recipients.send('DELETE', `${PATH}/${id}`, member);
    expect(gone.body).toEqual({ success: true, message: 'Upload deleted successfully' });
    expectRefused(await recipients.get(`${PATH}/${id}`, member), 404, 'Upload not found');
    expectRefused(await recipients.send('DELETE', `${PATH}/${id}`, member), 404, 'Upload not found');
    expect(listOf(await recipients.get(PATH, member))).toEqual([]);
    await recipients.part(Leftovers).sweep();
    expect(await recipients.stored()).toMatchObject({ uploads: 0, rows: 0 });
    expect((await recipients.audit(member.account.username)).map(({ action }) => action)).toEqual([
      'upload.create',
      'upload.remove',
    ]);
  });

  it('is removed when it has expired, and not a moment before', async () => {
    const id = await recipients.uploaded(member, FILE);
    await recipients.part(Leftovers).sweep();
    expect((await recipients.get(`${PATH}/${id}`, member)).status).toBe(200);
    await recipients.dataSource.query('UPDATE recipient_uploads SET due_at = UTC_TIMESTAMP(3) WHERE id = ?', [id]);
    expectRefused(await recipients.get(`${PATH}/${id}`, member), 404, 'Upload not found');
    await recipients.part(Leftovers).sweep();
    expect(await recipients.stored()).toMatchObject({ uploads: 0, rows: 0 });
  });

  it('leaves nothing when its writer was killed: the sweeper waits for the lease alone', async () => {
    const lease = (end: string): Promise<unknown> =>
      recipients.dataSource.query(
        `INSERT INTO recipient_uploads (id, account_id, state, kept_rows, facts, fence, lease_until, due_at, created_at)
         VALUES (?, ?, 0, 0, '', 0, ${end}, ${end}, UTC_TIMESTAMP(3))`,
        [end.includes('+') ? 11 : 12, member.account.id],
      );
    await lease('UTC_TIMESTAMP(3) + INTERVAL 60 SECOND');
    await lease('UTC_TIMESTAMP(3)');
    const rows = Array.from({ length: 12_000 }, (_, at) => `(12, ${at + 1}, '919876543210')`).join(',');
    await recipients.dataSource.query(
      `INSERT INTO recipient_upload_rows (upload_id, seq, number) VALUES ${rows}, (11, 1, '919876543210')`,
    );
    expect(listOf(await recipients.get(PATH, member))).toEqual([]);
    expectRefused(await recipients.get(`${PATH}/12`, member), 404, 'Upload not found');
    await recipients.part(Leftovers).sweep();
    expect(await recipients.stored()).toMatchObject({ uploads: 1, rows: 1 });
  });

  it('leaves nothing when its client goes away', async () => {
    const going = new AbortController();
    const rows = new TextEncoder().encode('919876543210,Asha\n'.repeat(12_000));
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (pulls++ === 0) controller.enqueue(new TextEncoder().encode('to,name\n'));
        else if (pulls === 2) controller.enqueue(rows);
        else {
          await vi.waitFor(async () => expect((await recipients.stored()).rows).toBeGreaterThan(0), PATIENCE);
          going.abort();
        }
      },
    });
    const upload = fetch(`${recipients.url}${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${member.token}` },
      body,
      signal: going.signal,
      duplex: 'half',
    });
    await expect(upload).rejects.toThrow();
    await nothingIsLeft();
  });
});

describe('quotas of uploads', () => {
  it('let four be written at the same moment', async () => {
    await recipients.dataSource.query(
      `INSERT INTO recipient_uploads (id, account_id, state, kept_rows, facts, fence, lease_until, due_at, created_at)
       SELECT 100 + j.n, ?, 0, 0, '', 0, UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE, UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE, UTC_TIMESTAMP(3)
       FROM JSON_TABLE('[1,2,3,4]', '$[*]' COLUMNS (n INT PATH '$')) j`,
      [member.account.id],
    );
    const refused = await recipients.upload(member, 'to\n919876543210\n');
    expectRefused(refused, 429, 'At most 4 uploads at the same time are allowed');
    expect(refused.headers.get('retry-after')).toBe('5');
    await recipients.clearUploads();
    expect((await recipients.upload(member, 'to\n919876543210\n')).status).toBe(201);
  });

  it('let in as many as may be kept, whoever comes at once', async () => {
    const few = await openRecipients({ UPLOADS_PER_ACCOUNT: 3 });
    try {
      const owner = await few.join();
      const answers = await Promise.all(Array.from({ length: 4 }, () => few.upload(owner, 'to\n919876543210\n')));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 400]);
      expectRefused(await few.upload(owner, 'to\n919876543210\n'), 400, 'At most 3 uploads are allowed');
      const [first] = listOf(await few.get(PATH, owner));
      await few.send('DELETE', `${PATH}/${String(first?.['upload_id'])}`, owner);
      expect(await few.stored()).toMatchObject({ uploads: 2, rows: 2 });
      const large = await few.uploaded(owner, csvOf(6_000));
      await few.send('DELETE', `${PATH}/${large}`, owner);
      expectRefused(await few.upload(owner, 'to\n919876543210\n'), 400, 'At most 3 uploads are allowed');
      await few.part(Leftovers).sweep();
      expect((await few.upload(owner, 'to\n919876543210\n')).status).toBe(201);
    } finally {
      await few.stop();
    }
  });
});
