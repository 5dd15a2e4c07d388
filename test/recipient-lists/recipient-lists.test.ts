import { EntityManager } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RecipientLists } from '../../src/modules/recipient-lists/index.js';
import { Leftovers } from '../../src/modules/recipient-lists/leftovers.store.js';
import { readBroadcastContact } from '../../src/modules/channels/broadcasts/index.js';
import { QuotedText } from '../../src/platform/database/index.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { csvOf, numbered, openRecipients, type Recipients } from '../support/recipients.js';
import { expectRefused, type Member } from '../support/sms.js';

const PATH = '/v6/api/lists';
const MOST = 30_000;
const CHANNEL = { readRecipient: readBroadcastContact };

let recipients: Recipients;
let member: Member;

beforeAll(async () => {
  recipients = await openRecipients({ MEMBERS_PER_LIST: MOST });
});
afterAll(() => recipients.stop());
beforeEach(async () => {
  member = await recipients.join();
});

const add = (id: number, members: unknown, of = member) =>
  recipients.send('POST', `${PATH}/${id}/members`, of, { members });
const fill = (id: number, uploadId: unknown) =>
  recipients.send('POST', `${PATH}/${id}/members`, member, { upload_id: uploadId });
const find = async (id: number): Promise<Json> => dataOf(await recipients.get(`${PATH}/${id}`, member));
describe('a list', () => {
  it('is made, shown, renamed and deleted', async () => {
    const created = await recipients.send('POST', PATH, member, { name: ' Diwali ' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ success: true, message: 'List created successfully' });
    const { list_id: id, created_at: _createdAt, ...facts } = dataOf(created);
    const created_by = { kind: 'account', id: member.account.id, name: member.account.username };
    expect(facts).toEqual({ name: 'Diwali', members: 0, frozen: false, frozen_at: null, created_by });
    expect((await recipients.get(`${PATH}/${String(id)}`, member)).body).toEqual({
      success: true,
      data: dataOf(created),
    });
    expect(listOf(await recipients.get(PATH, member))).toEqual([dataOf(created)]);
    const renamed = await recipients.send('PATCH', `${PATH}/${String(id)}`, member, { name: 'Holi' });
    expect(renamed.body).toEqual({
      success: true,
      message: 'List updated successfully',
      data: { ...dataOf(created), name: 'Holi' },
    });
    await add(id as number, numbered(6_000));
    const gone = await recipients.send('DELETE', `${PATH}/${String(id)}`, member);
    expect(gone.body).toEqual({ success: true, message: 'List deleted successfully' });
    expectRefused(await recipients.get(`${PATH}/${String(id)}`, member), 404, 'List not found');
    expectRefused(await recipients.send('DELETE', `${PATH}/${String(id)}`, member), 404, 'List not found');
    expect(listOf(await recipients.get(PATH, member))).toEqual([]);
    await recipients.part(Leftovers).sweep();
    expect(await recipients.stored()).toMatchObject({ lists: 0, members: 0 });
    expect((await recipients.audit(member.account.username)).map(({ action }) => action)).toEqual([
      'list.create',
      'list.rename',
      'list.add_members',
      'list.remove',
    ]);
  });

  it('has a name', async () => {
    const id = await recipients.listed(member);
    for (const send of [
      (body: unknown) => recipients.send('POST', PATH, member, body),
      (body: unknown) => recipients.send('PATCH', `${PATH}/${id}`, member, body),
    ]) {
      for (const name of [undefined, null, '', ' ', {}, ['a']])
        expectRefused(await send({ name }), 400, 'name is required');
      expectRefused(await send({ name: 'n'.repeat(101) }), 400, 'name must be at most 100 characters');
      expect((await send({ name: '😀'.repeat(100) })).status).toBeLessThan(300);
    }
  });

  it('is its owner’s alone', async () => {
    const id = await recipients.listed(member, [{ to: '919876543210' }]);
    const other = await recipients.join();
    for (const unknown of [id, 'x', 0, '9'.repeat(30)]) {
      const path = `${PATH}/${unknown}`;
      expectRefused(await recipients.get(path, other), 404, 'List not found');
      expectRefused(await recipients.send('PATCH', path, other, { name: 'x' }), 404, 'List not found');
      expectRefused(await recipients.send('DELETE', path, other), 404, 'List not found');
      expectRefused(await recipients.get(`${path}/members`, other), 404, 'List not found');
      expectRefused(
        await recipients.send('POST', `${path}/members`, other, { members: [{ to: '919876543211' }] }),
        404,
        'List not found',
      );
      expectRefused(await recipients.send('DELETE', `${path}/members/919876543210`, other), 404, 'List not found');
    }
    expectRefused(
      await recipients.send('POST', PATH, other, { name: 'Copy', from_list_id: id }),
      404,
      'List not found',
    );
    const theirs = await recipients.listed(other);
    const upload = await recipients.uploaded(member, csvOf(1));
    expectRefused(
      await recipients.send('POST', `${PATH}/${theirs}/members`, other, { upload_id: upload }),
      404,
      'Upload not found',
    );
    expectRefused(await recipients.send('GET', PATH, null), 401, 'Invalid Authorization token');
    const reading = recipients.part(RecipientLists).sourceOf(other.account.id, { listId: id }, CHANNEL, 'peek');
    await expect(reading).rejects.toThrow('List not found');
    const uploaded = recipients.part(RecipientLists).sourceOf(other.account.id, { uploadId: upload }, CHANNEL, 'hold');
    await expect(uploaded).rejects.toThrow('Upload not found');
  });
});

