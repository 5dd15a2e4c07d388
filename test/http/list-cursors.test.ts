import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type Campaigns, dataOf, type Json, listOf, openCampaigns } from '../support/campaigns.js';
import { expectRefused, type Member } from '../support/sms.js';
import { storeCampaign } from '../support/stored-campaign.js';

interface Operation {
  parameters?: { name: string }[];
}

const DOCUMENT = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const NUMBER = '919812345678';

/** Every list of the API, with filters that leave several of its entries; `{}` stands for what the test makes. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  '/v6/api/account/credits/ledger': ['', 'balance=gsm_credits'],
  '/v6/api/account/usage': ['group=campaign'],
  '/v6/api/account/api-keys': [''],
  '/v6/api/account/users': [''],
  '/v6/api/account/sessions': ['', 'state=active'],
  '/v6/api/campaigns': [
    '',
    'state=running',
    'channel=sms',
    'state=running&channel=sms',
    'from=2024-01-02',
    'search=spr',
  ],
  '/v6/api/campaigns/{request_id}/contacts': ['', 'status=FAILED'],
  '/v6/api/recipients': [`number=${NUMBER}`],
  '/v6/api/sender-ids': [''],
  '/v6/api/messages': ['', 'direction=outbound', `number=${NUMBER}`],
  '/v6/api/session-messages': ['', 'status=PENDING', 'scheduled=false', 'status=SENT&scheduled=true'],
  '/v6/api/suppressions': [''],
  '/v6/api/inbound-messages': ['', 'from=919812345678', 'to=57575&keyword=INFO'],
  '/v6/api/uploads': [''],
  '/v6/api/lists': [''],
  '/v6/api/lists/{list_id}/members': ['', 'number=49151'],
  '/v6/api/templates': ['', 'status=pending'],
  '/v6/api/account/log': [''],
  '/v6/api/verifications': [''],
  '/v6/api/webhooks': [''],
  '/v6/api/webhooks/{id}/attempts': [''],
  '/v6/api/admin/accounts': ['', 'search=U'],
  '/v6/api/admin/accounts/{username}/credits/ledger': ['', 'balance=gsm_credits'],
  '/v6/api/admin/accounts/{username}/api-keys': [''],
  '/v6/api/admin/accounts/{username}/suppressions': [''],
  '/v6/api/admin/accounts/{username}/users': [''],
  '/v6/api/admin/accounts/{username}/sessions': ['', 'state=active'],
  '/v6/api/admin/alarms': ['state=active'],
  '/v6/api/admin/freezes': ['', 'status=active', 'username={username}'],
  '/v6/api/admin/webhooks': ['', 'username={username}'],
  '/v6/api/admin/webhooks/{id}/attempts': [''],
  '/v6/api/admin/routes/status': [''],
  '/v6/api/admin/audit': ['', 'actor={username}'],
  '/v6/api/admin/security-log': ['', 'username={username}', 'ip=203.0.113.7', 'username={username}&ip=203.0.113.7'],
  '/v6/api/settlements': ['', 'from=2026-01-01'],
  '/v6/api/admin/templates': ['', 'status=pending'],
  '/v6/api/admin/profile-requests': ['', 'status=pending'],
  '/v6/api/admin/sender-ids': ['', 'status=pending'],
  '/v6/api/admin/chat-notices': ['', 'kind=calls'],
  '/v6/api/admin/inbound-messages': ['', 'username={username}'],
  '/v6/api/admin/inbound-numbers': [''],
  '/v6/api/admin/routes': [''],
  '/v6/api/admin/routing': [''],
  '/v6/api/admin/rates': [''],
  '/v6/api/admin/usage': ['group=campaign&account={username}'],
  '/v6/api/admin/campaigns': ['', 'state=running', 'channel=sms', 'username={username}', 'search=SPRING'],
};

/** Their rows come from several places, and none counts them all. */
const NOT_COUNTED = ['/v6/api/recipients', '/v6/api/messages'];

