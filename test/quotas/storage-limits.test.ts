import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AudioLibrary } from '../../src/modules/audio/index.js';
import { AudioStore } from '../../src/modules/audio/audio.store.js';
import { Leftovers } from '../../src/modules/recipient-lists/leftovers.store.js';
import { newId } from '../../src/kernel/ids.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { FileServer, toneWav } from '../support/audio-files.js';
import { csvOf, numbered, openRecipients, type Recipients } from '../support/recipients.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { voiceOf } from '../support/voice.js';
import { StoredBytes1700000019610 } from '../../src/platform/database/migrations/1700000019610-stored-bytes.js';

const LISTS = '/v6/api/lists';
const LIMIT = 1_000_000;
const FULL = `At most ${LIMIT} stored bytes are allowed`;
/** A number of twelve digits without variables. */
const RECIPIENT = 64 + 12;

let recipients: Recipients;
let member: Member;
const files = new FileServer();

beforeAll(async () => {
  await files.listen();
  recipients = await openRecipients({ STORAGE_PER_ACCOUNT: LIMIT, OUTBOUND_ALLOW: '127.0.0.1/32' });
  await voiceOf(recipients.api).addVoiceRoute();
});
afterAll(async () => {
  await recipients.stop();
  files.close();
});
beforeEach(async () => {
  member = await recipients.join({ gsm_credits: 100_000, voice_credits: 100_000 });
});

/** What the account is told. */
async function stored(of: Member = member): Promise<number> {
  const { body } = await recipients.get('/v6/api/account/usage', of);
  const { bytes, limit } = body['storage'] as { bytes: number; limit: number };
  expect(limit).toBe(LIMIT);
  return bytes;
}

/** What stands in the tables, counted row by row. */
async function found(): Promise<number> {
  const recipient = '64 + LENGTH(r.number) + COALESCE(LENGTH(r.variables), 0)';
  const [row] = await recipients.dataSource.query<{ bytes: number | string | null }[]>(
    `SELECT SUM(bytes) AS bytes FROM (
       SELECT ${recipient} AS bytes FROM recipient_uploads h JOIN recipient_upload_rows r ON r.upload_id = h.id
         WHERE h.account_id = ?
       UNION ALL SELECT 64 + LENGTH(s.fault) FROM recipient_uploads h JOIN recipient_upload_skips s ON s.upload_id = h.id
         WHERE h.account_id = ?
       UNION ALL SELECT ${recipient} FROM recipient_lists h JOIN recipient_list_members r ON r.list_id = h.id
         WHERE h.account_id = ?
       UNION ALL SELECT LENGTH(c.bytes) FROM audio_files a JOIN audio_chunks c ON c.audio_id = a.id WHERE a.account_id = ?
       UNION ALL SELECT 64 + LENGTH(name) + LENGTH(body) + LENGTH(body_examples) + LENGTH(footer) + LENGTH(quick_replies)
         + LENGTH(header_text) + COALESCE(LENGTH(header_example_url), 0) FROM templates WHERE account_id = ?) each_row`,
    Array.from({ length: 5 }, () => member.account.id),
  );
  return Number(row?.bytes ?? 0);
}

const expectStored = async (bytes: number): Promise<void> => {
  expect([await stored(), await found()]).toEqual([bytes, bytes]);
};
afterEach(async () => expect(await stored()).toBe(await found()));

const copy = (from: number): Promise<Answer> =>
  recipients.send('POST', LISTS, member, { name: 'Copy', from_list_id: from });
const add = (id: number, body: Json): Promise<Answer> =>
  recipients.send('POST', `${LISTS}/${id}/members`, member, body);
const remove = async (path: string): Promise<void> => {
  expect((await recipients.send('DELETE', path, member)).status).toBe(200);
};
const expectFull = (answer: Answer): void => {
  expectRefused(answer, 400, FULL);
};
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).toSorted();