describe('members', () => {
  it('are added once each; a later one’s variables count', async () => {
    const id = await recipients.listed(member);
    const first = await add(id, [
      { to: '+91 98765 43210', variables: { name: 'Asha', city: 'Pune', empty: ' ', age: 31 } },
      { to: 919_876_543_211 },
      { to: '919876543210', variables: { name: 'Asha K' } },
      { to: '919876543211', variables: {} },
      { to: '919876543210' },
    ]);
    expect(first.body).toEqual({
      success: true,
      message: 'Members saved successfully',
      data: { added: 2, duplicates_count: 3, duplicates: ['919876543210', '919876543211', '919876543210'] },
    });
    expect(await recipients.members(member, id)).toEqual([
      { to: '919876543210', variables: { name: 'Asha K' } },
      { to: '919876543211', variables: {} },
    ]);
    const again = await add(id, [
      { to: '919876543210' },
      { to: '919876543211', variables: { name: 'Ravi' } },
      { to: '4915112345678' },
    ]);
    expect(dataOf(again)).toEqual({ added: 1, duplicates_count: 2, duplicates: ['919876543210', '919876543211'] });
    expect(await recipients.members(member, id)).toEqual([
      { to: '4915112345678', variables: {} },
      { to: '919876543210', variables: { name: 'Asha K' } },
      { to: '919876543211', variables: { name: 'Ravi' } },
    ]);
    expect(await find(id)).toMatchObject({ members: 3, frozen: false });
  });

  it('are shown by number, found by their beginning, passed by cursor', async () => {
    const id = await recipients.listed(member, [
      ...numbered(10),
      { to: '4915112345678' },
      { to: '9190' + '0'.repeat(11) },
    ]);
    expect((await recipients.members(member, id, '?number=49')).map(({ to }) => to)).toEqual(['4915112345678']);
    expect(await recipients.members(member, id, '?number=919000000003')).toHaveLength(1);
    expect(await recipients.members(member, id, '?number=91900000000')).toHaveLength(11);
    expect(await recipients.members(member, id, '?number=5')).toEqual([]);
    for (const number of ['x', '+49', '1'.repeat(31), '1&number=2'])
      expectRefused(await recipients.get(`${PATH}/${id}/members?number=${number}`, member), 400, 'number is invalid');
    const seen: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const part = await recipients.get(`${PATH}/${id}/members?limit=5&cursor=${cursor}`, member);
      seen.push(...listOf(part).map(({ to }) => to));
      cursor = part.body['next_cursor'] as string | null;
      expect(part.body['total']).toBe(12);
    }
    expect(seen).toHaveLength(12);
    expect(seen).toEqual([...seen].sort());
    expectRefused(await recipients.get(`${PATH}/${id}/members?cursor=x`, member), 400, 'cursor is invalid');
  });

  it('are removed one by one', async () => {
    const id = await recipients.listed(member, numbered(3));
    const gone = await recipients.send('DELETE', `${PATH}/${id}/members/919000000001`, member);
    expect(gone.body).toEqual({ success: true, message: 'Member removed successfully' });
    for (const unknown of ['919000000001', 'x', '12', '%2B49'])
      expectRefused(
        await recipients.send('DELETE', `${PATH}/${id}/members/${unknown}`, member),
        404,
        'Member not found',
      );
    expect(await find(id)).toMatchObject({ members: 2 });
  });

  it('come from an upload', async () => {
    const id = await recipients.listed(member, [{ to: '919000000001', variables: { name: 'before' } }]);
    const uploadId = await recipients.uploaded(member, `${csvOf(12_000)}919000000000,last\n`);
    const filled = await fill(id, String(uploadId));
    expect(dataOf(filled)).toEqual({
      added: 11_999,
      duplicates_count: 2,
      duplicates: ['919000000001', '919000000000'],
    });
    expect(await recipients.members(member, id, '?limit=2')).toEqual([
      { to: '919000000000', variables: { n: 'last' } },
      { to: '919000000001', variables: { n: '1' } },
    ]);
    const again = dataOf(await fill(id, uploadId));
    expect(again).toMatchObject({ added: 0, duplicates_count: 12_001 });
    expect(again['duplicates']).toHaveLength(100);
    expect(await find(id)).toMatchObject({ members: 12_000 });
    for (const unknown of ['x', 1, -1, 1.5, {}, [1], true])
      expectRefused(await fill(id, unknown), 404, 'Upload not found');
  });

  it('are written in statements that every server takes, whatever their values hold', { timeout: 60_000 }, async () => {
    const written = vi.spyOn(EntityManager.prototype, 'query');
    const largest = (): number => {
      const texts = written.mock.calls.flatMap(([, values = []]) =>
        (values as unknown[]).filter((value) => value instanceof QuotedText),
      );
      return Math.max(...texts.map((text) => Buffer.byteLength(text.toSqlString())));
    };
    const variables = Object.fromEntries(Array.from('abcdefgh', (name) => [name, name.repeat(1_000)]));
    const rows = numbered(2_100).map(({ to }) => [to, ...Object.values(variables)].join(','));
    const uploadId = await recipients.uploaded(member, ['to,a,b,c,d,e,f,g,h', ...rows].join('\n'));
    const filled = await recipients.listed(member, numbered(10));
    expect(dataOf(await fill(filled, uploadId))).toMatchObject({ added: 2_090, duplicates_count: 10 });
    expect(await find(filled)).toMatchObject({ members: 2_100 });
    expect(await recipients.members(member, filled, '?number=919000002099')).toEqual([
      { to: '919000002099', variables },
    ]);
    const given = await recipients.listed(member, numbered(10, 590));
    const added = await add(
      given,
      [...numbered(600), ...numbered(600)].map(({ to }) => ({ to, variables })),
    );
    expect(dataOf(added)).toMatchObject({ added: 590, duplicates_count: 610 });
    expect(await find(given)).toMatchObject({ members: 600 });
    const size = largest();
    expect(size).toBeGreaterThan(900_000);
    expect(size).toBeLessThan(1_100_000);
    written.mockRestore();
  });

  it('are refused with the entries at fault, and none is added', async () => {
    const id = await recipients.listed(member);
    const neither = 'members or upload_id is required';
    expectRefused(await recipients.send('POST', `${PATH}/${id}/members`, member, {}), 400, neither);
    expectRefused(
      await recipients.send('POST', `${PATH}/${id}/members`, member, { members: [], upload_id: 1 }),
      400,
      neither,
    );
    expectRefused(await add(id, 'x'), 400, 'members must be an array');
    expectRefused(await add(id, []), 400, 'members must be a non-empty array');
    expectRefused(await add(id, numbered(10_001)), 400, 'members must have at most 10000 entries');
    const to = '919876543210';
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`v${at}`, 'x']));
    const large = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`v${at}`, 'x'.repeat(1_000)]));
    const entries: [unknown, string][] = [
      [null, 'not an object'],
      ['919876543210', 'not an object'],
      [{}, 'number is missing'],
      [{ to: 'Asha' }, 'number has letters'],
      [{ to: { a: 1 } }, 'number is neither a text nor a whole number'],
      [{ to: 9.19e25 }, 'number is a number that JSON has rounded: write numbers as texts'],
      [{ to: '1234567' }, 'number has fewer than 8 digits'],
      [{ to, variables: [] }, 'variables must be an object'],
      [{ to, variables: many }, 'at most 50 variables are allowed'],
      [{ to, variables: { 'a b': 'x' } }, 'a variable’s name has letters, digits, _ and -, at most 64'],
      [{ to, variables: { a: [] } }, 'a must be a text, a number, true or false'],
      [{ to, variables: { a: 2 ** 53 } }, 'a must be a text, a number, true or false'],
      [{ to, variables: { a: 'x'.repeat(1_001) } }, 'a is longer than 1000 characters'],
      [{ to, variables: large }, 'variables are larger than 8 KB'],
    ];
    const refused = await add(id, [{ to }, ...entries.map(([entry]) => entry)]);
    expect(refused.status).toBe(400);
    expect(refused.body['message']).toBe('members has entries that cannot be kept');
    const errors = refused.body['errors'] as Json[];
    expect(errors.map(({ row, message }) => [row, message])).toEqual(
      entries.map(([, reason], index) => [index + 2, reason.replace('’', "'")]),
    );
    expect(await find(id)).toMatchObject({ members: 0 });
  });

  it('keep whatever text there is in a variable', async () => {
    const id = await recipients.listed(member);
    const variables = {
      __proto__x: '{{name}}',
      quote: '"\\\'`',
      wide: '😀'.repeat(1_000),
      half: 'a\ud83d',
      zero: 'a\u0000b',
    };
    expect((await add(id, [{ to: '919876543210', variables }])).status).toBe(200);
    expect((await recipients.members(member, id))[0]?.['variables']).toEqual(variables);
    const body = '{"members":[{"to":"919876543211","variables":{"__proto__":"x","constructor":"y"}}]}';
    await recipients.post(`${PATH}/${id}/members`, member, body);
    const [own] = await recipients.members(member, id, '?number=919876543211');
    expect(Object.entries(own?.['variables'] as Json)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  it(
    'never exceed what a list may have, nor come twice, however many are added at once',
    { timeout: 60_000 },
    async () => {
      const id = await recipients.listed(member);
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, part) => add(id, numbered(10_000, part * 7_000))),
      );
      const added = answers.filter(({ status }) => status === 200);
      for (const refused of answers.filter(({ status }) => status !== 200))
        expectRefused(refused, 400, `At most ${MOST} members of a list are allowed`);
      const total = added.reduce((sum, answer) => sum + (dataOf(answer)['added'] as number), 0);
      expect(total).toBeLessThanOrEqual(MOST);
      const [stored] = await recipients.dataSource.query<{ n: number }[]>(
        'SELECT COUNT(*) AS n FROM recipient_list_members WHERE list_id = ?',
        [id],
      );
      expect(Number(stored?.n)).toBe(total);
      expect(await find(id)).toMatchObject({ members: total });
      expect(answers.some(({ status }) => status === 400)).toBe(true);
    },
  );
});

