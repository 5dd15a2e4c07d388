import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { openCampaigns, type Campaigns, type Json, listOf } from '../support/campaigns.js';
import { expectRefused, type Member } from '../support/sms.js';

const STAFF = '/v6/api/admin/search';
const OWN = '/v6/api/search';
const unique = (): string => String(Math.floor(1e9 + Math.random() * 9e9));

let campaigns: Campaigns;
let owner: Member;
let other: Member;
let admin: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  owner = await campaigns.join({ gsm_credits: 1_000 }, { timeZone: 'Asia/Kolkata' });
  other = await campaigns.join({ gsm_credits: 1_000 });
  admin = await campaigns.join(0, { userType: 'admin' });
});
afterAll(() => campaigns.stop());

const find = async (q: string, member: Member, path = member === admin ? STAFF : OWN): Promise<Json[]> =>
  listOf(await campaigns.get(`${path}?q=${encodeURIComponent(q)}`, member));
const kinds = (hits: Json[]): string[] => hits.map(({ kind, id }) => `${String(kind)} ${String(id)}`);

describe('a telephone number', () => {
  it('is found among recipients, newest first, by staff for everybody and by an account for itself', async () => {
    const number = `91${unique()}`;
    const first = await campaigns.send(owner, ['919812345678', number], { broadcast_name: 'First' });
    const second = await campaigns.send(other, [number], { broadcast_name: 'Second' });
    await campaigns.begin(first);
    await campaigns.settle(first, [2], RecipientStatus.Delivered);
    const hits = await find(`+${number.slice(0, 5)} ${number.slice(5)}`, admin);
    expect(kinds(hits)).toEqual([`recipient ${second}`, `recipient ${first}`]);
    const found = {
      kind: 'recipient',
      id: first,
      title: number,
      detail: 'sms · First',
      username: owner.account.username,
      status: 'DELIVERED',
      request_id: first,
      seq: 2,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as unknown,
    };
    expect(hits[1]).toEqual(found);
    expect(Object.keys(hits[1] ?? {}).sort()).toEqual(Object.keys(found).sort());
    expect(kinds(await find(number, owner))).toEqual([`recipient ${first}`]);
    expect((await campaigns.get(`${OWN}?q=${number}`, owner)).body).toMatchObject({ recipients_since: null });
  });

  it('is found by staff behind the newest campaigns, where it is known which account wrote to it', async () => {
    const number = `91${unique()}`;
    const id = await campaigns.send(owner, [number]);
    const newest = await campaigns.send(other, ['919812345678']);
    const pretend = (rows: number) =>
      campaigns.dataSource.query('UPDATE campaigns SET total_rows = ? WHERE request_id = ?', [rows, newest]);
    await pretend(600_000);
    const missed = await campaigns.get(`${STAFF}?q=${number}`, admin);
    expect(missed.body).toMatchObject({ data: [], recipients_since: expect.any(String) as string });
    await campaigns.dataSource.query(
      "INSERT INTO route_senders (route_id, number, sent_on, account_id) SELECT id, ?, UTC_DATE(), ? FROM routes WHERE name = 'main'",
      [number, owner.account.id],
    );
    expect(kinds(await find(number, admin))).toEqual([`recipient ${id}`]);
    await pretend(1);
  });

  it('is found among session messages too', async () => {
    const number = `49${unique()}`;
    const ids: number[] = [];
    for (const { account } of [owner, other]) {
      const id = newId();
      ids.unshift(id);
      await campaigns.dataSource.query(
        `INSERT INTO session_messages (id, account_id, route_id, receiver, content, status, scheduled, created_at, updated_at)
         VALUES (?, ?, 0, ?, '{"type":"text"}', ?, 0, NOW(), NOW())`,
        [id, account.id, number, RecipientStatus.Delivered],
      );
    }
    const hits = await find(number, admin);
    expect(kinds(hits)).toEqual(ids.map((id) => `session_message ${id}`));
    expect(hits[0]).toMatchObject({ title: number, detail: 'text', status: 'DELIVERED', seq: null, request_id: null });
    expect(kinds(await find(number, owner))).toEqual([`session_message ${String(ids[1])}`]);
  });

  it('leads to an account that is known by it', async () => {
    const mobile = `33${unique()}`;
    await campaigns.dataSource.query("INSERT INTO login_identities (kind, value, account_id) VALUES ('mobile', ?, ?)", [
      mobile,
      owner.account.id,
    ]);
    expect(kinds(await find(mobile, admin))).toEqual([`account ${owner.account.username}`]);
    expect(await find(mobile, other)).toEqual([]);
  });
});