describe('lists', () => {
  it('count each member by its number and variables, once', async () => {
    const id = await recipients.listed(member, numbered(2));
    await expectStored(2 * RECIPIENT);
    const variables = { name: 'Åsa 🎉' };
    const kept = Buffer.byteLength(JSON.stringify(variables));
    const [first, second, third] = numbered(3);
    await add(id, { members: [{ ...first, variables }, second, third] });
    await expectStored(3 * RECIPIENT + kept);
    await add(id, { members: [first] }); // without variables the earlier ones stay
    await expectStored(3 * RECIPIENT + kept);
    await add(id, { members: [{ ...first, variables: { name: 'A' } }] });
    await expectStored(3 * RECIPIENT + '{"name":"A"}'.length);
    await remove(`${LISTS}/${id}/members/${String(first?.to)}`);
    await expectStored(2 * RECIPIENT);
    await remove(`${LISTS}/${id}`);
    await expectStored(0);
  });

  it('of another account are not touched', async () => {
    const other = await recipients.join();
    await recipients.listed(other, numbered(5));
    await recipients.listed(member, numbered(1));
    expect(await stored(other)).toBe(5 * RECIPIENT);
    await expectStored(RECIPIENT);
  });

  it('copied at once are no more than may be stored', async () => {
    const from = await recipients.listed(member, numbered(2_500)); // 190,000 bytes
    expect(statuses(await Promise.all([1, 2, 3, 4].map(() => copy(from))))).toEqual([201, 201, 201, 201]);
    await expectStored(5 * 2_500 * RECIPIENT);
    expectFull(await copy(from));
    await expectStored(5 * 2_500 * RECIPIENT);
    const half = await recipients.listed(member, numbered(300));
    const raced = await Promise.all([copy(half), copy(half), copy(half)]);
    expect(statuses(raced)).toEqual([201, 400, 400]);
    await expectStored((5 * 2_500 + 2 * 300) * RECIPIENT);
  });

  it('filled at once stop at the bound, with what was added before it', async () => {
    const upload = await recipients.uploaded(member, csvOf(3_000)); // 262,890 bytes, of which the first step adds 174,890
    const [one, two] = [await recipients.listed(member), await recipients.listed(member)];
    const rest = await recipients.listed(member, numbered(7_000)); // leaves 205,110 bytes
    const answers = await Promise.all([add(one, { upload_id: upload }), add(two, { upload_id: upload })]);
    answers.forEach(expectFull);
    await expectStored(262_890 + 7_000 * RECIPIENT + 174_890);
    const members = await recipients.dataSource.query<{ n: number }[]>(
      'SELECT members AS n FROM recipient_lists WHERE id IN (?) ORDER BY members',
      [[one, two]],
    );
    expect(members.map(({ n }) => n)).toEqual([0, 2_000]);
    await remove(`${LISTS}/${rest}`);
    await recipients.part(Leftovers).sweep();
    for (const id of [one, two]) expect((await add(id, { upload_id: upload })).status).toBe(200);
    await expectStored(3 * 262_890);
  });

  it('give their bytes back once, when a sweep of many members was broken off', async () => {
    const id = await recipients.listed(member, numbered(8_000));
    await remove(`${LISTS}/${id}`);
    // more than a step: they count until the last of them is gone
    await expectStored(8_000 * RECIPIENT);
    let asked = 0;
    await recipients.part(Leftovers).sweep(() => ++asked > 4); // stops between two steps
    const [left] = await recipients.dataSource.query<{ n: number }[]>(
      'SELECT COUNT(*) AS n FROM recipient_list_members WHERE list_id = ?',
      [id],
    );
    expect(Number(left?.n)).toBe(3_000);
    expect(await stored()).toBe(8_000 * RECIPIENT);
    await recipients.dataSource.query(
      'UPDATE recipient_lists SET lease_until = NULL, due_at = UTC_TIMESTAMP(3) WHERE id = ?',
      [id],
    );
    await Promise.all([recipients.part(Leftovers).sweep(), recipients.part(Leftovers).sweep()]);
    await recipients.part(Leftovers).sweep();
    await expectStored(0);
  });
});

