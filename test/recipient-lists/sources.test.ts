import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { inTransaction } from '../../src/platform/database/index.js';
import { type ReadBy, RecipientLists, type RecipientsOrigin } from '../../src/modules/recipient-lists/index.js';
import { Leftovers } from '../../src/modules/recipient-lists/leftovers.store.js';
import { ListMembers } from '../../src/modules/recipient-lists/members.store.js';
import { ListStore } from '../../src/modules/recipient-lists/lists.store.js';
import type { SourcedRecipient } from '../../src/modules/engine/index.js';
import { readBroadcastContact } from '../../src/modules/channels/broadcasts/index.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { csvOf, numbered, openRecipients, type Recipients } from '../support/recipients.js';
import { expectRefused, type Member } from '../support/sms.js';

const PATH = '/v6/api/lists';
const CHANNEL = { readRecipient: readBroadcastContact };

let recipients: Recipients;
let member: Member;

beforeAll(async () => {
  recipients = await openRecipients();
});
afterAll(() => recipients.stop());
afterEach(() => {
  vi.restoreAllMocks();
});
beforeEach(async () => {
  member = await recipients.join();
});

const add = (id: number, members: unknown) => recipients.send('POST', `${PATH}/${id}/members`, member, { members });
const fill = (id: number, uploadId: unknown) =>
  recipients.send('POST', `${PATH}/${id}/members`, member, { upload_id: uploadId });
const find = async (id: number): Promise<Json> => dataOf(await recipients.get(`${PATH}/${id}`, member));
const sourceOf = (origin: RecipientsOrigin, by: ReadBy = 'hold') =>
  recipients.part(RecipientLists).sourceOf(member.account.id, origin, CHANNEL, by);
const freeze = async (id: number): Promise<void> => {
  const source = await sourceOf({ listId: id });
  await inTransaction(recipients.dataSource, (tx) => source.freeze(tx));
};
async function readAll(parts: AsyncIterable<readonly SourcedRecipient[]>): Promise<SourcedRecipient[]> {
  const all: SourcedRecipient[] = [];
  for await (const part of parts) all.push(...part);
  return all;
}