describe('a request id', () => {
  it('is found whole, by its beginning and in any case, within the account', async () => {
    const id = `order-${randomUUID()}`;
    const whole = await campaigns.send(owner, ['919812345678'], { providermessageid: id });
    expect(whole).toBe(id);
    for (const q of [id, id.slice(0, 20)]) {
      expect(kinds(await find(q, admin))).toEqual([`campaign ${id}`]);
      expect(kinds(await find(q, owner))).toEqual([`campaign ${id}`]);
      expect(await find(q, other)).toEqual([]);
    }
    const made = await campaigns.send(owner, ['919812345678']);
    expect(kinds(await find(made.toLowerCase(), admin))[0]).toBe(`campaign ${made}`);
    expect(kinds(await find(made.slice(0, -1), owner))[0]).toBe(`campaign ${made}`);
  });
});

describe('a name', () => {
  it('of a campaign is found by any part of it', async () => {
    const word = `Wort${unique()}`;
    const id = await campaigns.send(owner, ['919812345678'], { broadcast_name: `Das ${word} 100%` });
    const [hit] = await find(word.toLowerCase(), admin);
    expect(hit).toMatchObject({ kind: 'campaign', id, title: `Das ${word} 100%`, status: 'accepted' });
    expect(hit).toMatchObject({ detail: `sms · ${id}`, username: owner.account.username });
    expect(await find(word, other)).toEqual([]);
  });

  it('of a template is found by its beginning', async () => {
    const name = `offer_${unique()}`;
    for (const member of [owner, other]) {
      const answer = await campaigns.post('/webhook/api/createTemplates.php', member, {
        template_name: name,
        category: 'utility',
        template_body: 'Hello',
      });
      expect(answer.status).toBe(200);
    }
    const hits = await find(name.slice(0, -1).toUpperCase(), admin);
    expect(hits.map(({ username }) => username)).toEqual([other.account.username, owner.account.username]);
    expect(hits[0]).toMatchObject({ kind: 'template', title: name, detail: 'utility · en_US', status: 'pending' });
    expect((await find(name, owner)).map(({ username }) => username)).toEqual([owner.account.username]);
    expect(await find(`${name.slice(0, 5)}%`, admin)).toEqual([]);
  });

  it('of an account is found by username, e-mail, first and last name', async () => {
    const mark = `q${unique()}`;
    await campaigns.dataSource.query('UPDATE accounts SET firstname = ?, lastname = ?, is_active = 0 WHERE id = ?', [
      `${mark.charAt(0).toUpperCase()}${mark.slice(1)}`,
      'Meyer',
      other.account.id,
    ]);
    await campaigns.dataSource.query("INSERT INTO login_identities (kind, value, account_id) VALUES ('email', ?, ?)", [
      `${mark}@example.com`,
      owner.account.id,
    ]);
    expect(kinds(await find(mark, admin)).sort()).toEqual(
      [`account ${owner.account.username}`, `account ${other.account.username}`].sort(),
    );
    const [named] = await find(`${mark} mey`, admin);
    expect(named).toMatchObject({ id: other.account.username, status: 'inactive', title: other.account.username });
    expect(String(named?.['detail'])).toMatch(/^Q\d+ Meyer/);
    expect(kinds(await find(owner.account.username.slice(0, 10).toUpperCase(), admin))).toContain(
      `account ${owner.account.username}`,
    );
    await campaigns.dataSource.query('UPDATE accounts SET is_active = 1 WHERE id = ?', [other.account.id]);
  });
});

