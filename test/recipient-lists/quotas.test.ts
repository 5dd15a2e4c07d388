import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecipientLists } from '../../src/modules/recipient-lists/index.js';
import { readBroadcastContact } from '../../src/modules/channels/broadcasts/index.js';
import { dataOf, listOf } from '../support/campaigns.js';
import { csvOf, numbered, openRecipients, type Recipients } from '../support/recipients.js';
import { expectRefused } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const PATH = '/v6/api/lists';
const SOON = { timeout: 20_000, interval: 50 };
const CHANNEL = { readRecipient: readBroadcastContact };

let recipients: Recipients;

beforeAll(async () => {
  recipients = await openRecipients();
});
afterAll(() => recipients.stop());

describe('quotas of lists', () => {
  it('let four be copied or filled at the same moment', async () => {
    const member = await recipients.join();
    const from = await recipients.listed(member, numbered(2));
    const uploadId = await recipients.uploaded(member, csvOf(3));
    const later = 'UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE';
    await recipients.dataSource.query(
      `INSERT INTO recipient_lists (id, account_id, state, name, members, changes, fence, lease_until, due_at, filling_until, created_at)
       SELECT 100 + j.n, ?, j.n < 3, 'busy', 0, 0, 0, ${later}, IF(j.n < 3, NULL, ${later}), IF(j.n < 3, ${later}, NULL), UTC_TIMESTAMP(3)
       FROM JSON_TABLE('[1,2,3,4]', '$[*]' COLUMNS (n INT PATH '$')) j`,
      [member.account.id],
    );
    const copy = () => recipients.send('POST', PATH, member, { name: 'Copy', from_list_id: from });
    const added = (body: unknown) => recipients.send('POST', `${PATH}/${from}/members`, member, body);
    for (const refused of [await copy(), await added({ upload_id: uploadId })]) {
      expectRefused(refused, 429, 'At most 4 copies and added uploads at the same time are allowed');
      expect(refused.headers.get('retry-after')).toBe('5');
    }
    expect((await added({ members: numbered(1, 2) })).status).toBe(200);
    expect((await recipients.send('POST', PATH, member, { name: 'Empty' })).status).toBe(201);
    const other = await recipients.join();
    const theirs = await recipients.listed(other, numbered(1));
    expect((await recipients.send('POST', PATH, other, { name: 'x', from_list_id: theirs })).status).toBe(201);

    await recipients.dataSource.query('UPDATE recipient_lists SET filling_until = NULL WHERE id = 101');
    expect((await copy()).status).toBe(201);
    expect(dataOf(await added({ upload_id: uploadId }))).toMatchObject({ added: 0, duplicates_count: 3 });
    await recipients.dataSource.query('DELETE FROM recipient_lists WHERE id BETWEEN 101 AND 104');
  });

  it('let in as many as may be kept, whoever comes at once', async () => {
    const few = await openRecipients({ LISTS_PER_ACCOUNT: 3 });
    try {
      const owner = await few.join();
      const make = (name: string) => few.send('POST', PATH, owner, { name });
      const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(make));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 400, 400]);
      expectRefused(await make('f'), 400, 'At most 3 lists are allowed');
      const [first] = listOf(await few.get(PATH, owner));
      const from = first?.['list_id'];
      expectRefused(
        await few.send('POST', PATH, owner, { name: 'g', from_list_id: from }),
        400,
        'At most 3 lists are allowed',
      );
      await few.send('DELETE', `${PATH}/${String(from)}`, owner);
      expect((await make('h')).status).toBe(201);

      // one of ordinary size makes room at once, again and again
      for (let round = 0; round < 3; round++) {
        const [newest] = listOf(await few.get(PATH, owner));
        const id = newest?.['list_id'] as number;
        await few.send('POST', `${PATH}/${id}/members`, owner, { members: numbered(5_000) });
        expect((await few.send('DELETE', `${PATH}/${id}`, owner)).status).toBe(200);
        expect(await few.stored()).toMatchObject({ lists: 2, members: 0 });
        expect((await make('again')).status).toBe(201);
      }
    } finally {
      await few.stop();
    }
  });

  it('count what still has members, removed or broken off', { timeout: 60_000 }, async () => {
    const few = await openRecipients({ LISTS_PER_ACCOUNT: 3 });
    try {
      const owner = await few.join();
      const from = await few.listed(owner, numbered(6_000));
      const copy = () => few.send('POST', PATH, owner, { name: 'Copy', from_list_id: from });
      for (let round = 0; round < 2; round++) {
        const id = dataOf(await copy())['list_id'] as number;
        expect((await few.send('DELETE', `${PATH}/${id}`, owner)).status).toBe(200);
      }
      expectRefused(await copy(), 400, 'At most 3 lists are allowed');
      expectRefused(await few.send('POST', PATH, owner, { name: 'x' }), 400, 'At most 3 lists are allowed');
      expect(await few.stored()).toMatchObject({ lists: 3, members: 18_000 });
      const worker = await startWorker(few.environment);
      await vi.waitFor(async () => expect(await few.stored()).toMatchObject({ lists: 1, members: 6_000 }), SOON);
      await worker.close();

      // one that was just read by a send goes when its reader must be over
      await few.part(RecipientLists).sourceOf(owner.account.id, { listId: from }, CHANNEL, 'hold');
      expect((await few.send('DELETE', `${PATH}/${from}`, owner)).status).toBe(200);
      await few.dataSource.query(
        `INSERT INTO recipient_lists (id, account_id, state, name, members, changes, fence, lease_until, due_at, created_at)
         VALUES (18, ?, 0, 'half', 0, 0, 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
        [owner.account.id],
      );
      expect((await few.send('POST', PATH, owner, { name: 'x' })).status).toBe(201);
      expectRefused(await few.send('POST', PATH, owner, { name: 'y' }), 400, 'At most 3 lists are allowed');
    } finally {
      await few.stop();
    }
  });
});