describe('a frozen list', () => {
  it('cannot be changed any more, but named, copied and deleted', async () => {
    const id = await recipients.listed(member, numbered(6_000));
    const uploadId = await recipients.uploaded(member, csvOf(1));
    await freeze(id);
    const frozen = await find(id);
    expect(frozen).toMatchObject({
      members: 6_000,
      frozen: true,
      frozen_at: expect.stringMatching(/^\d{4}-/) as string,
    });
    expectRefused(await add(id, numbered(1)), 409, 'List is frozen');
    expectRefused(await fill(id, uploadId), 409, 'List is frozen');
    expectRefused(await recipients.send('DELETE', `${PATH}/${id}/members/919000000000`, member), 409, 'List is frozen');
    await freeze(id);
    expect((await find(id))['frozen_at']).toBe(frozen['frozen_at']);
    expect((await recipients.send('PATCH', `${PATH}/${id}`, member, { name: 'x' })).status).toBe(200);
    const copied = await recipients.send('POST', PATH, member, { name: 'Copy', from_list_id: id });
    expect(copied.status).toBe(201);
    expect(dataOf(copied)).toMatchObject({ name: 'Copy', members: 6_000, frozen: false });
    const copy = dataOf(copied)['list_id'] as number;
    expect(await recipients.members(member, copy, '?limit=1000')).toEqual(
      await recipients.members(member, id, '?limit=1000'),
    );
    expect(dataOf(await add(copy, numbered(1, 9_000)))).toMatchObject({ added: 1 });
    expect((await recipients.send('DELETE', `${PATH}/${id}`, member)).status).toBe(200);
    for (const from of ['x', {}, 1.5])
      expectRefused(
        await recipients.send('POST', PATH, member, { name: 'x', from_list_id: from }),
        400,
        'from_list_id is invalid',
      );
    expectRefused(await recipients.send('POST', PATH, member, { name: 'x', from_list_id: id }), 404, 'List not found');
  });

  it('is frozen by what is accepted alone: not by a reading that is refused', async () => {
    const id = await recipients.listed(member, numbered(10));
    const source = await sourceOf({ listId: id });
    expect(await readAll(source.read())).toHaveLength(10);
    expect(await find(id)).toMatchObject({ frozen: false });
    expect((await add(id, numbered(1, 10))).status).toBe(200);
    await expect(readAll(source.read())).rejects.toThrow('List is being changed');
    const stale = inTransaction(recipients.dataSource, (tx) => source.freeze(tx));
    await expect(stale).rejects.toThrow('List is being changed');
    expect(await find(id)).toMatchObject({ frozen: false, members: 11 });
  });

  it('is not sent to while an upload is added to it', async () => {
    const id = await recipients.listed(member, numbered(10));
    const lists = recipients.part(ListStore);
    const source = await sourceOf({ listId: id });
    const turn = await lists.beginFilling(member.account.id, id);
    await expect(sourceOf({ listId: id })).rejects.toThrow('List is being changed');
    await expect(inTransaction(recipients.dataSource, (tx) => source.freeze(tx))).rejects.toThrow(
      'List is being changed',
    );
    const uploadId = await recipients.uploaded(member, csvOf(1));
    expectRefused(await fill(id, uploadId), 409, 'List is being changed');
    expectRefused(
      await recipients.send('POST', PATH, member, { name: 'x', from_list_id: id }),
      409,
      'List is being changed',
    );
    await lists.endFilling(id, turn);
    await freeze(id);
    await expect(lists.beginFilling(member.account.id, id)).rejects.toThrow('List is frozen');
  });

  it('is filled by one at a time: who was held up for longer than its turn neither writes nor ends that of the next', async () => {
    const id = await recipients.listed(member, numbered(10));
    const [lists, members] = [recipients.part(ListStore), recipients.part(ListMembers)];
    const write = (turn: number, from: number) =>
      inTransaction(recipients.dataSource, (tx) =>
        members.add(
          tx,
          { accountId: member.account.id, id },
          [{ number: String(919_000_000_000 + from), variables: null }],
          turn,
        ),
      );
    const late = await lists.beginFilling(member.account.id, id);
    await write(late, 10);
    await recipients.dataSource.query('UPDATE recipient_lists SET filling_until = UTC_TIMESTAMP(3) WHERE id = ?', [id]);
    const next = await lists.beginFilling(member.account.id, id);
    await write(next, 11);
    await expect(write(late, 12)).rejects.toThrow('List is being changed');
    await lists.endFilling(id, late);
    await expect(sourceOf({ listId: id })).rejects.toThrow('List is being changed');
    await write(next, 12);
    await lists.endFilling(id, next);
    expect((await sourceOf({ listId: id })).total).toBe(13);
  });

  it('holds what was added before, or nothing of it: an add and a freeze are one behind the other', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await recipients.listed(member, numbered(100));
      const source = await sourceOf({ listId: id });
      const [added, frozen] = await Promise.allSettled([
        add(id, numbered(100, 100)),
        inTransaction(recipients.dataSource, (tx) => source.freeze(tx)),
      ]);
      const list = await find(id);
      const isAdded = added.status === 'fulfilled' && added.value.status === 200;
      expect(frozen.status).toBe(isAdded ? 'rejected' : 'fulfilled');
      expect(list).toMatchObject({ members: isAdded ? 200 : 100, frozen: !isAdded });
    }
  });
});