describe('rights and errors', () => {
  it('lets a reseller find its own clients alone', async () => {
    const reseller = await campaigns.join(0, { userType: 'reseller' });
    const client = await campaigns.join(0);
    await campaigns.dataSource.query('UPDATE accounts SET parent_id = ? WHERE id = ?', [
      reseller.account.id,
      client.account.id,
    ]);
    expect(kinds(await find(client.account.username, reseller))).toEqual([`account ${client.account.username}`]);
    expect(await find(owner.account.username, reseller)).toEqual([]);
    expect(await find(client.account.username, owner)).toEqual([]);
    expectRefused(await campaigns.get(`${STAFF}?q=abc`, reseller), 403, 'Forbidden');
    expectRefused(await campaigns.get(`${STAFF}?q=abc`, owner), 403, 'Forbidden');
    expectRefused(await campaigns.get(`${STAFF}?q=abc`, null), 401, 'Invalid Authorization token');
    expectRefused(await campaigns.get(`${OWN}?q=abc`, null), 401, 'Invalid Authorization token');
  });

  it.each([STAFF, OWN])('%s says what is wrong with the text', async (path) => {
    const get = (query: string) => campaigns.get(`${path}${query}`, admin);
    expectRefused(await get(''), 400, 'q is required');
    expectRefused(await get('?q=%20'), 400, 'q is required');
    expectRefused(await get('?q=abc&q=def'), 400, 'q is invalid');
    expectRefused(await get('?q=%20ab%20'), 400, 'q must have at least 3 characters');
    expectRefused(await get(`?q=${'x'.repeat(101)}`), 400, 'q must be at most 100 characters');
    for (const odd of ['%%%', "'; --", '\\\\\\', '\u0000abc', '😀😀😀', '+++', '12345678901234567890123456789012']) {
      expect((await get(`?q=${encodeURIComponent(odd)}`)).status).toBe(200);
    }
  });

  it.each([STAFF, OWN])('%s: one search for a number of an account at a time', async (path) => {
    const number = `91${unique()}`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => campaigns.get(`${path}?q=${number}`, admin)));
    expect(answers.map(({ status }) => status)).toContain(429);
    expect(answers.map(({ status }) => status)).toContain(200);
  });
});

describe('every look', () => {
  it('is a range of its index', async () => {
    for (const [sql, key] of [
      [
        "SELECT id FROM campaigns FORCE INDEX (uq_campaigns_request) WHERE request_id >= 'A' AND request_id < 'A~' ORDER BY request_id DESC LIMIT 5",
        'uq_campaigns_request',
      ],
      [
        "SELECT account_id, value FROM login_identities FORCE INDEX (PRIMARY) WHERE kind = 'email' AND value LIKE 'a%' ORDER BY value LIMIT 5",
        'PRIMARY',
      ],
      [
        "SELECT id FROM accounts FORCE INDEX (ix_accounts_firstname) WHERE firstname LIKE 'A%' ORDER BY firstname LIMIT 5",
        'ix_accounts_firstname',
      ],
      [
        "SELECT id FROM templates FORCE INDEX (ix_templates_name) WHERE name LIKE 'a%' ORDER BY name LIMIT 5",
        'ix_templates_name',
      ],
      [
        "SELECT id, account_id FROM session_messages FORCE INDEX (ix_session_messages_receiver) WHERE receiver = '1' ORDER BY id DESC LIMIT 5",
        'ix_session_messages_receiver',
      ],
    ] as const) {
      const [plan] = await campaigns.dataSource.query<{ key: string; Extra: string | null; type: string }[]>(
        `EXPLAIN FORMAT=TRADITIONAL ${sql}`,
      );
      expect(plan?.key).toBe(key);
      expect(['range', 'ref']).toContain(plan?.type);
      expect(plan?.Extra ?? '').not.toContain('filesort');
    }
  });
});