describe('a list', () => {
  let campaigns: Campaigns;
  let owner: Member;
  let admin: Member;
  const places: Record<string, string> = {};

  const made = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => places[name] ?? name);
  const viewer = (path: string): Member => (path.startsWith('/v6/api/admin/') ? admin : owner);
  const read = (path: string, query: string) => campaigns.get(`${made(path)}?${made(query)}`, viewer(path));
  const insert = (table: string, row: Json): Promise<unknown> => {
    const columns = Object.keys(row);
    return campaigns.dataSource.query(
      `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
      Object.values(row),
    );
  };

  beforeAll(async () => {
    campaigns = await openCampaigns();
    owner = await campaigns.join({ gsm_credits: 50, voice_credits: 5 });
    admin = await campaigns.join(0, { userType: 'admin' });
    places['username'] = owner.account.username;
    const statuses = [RecipientStatus.Failed, RecipientStatus.Delivered];
    for (let count = 0; count < 5; count++) {
      const id = await storeCampaign(campaigns.dataSource, owner, 7, statuses);
      await campaigns.dataSource.query(
        'UPDATE campaign_recipients SET receiver = ? WHERE seq IN (2, 5) AND campaign_id = ?',
        [NUMBER, await campaigns.idOf(id)],
      );
      await campaigns.dataSource.query(
        'UPDATE campaigns SET created_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE request_id = ?',
        [id],
      );
      places['request_id'] = id;
    }
    const at = new Date();
    const accountId = owner.account.id;
    for (let count = 1; count <= 5; count++) {
      const name = `n${count}`;
      await campaigns.join(0);
      await campaigns.send(owner, [`9199999${String(count).padStart(4, '0')}`]);
      await campaigns.post('/v6/api/account/api-keys', owner, { label: name });
      const person = { username: `${name}.${accountId}`, password: 'Sunny-Day-7', firstname: 'A', lastname: 'B' };
      expect((await campaigns.post('/v6/api/account/users', owner, person)).status).toBe(201);
      const hook = { url: `https://shop.example/${name}`, events: ['campaign.completed'] };
      places['id'] = String(dataOf(await campaigns.post('/v6/api/webhooks', owner, hook))['id']);
      await campaigns.post('/v6/api/suppressions', owner, { number: `49151000000${count}` });
      for (const [index, account_id] of [accountId, 0].entries())
        await insert('inbound_messages', {
          ...{ id: newId(), route_id: 7, account_id, sender: NUMBER, recipient: '57575', text: name, encoding: 'gsm7' },
          ...{ parts: 1 + index, keyword: 'INFO', received_at: at },
        });
      const session = { account_id: accountId, holder_id: accountId, device: name, address: '203.0.113.7' };
      const until = new Date(at.getTime() + 3_600_000);
      await insert('login_sessions', { id: newId(), ...session, last_used_at: at, expires_at: until, created_at: at });
      await insert('verifications', {
        ...{ id: newId(), account_id: accountId, is_test: 0, receiver: NUMBER, channels: 'sms', position: 0 },
        status: 'expired',
        ...{
          wanted: '{"ref":null,"isTest":false}',
          tries: 0,
          sends: 1,
          credits: 1,
          created_by: 'account:1:x',
          created_at: at,
          updated_at: at,
        },
        expires_at: at,
      });
      await insert('inbound_numbers', { number: name, route_id: 7, account_id: accountId, created_at: at });
      await campaigns.post('/v6/api/uploads', owner, 'to\n919812345678\n', { 'content-type': 'text/csv' });
      const list = dataOf(await campaigns.post('/v6/api/lists', owner, { name }));
      places['list_id'] = String(list['list_id']);
      const members = ['1', '2', '3', '4'].map((last) => ({ to: `4915100000${last}` }));
      await campaigns.post(`/v6/api/lists/${places['list_id']}/members`, owner, { members });
      await campaigns.post('/webhook/api/createTemplates.php', owner, { template_name: name, category: 'utility' });
      await campaigns.post('/v6/api/account/profile-request', owner, {
        verified_name: name,
        number: `4915100000${count}`,
      });
      await campaigns.addRoute(`route-${count}`, false);
      await campaigns.post(`/v6/api/admin/accounts/${owner.account.username}/credits`, admin, {
        balance: 'voice_credits',
        amount: count,
      });
      const message = { account_id: accountId, route_id: 1, receiver: NUMBER, content: '{"type":"text"}' };
      for (const [status, scheduled] of [
        [RecipientStatus.Pending, 0],
        [RecipientStatus.Submitted, 1],
      ]) {
        await insert('session_messages', {
          ...{ id: newId(), ...message, status, scheduled, provider_message_id: null },
          ...{ created_at: at, updated_at: at },
        });
      }
      await insert('webhook_attempts', {
        ...{ endpoint_id: Number(places['id']), id: count, event_id: name, type: 'campaign.completed', attempt: 1 },
        ...{ answer: '', duration_ms: 1, created_at: at },
      });
      await insert('alarms', {
        ...{ id: newId(), kind: 'route_down', subject_type: 'route', subject: name, open_key: `route_down ${name}` },
        ...{ state: 'active', message: 'down', first_seen_at: at, raised_at: at, last_seen_at: at },
      });
      await insert('account_freezes', {
        ...{ id: newId(), account_id: accountId, prefix: `9198${count}`, reason: 'burst', evidence: '{}', times: 1 },
        ...{ frozen_at: at, until_at: until },
      });
      const [moment, root] = [new Date(0).toISOString(), '00'.repeat(32)];
      const statement = JSON.stringify({
        ...{ format: 'switchboard-settlement/1', type: 'settlement', account: owner.account.username, number: count },
        ...{ previous: null, restored_at: null, request_id: `GSMCAMP_${count}`, retry_of: null, channel: 'sms' },
        ...{ balance: 'gsm_credits', state: 'completed', root, entries: { count: 0, root }, key: 'none' },
        ...{ created_at: moment, completed_at: moment, issued_at: moment },
        totals: { recipients: 0, statuses: {}, parts: 0, charged: 0, refunded: 0, net: 0 },
      });
      const settled = { id: newId(), campaign_id: count, account_id: accountId, statement };
      await insert('settlements', { ...settled, digest: Buffer.alloc(32), signature: Buffer.alloc(64) });
      await insert('rate_plans', { name, revision: 1, given: 0, created_at: at, updated_at: at });
      expect(
        (await campaigns.post('/v6/api/sender-ids', owner, { sender_id: `SHOP${count}`, channel: 'sms' })).status,
      ).toBe(201);
      await insert('routing_tables', {
        name,
        channel: 'sms',
        rules: '[]',
        rule_count: 0,
        prefixes: 0,
        version: 1,
        created_at: at,
        updated_at: at,
      });
      await insert('chat_notices', {
        ...{ route_id: 7, account_id: accountId, kind: 'calls', digest: Buffer.alloc(16, count), body: '{}', bytes: 2 },
        received_at: at,
      });
      const login = { event: 'login_failed', username: owner.account.username, ip: '203.0.113.7', times: 1 };
      await insert('security_log', { ...login, created_at: at });
      await insert('audit_log', {
        actor: owner.account.username,
        action: 'test',
        subject: name,
        details: '{}',
        created_at: at,
      });
    }
    await campaigns.dataSource.query('UPDATE webhook_attempts SET endpoint_id = ? WHERE endpoint_id <> ?', [
      Number(places['id']),
      Number(places['id']),
    ]);
  });
  afterAll(() => campaigns.stop());

  it('has a cursor, and a row in this test', () => {
    const operations = Object.entries(DOCUMENT.paths).flatMap(([path, { get }]) => (get ? [{ path, get }] : []));
    const having = (name: string): string[] =>
      operations
        .filter(({ get }) => get.parameters?.some((parameter) => parameter.name === name))
        .map(({ path }) => path);
    expect(having('cursor').toSorted()).toEqual(Object.keys(LISTS).toSorted());
    // reports show all of their records, and have pages besides
    expect(having('page').filter((path) => !having('cursor').includes(path))).toEqual([
      '/v6/api/voice/report',
      '/webhook/api/getGSMreport.php',
    ]);
  });

  const rows = Object.entries(LISTS).flatMap(([path, queries]) =>
    queries.map((query): [string, string] => [path, query]),
  );

  it.each(rows)('GET %s?%s is walked by cursor as by page', async (path, query) => {
    const whole = await read(path, `${query}&limit=1000`);
    expect(whole.status, JSON.stringify(whole.body)).toBe(200);
    const entries = listOf(whole);
    expect(entries.length).toBeGreaterThanOrEqual(3);
    expect(whole.body).toMatchObject({ total: entries.length, next_cursor: null });
    expect(Object.keys(whole.body)).not.toContain('total_is_capped');
    const byPage: unknown[] = [];
    const byCursor: unknown[] = [];
    let cursor: string | null = '';
    for (let page = 1; page <= entries.length / 2 + 1; page++) {
      byPage.push(...listOf(await read(path, `${query}&limit=2&page=${page}`)));
      if (cursor === null) continue;
      const part = await read(path, `${query}&limit=2&cursor=${cursor}`);
      expect(part.status).toBe(200);
      if (!NOT_COUNTED.includes(path)) expect(part.body['total']).toBe(entries.length);
      byCursor.push(...listOf(part));
      cursor = part.body['next_cursor'] as string | null;
    }
    expect(byPage).toEqual(entries);
    expect(byCursor).toEqual(entries);
    expect(cursor).toBeNull();
  });

  it.each(Object.entries(LISTS).map(([path, [query = '']]): [string, string] => [path, query]))(
    'GET %s?%s refuses a cursor that is none of its own',
    async (path, query) => {
      const other = path === '/v6/api/suppressions' ? '/v6/api/campaigns' : '/v6/api/suppressions';
      const foreign = (await campaigns.get(`${other}?limit=1`, owner)).body['next_cursor'];
      for (const cursor of ['nonsense', String(foreign), '%00', `${String(foreign)}&cursor=x`]) {
        expectRefused(await read(path, `${query}&cursor=${cursor}`), 400, 'cursor is invalid');
      }
    },
  );

  it.each(['/v6/api/campaigns/NONE/contacts', '/v6/api/webhooks/999999999/attempts'])(
    'GET %s checks the cursor before what the path names',
    async (path) => {
      expectRefused(await campaigns.get(`${path}?cursor=nonsense`, owner), 400, 'cursor is invalid');
      expect((await campaigns.get(path, owner)).status).toBe(404);
    },
  );

  it.each(['', '~', 'é', '\u0000', '😀', '٣', '9'.repeat(255)])(
    'takes a made-up place among texts, %j, for a place',
    async (place) => {
      for (const [path, name, viewing] of [
        ['/v6/api/suppressions', 'suppressions', owner],
        ['/v6/api/admin/routes', 'routes', admin],
        ['/v6/api/messages', 'messages', owner],
      ] as const) {
        const cursor = Buffer.from(JSON.stringify([name, place])).toString('base64url');
        const answer = await campaigns.get(`${path}?cursor=${cursor}`, viewing);
        expect([200, 400], JSON.stringify(answer.body)).toContain(answer.status);
      }
    },
  );

  it('shows nobody more by a cursor of another account', async () => {
    const stranger = await campaigns.join({ gsm_credits: 5 });
    const own = await campaigns.send(stranger, ['919999999997']);
    const later = await campaigns.send(owner, ['919999999996', '919999999995']);
    for (const path of ['/v6/api/campaigns', '/v6/api/account/credits/ledger', '/v6/api/suppressions']) {
      const { body } = await campaigns.get(`${path}?limit=1`, owner);
      const shown = await campaigns.get(`${path}?cursor=${String(body['next_cursor'])}`, stranger);
      expect(shown.status).toBe(200);
      const theirs = await campaigns.get(`${path}?limit=1000`, stranger);
      for (const entry of listOf(shown)) expect(listOf(theirs)).toContainEqual(entry);
    }
    const contacts = (await campaigns.get(`/v6/api/campaigns/${later}/contacts?limit=1`, owner)).body['next_cursor'];
    const path = `/v6/api/campaigns/${later}/contacts?cursor=${String(contacts)}`;
    expect((await campaigns.get(path, stranger)).status).toBe(404);
    const id = await campaigns.idOf(own);
    for (const viewing of [owner, stranger]) {
      const cursor = Buffer.from(JSON.stringify(['hits', `${id + 1}.0`])).toString('base64url');
      const found = await campaigns.get(`/v6/api/recipients?number=919999999997&cursor=${cursor}`, viewing);
      expect(listOf(found).map((hit) => hit['request_id'])).toEqual(viewing === stranger ? [own] : []);
    }
  });

  it('goes on behind an entry that has gone, and shows nothing twice when one is added', async () => {
    const first = await read('/v6/api/campaigns', 'limit=2');
    const added = await campaigns.send(owner, ['919999999999']);
    const [, second] = listOf(first).map((campaign) => String(campaign['request_id']));
    await campaigns.dataSource.query('UPDATE campaigns SET account_id = 0 WHERE request_id = ?', [second]);
    const rest = await read('/v6/api/campaigns', `limit=2&cursor=${String(first.body['next_cursor'])}`);
    const shown = [...listOf(first), ...listOf(rest)].map((campaign) => campaign['request_id']);
    expect(new Set(shown).size).toBe(4);
    expect(shown).not.toContain(added);
    await campaigns.dataSource.query('UPDATE campaigns SET account_id = ? WHERE request_id = ?', [
      owner.account.id,
      second,
    ]);
  });

  it('of campaigns finds a whole request id at once, however old, and nobody else’s', async () => {
    const requestId = await campaigns.send(owner, ['919999999998']);
    for (const search of [requestId, requestId.toLowerCase()]) {
      const answer = await read('/v6/api/campaigns', `search=${search}`);
      expect(listOf(answer).map((campaign) => campaign['request_id'])).toEqual([requestId]);
      expect(answer.body).toMatchObject({ total: 1, next_cursor: null });
      expect(listOf(await campaigns.get(`/v6/api/campaigns?search=${search}`, admin))).toEqual([]);
    }
    expect(listOf(await read('/v6/api/campaigns', `search=${requestId}&state=paused`))).toEqual([]);
    expect(listOf(await read('/v6/api/campaigns', `search=${requestId}&to=2024-02-01`))).toEqual([]);
  });

  it('of a recipient goes on where a bounded search stopped', async () => {
    const { total, data } = (await read('/v6/api/recipients', `number=${NUMBER}&limit=1000`)).body as unknown as {
      total: number;
      data: Json[];
    };
    expect(total).toBe(10);
    expect(data.slice(0, 3).map(({ seq }) => seq)).toEqual([2, 5, 2]);
    const half = await read('/v6/api/recipients', `number=${NUMBER}&limit=3`);
    const rest = await read(
      '/v6/api/recipients',
      `number=${NUMBER}&limit=1000&cursor=${String(half.body['next_cursor'])}`,
    );
    expect(listOf(rest)).toEqual(data.slice(3));
    expect(rest.body).toMatchObject({ total: 7, next_cursor: null, next_to: null });
  });
});