describe('what was broken off', () => {
  it('leaves no copy, and of an upload that was added what had been', async () => {
    const id = await recipients.listed(member, numbered(100));
    await recipients.dataSource.query(
      `INSERT INTO recipient_lists (id, account_id, state, name, members, changes, fence, lease_until, due_at, created_at)
       VALUES (17, ?, 0, 'half', 0, 0, 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
      [member.account.id],
    );
    await recipients.dataSource.query(
      'INSERT INTO recipient_list_members (list_id, number) SELECT 17, number FROM recipient_list_members WHERE list_id = ?',
      [id],
    );
    expect(listOf(await recipients.get(PATH, member))).toHaveLength(1);
    await recipients.part(Leftovers).sweep();
    const [left] = await recipients.dataSource.query<{ n: number }[]>(
      'SELECT COUNT(*) AS n FROM recipient_list_members WHERE list_id = 17',
    );
    expect(Number(left?.n)).toBe(0);
    const room = await recipients.listed(member, numbered(10_000));
    for (const from of [10_000, 20_000]) await add(room, numbered(from === 20_000 ? 6_000 : 10_000, from));
    const uploadId = await recipients.uploaded(
      member,
      `to\n${numbered(12_000, 50_000)
        .map(({ to }) => to)
        .join('\n')}\n`,
    );
    expectRefused(await fill(room, uploadId), 400, `At most ${MOST} members of a list are allowed`);
    expect(await find(room)).toMatchObject({ members: MOST });
    expect((await add(room, numbered(1))).status).toBe(200);
  });
});