describe('a send', () => {
  it('reads a list in the order of its numbers, as often as it likes', async () => {
    const id = await recipients.listed(member, [
      ...numbered(4_500),
      { to: '4915112345678', variables: { name: 'Eva' } },
    ]);
    const source = await sourceOf({ listId: id });
    expect(source.total).toBe(4_501);
    const read = await readAll(source.read());
    expect(read.slice(0, 2)).toEqual([
      { row: 1, number: '4915112345678', variables: { name: 'Eva' } },
      { row: 2, number: '919000000000' },
    ]);
    expect(read.map(({ row }) => row)).toEqual(read.map((_, index) => index + 1));
    expect(await readAll(source.read())).toEqual(read);
  });

  it('reads an upload in the order of its rows, the duplicates too', async () => {
    const uploadId = await recipients.uploaded(member, `to,n\nnone,x\n${csvOf(4_500).slice(5)}919000000000,again\n`);
    const source = await sourceOf({ uploadId });
    const read = await readAll(source.read());
    expect(source.total).toBe(4_501);
    expect(read).toHaveLength(4_501);
    expect(read[0]).toEqual({ row: 2, number: '919000000000', variables: { n: '0' } });
    expect(read.at(-1)).toEqual({ row: 4_502, number: '919000000000', variables: { n: 'again' } });
    expect(await readAll(source.read())).toEqual(read);
  });

  it('reads to its end what is deleted or expires meanwhile', async () => {
    const uploadId = await recipients.uploaded(member, csvOf(5_000));
    const listId = await recipients.listed(member, numbered(5_000));
    const [upload, list] = [await sourceOf({ uploadId }), await sourceOf({ listId })];
    await recipients.dataSource.query('UPDATE recipient_uploads SET due_at = created_at WHERE id = ?', [uploadId]);
    await recipients.send('DELETE', `${PATH}/${listId}`, member);
    await recipients.part(Leftovers).sweep();
    expect(await readAll(upload.read())).toHaveLength(5_000);
    expect(await readAll(list.read())).toHaveLength(5_000);
    await expect(inTransaction(recipients.dataSource, (tx) => list.freeze(tx))).rejects.toThrow(
      'List is being changed',
    );
    await expect(sourceOf({ uploadId })).rejects.toThrow('Upload not found');
    await expect(sourceOf({ listId })).rejects.toThrow('List not found');
    for (const table of ['recipient_uploads', 'recipient_lists'])
      await recipients.dataSource.query(`UPDATE ${table} SET lease_until = UTC_TIMESTAMP(3) WHERE id IN (?, ?)`, [
        uploadId,
        listId,
      ]);
    await recipients.part(Leftovers).sweep();
    await expect(readAll(upload.read())).rejects.toThrow('Upload not found');
    await expect(readAll(list.read())).rejects.toThrow('List is being changed');
  });

  it('names the rows whose numbers its channel does not take', async () => {
    const uploadId = await recipients.uploaded(member, 'to\n12345678\n919876543210\n87654321\n');
    const source = await sourceOf({ uploadId });
    await expect(readAll(source.read())).rejects.toMatchObject({
      kind: 'invalid',
      message: 'Recipients have numbers that the channel does not take',
      rows: [
        { row: 1, value: '12345678', reason: 'number_invalid', message: 'number is none that the channel takes' },
        { row: 3, value: '87654321', reason: 'number_invalid', message: 'number is none that the channel takes' },
      ],
    });
    const many = await recipients.uploaded(member, `to\n${'12345678\n'.repeat(3_000)}`);
    const fault = await readAll((await sourceOf({ uploadId: many })).read()).catch((error: unknown) => error);
    expect((fault as { rows: unknown[] }).rows).toHaveLength(100);
  });

  it('renews its lease by the time that has passed, and not with each part', async () => {
    const uploadId = await recipients.uploaded(member, csvOf(9_000));
    const listId = await recipients.listed(member, numbered(9_000));
    for (const origin of [{ uploadId }, { listId }]) {
      const source = await sourceOf(origin);
      const asked = vi.spyOn(recipients.dataSource, 'query');
      const renewals = (): number => asked.mock.calls.filter(([sql]) => /SET lease_until/.test(sql)).length;
      expect(await readAll(source.read())).toHaveLength(9_000);
      expect(renewals()).toBe(0);
      const later = performance.now() + 10_000;
      vi.spyOn(performance, 'now').mockImplementation(() => later);
      expect(await readAll(source.read())).toHaveLength(9_000);
      expect(renewals()).toBe(1);
      vi.restoreAllMocks();
    }
  });

  it('is refused by a list without members', async () => {
    const listId = await recipients.listed(member);
    await expect(sourceOf({ listId })).rejects.toThrow('List has no members');
  });
});

describe('a quote', () => {
  const peek = (origin: RecipientsOrigin) => sourceOf(origin, 'peek');

  it('reads what a send reads, and writes nothing', async () => {
    const uploadId = await recipients.uploaded(member, csvOf(2_500));
    const listId = await recipients.listed(member, numbered(2_500));
    for (const [origin, table] of [
      [{ uploadId }, 'recipient_uploads'],
      [{ listId }, 'recipient_lists'],
    ] as const) {
      const heads = () => recipients.dataSource.query<unknown>(`SELECT * FROM ${table} ORDER BY id`);
      const before = await heads();
      const read = await readAll((await peek(origin)).read());
      expect(read).toHaveLength(2_500);
      expect(await heads()).toEqual(before);
      expect(await readAll((await sourceOf(origin)).read())).toEqual(read);
    }
  });

  it('is refused when what it reads is changed, deleted or gone meanwhile', async () => {
    const uploadId = await recipients.uploaded(member, csvOf(3_000));
    const listId = await recipients.listed(member, numbered(3_000));
    const changed = await peek({ listId });
    await add(listId, numbered(1, 9_000));
    await expect(readAll(changed.read())).rejects.toThrow('List is being changed');
    const [upload, list] = [await peek({ uploadId }), await peek({ listId })];
    const [parts, members] = [upload.read()[Symbol.asyncIterator](), list.read()[Symbol.asyncIterator]()];
    expect((await parts.next()).value).toHaveLength(2_000);
    expect((await members.next()).value).toHaveLength(2_000);
    await recipients.send('DELETE', `/v6/api/uploads/${uploadId}`, member);
    await recipients.send('DELETE', `${PATH}/${listId}`, member);
    await recipients.part(Leftovers).sweep();
    await expect(parts.next()).rejects.toThrow('Upload not found');
    await expect(members.next()).rejects.toThrow('List is being changed');
    await expect(peek({ uploadId })).rejects.toThrow('Upload not found');
    await expect(peek({ listId })).rejects.toThrow('List not found');
  });
});