describe('uploads', () => {
  it('count their rows until they have expired', async () => {
    await recipients.uploaded(member, csvOf(10));
    await expectStored(10 * (RECIPIENT + '{"n":"0"}'.length));
    await recipients.clearUploads();
    await expectStored(0);
  });

  it('at once are no more than may be stored, and leave nothing when refused', async () => {
    const file = csvOf(4_000); // 350,890 bytes
    const answers = await Promise.all([1, 2, 3, 4].map(() => recipients.upload(member, file)));
    expect(answers.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(2);
    for (const answer of answers) if (answer.status !== 201) expectFull(answer);
    expect(await stored()).toBe(await found());
    expect(await stored()).toBeLessThanOrEqual(LIMIT);
    const one = await recipients.upload(member, csvOf(12_000));
    expectFull(one);
    expect(one.headers.get('content-type')).toContain('application/json');
    expect(await stored()).toBe(await found());
  });

  it('of a killed writer count until the sweeper has removed them', async () => {
    const id = await recipients.uploaded(member, csvOf(7));
    await recipients.dataSource.query(
      'UPDATE recipient_uploads SET state = 0, due_at = UTC_TIMESTAMP(3), lease_until = UTC_TIMESTAMP(3) WHERE id = ?',
      [id],
    );
    await expectStored(7 * (RECIPIENT + '{"n":"0"}'.length));
    await recipients.part(Leftovers).sweep();
    await recipients.part(Leftovers).sweep();
    await expectStored(0);
  });

  it('beyond a bound that was lowered stay, and nothing is added', async () => {
    const id = await recipients.listed(member, numbered(10));
    await recipients.dataSource.query('UPDATE account_storage SET bytes = bytes + ? WHERE account_id = ?', [
      LIMIT,
      member.account.id,
    ]);
    expectFull(await add(id, { members: numbered(1, 10) }));
    await remove(`${LISTS}/${id}/members/${String(numbered(1)[0]?.to)}`);
    expect(await stored()).toBe(LIMIT + 9 * RECIPIENT);
    await recipients.dataSource.query('UPDATE account_storage SET bytes = 100 WHERE account_id = ?', [
      member.account.id,
    ]);
    await remove(`${LISTS}/${id}`); // less is counted than it gives back
    await expectStored(0);
  });
});

describe('templates', () => {
  const PATH = '/webhook/api/createTemplates.php';
  const body = (name: string, text: string): Json => ({
    template_name: name,
    category: 'marketing',
    template_body: text,
  });
  const create = (sent: Json): Promise<Answer> => recipients.send('POST', PATH, member, sent);
  /** Leaves room for so many bytes. */
  const leave = async (bytes: number): Promise<void> => {
    await recipients.dataSource.query('UPDATE account_storage SET bytes = ? WHERE account_id = ?', [
      LIMIT - bytes,
      member.account.id,
    ]);
  };

  it('count their texts, change by change', async () => {
    const made = await create(body('greeting', 'Hello'));
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    const base = await found();
    await expectStored(base);
    expect(base).toBe(64 + 'greeting'.length + 'Hello'.length + '[]'.length * 2);
    const id = (made.body['template_id'] ?? dataOf(made)['template_id']) as number;
    const change = (text: string): Promise<Answer> =>
      recipients.send('PUT', `/v6/api/templates/${id}`, member, { template_body: text });
    expect((await change('Grüezi mitenand')).status).toBe(200);
    await expectStored(base - 'Hello'.length + Buffer.byteLength('Grüezi mitenand'));
    expect((await change('Hi')).status).toBe(200);
    await expectStored(base - 'Hello'.length + 'Hi'.length);
    await leave(10);
    expectFull(await change('x'.repeat(13)));
    expect((await change('x'.repeat(12))).status).toBe(200);
    expect(await stored()).toBe(LIMIT);
    await leave(LIMIT - (await found()));
    await remove(`/v6/api/templates/${id}`);
    await expectStored(0);
  });

  it('are refused by their own table of errors first', async () => {
    await create(body('taken', 'Hello'));
    const bytes = await found();
    await leave(0);
    expectRefused(await create(body('', 'Hello')), 400, 'template_name is required');
    expectRefused(await create(body('taken', 'Hello')), 409, 'This template name is already exist');
    const refused = await create(body('other', 'Hello'));
    expectFull(refused);
    await leave(LIMIT - bytes);
    await expectStored(bytes);
  });

  it('at once are no more than may be stored', async () => {
    const { length } = 'name0';
    const size = 64 + length + 4_000 + 4;
    await create(body('first', 'x'));
    const before = await found();
    await leave(2 * size + 1);
    const answers = await Promise.all([0, 1, 2, 3, 4].map((at) => create(body(`name${at}`, 'y'.repeat(4_000)))));
    expect(statuses(answers)).toEqual([200, 200, 400, 400, 400]);
    await leave(LIMIT - before - 2 * size);
    await expectStored(before + 2 * size);
  });
});

describe('audio', () => {
  const send = (audio_url: string, of: Member = member): Promise<Answer> =>
    recipients.post('/v6/api/v1/voice/send', of, {
      broadcast_name: 'Call',
      audio_url,
      contacts: ['919812345678'],
    });

  it('counts for the account that brought it first, until nothing plays it', async () => {
    const file = toneWav(8_003);
    const url = files.put('/first.wav', file);
    const other = await recipients.join({ voice_credits: 1_000 });
    const sent = await send(url);
    expect(sent.status, JSON.stringify(sent.body)).toBe(200);
    expect((await send(url)).status).toBe(200);
    expect((await send(url, other)).status).toBe(200);
    await expectStored(file.length);
    expect(await stored(other)).toBe(0);

    const ids = await recipients.dataSource.query<{ id: number }[]>('SELECT id FROM audio_files WHERE account_id = ?', [
      member.account.id,
    ]);
    await recipients.dataSource.query('DELETE FROM campaign_audio WHERE audio_id = ?', [ids[0]?.id]);
    const store = recipients.part(AudioStore);
    await store.markUnused(0);
    await store.sweep(new Date(Date.now() - 60_000));
    await expectStored(file.length); // marked just now
    await Promise.all([store.sweep(new Date(Date.now() + 60_000)), store.sweep(new Date(Date.now() + 60_000))]);
    await expectStored(0);
  });

  it('beyond the bound refuses the campaign, and charges nothing', async () => {
    await recipients.listed(member, numbered(1));
    const before = await stored();
    await recipients.dataSource.query('UPDATE account_storage SET bytes = ? WHERE account_id = ?', [
      LIMIT - 1_000,
      member.account.id,
    ]);
    const credits = async (): Promise<unknown> =>
      (await recipients.get('/v6/api/account/credits', member)).body['data'];
    const had = await credits();
    expectFull(await send(files.put('/second.wav', toneWav(16_001))));
    expect(await credits()).toEqual(had);
    const poor = await recipients.join({ voice_credits: 0 });
    const refused = await send(files.put('/third.wav', toneWav(16_003)), poor);
    expect(String(refused.body['message'] ?? refused.body['error'])).toContain('Insufficient credits');
    await recipients.dataSource.query('UPDATE account_storage SET bytes = ? WHERE account_id = ?', [
      before,
      member.account.id,
    ]);
    await expectStored(before);
  });

  it('of several clips kept at once waits for no other of the account', async () => {
    const library = recipients.part(AudioLibrary);
    const { id: accountId } = member.account;
    const drafts = await Promise.all(
      [21_001, 21_003, 21_005, 21_007].map((samples) =>
        library.fetch(files.put(`/${samples}.wav`, toneWav(samples)), accountId),
      ),
    );
    const [a, b, c, d] = drafts as [(typeof drafts)[0], (typeof drafts)[0], (typeof drafts)[0], (typeof drafts)[0]];
    await Promise.all(
      [
        [a, b],
        [d, c],
      ].map((sounds) =>
        recipients.dataSource.transaction((tx) => library.keep(tx, { id: newId(), accountId }, sounds)),
      ),
    );
    await expectStored([21_001, 21_003, 21_005, 21_007].reduce((sum, samples) => sum + toneWav(samples).length, 0));
  });
});

describe('the migration', () => {
  it('counts what is there', async () => {
    await recipients.listed(member, [{ ...numbered(1)[0], variables: { n: 'ö' } }, ...numbered(3, 1)]);
    await recipients.uploaded(member, csvOf(4));
    const key = createHash('sha256').update(String(member.account.id)).digest('hex').slice(0, 8);
    await recipients.send('POST', '/webhook/api/createTemplates.php', member, {
      template_name: `m_${key}`,
      category: 'utility',
      template_body: 'Grüezi',
    });
    const file = toneWav(24_001);
    const call = { broadcast_name: 'Call', audio_url: files.put('/m.wav', file), contacts: ['919812345678'] };
    expect((await recipients.post('/v6/api/v1/voice/send', member, call)).status).toBe(200);
    const bytes = await found();
    await expectStored(bytes);
    const runner = recipients.dataSource.createQueryRunner();
    try {
      const migration = new StoredBytes1700000019610();
      await migration.down(runner);
      await migration.up(runner);
      await migration.up(runner); // a first run that was broken off
    } finally {
      await runner.release();
    }
    await expectStored(bytes);
    await recipients.clearUploads();
    await expectStored(bytes - 4 * (RECIPIENT + '{"n":"0"}'.length));
  });
});
