import { setTimeout as sleep } from 'node:timers/promises';
import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { type Installation, openInstallation } from '../support/installation.js';
import type { Answer } from '../support/sms.js';
import { until } from '../support/processes.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { startWorker } from '../support/worker.js';

/** What a test must leave byte for byte as it was. */
const MONEY = [
  ...['credit_balances', 'credit_ledger', 'credit_months', 'usage_counters', 'route_spend', 'chat_prices'],
  ...['traffic_minutes', 'traffic_hours', 'route_senders', 'chat_number_pairs', 'account_quotas', 'suppressions'],
];
/** Above the interval in which statistics are written. */
const STATISTICS_MS = 6_000;
const N = (digits: string): string => `919812345${digits}`;
const FATES = ['001', '404', '429', '500', '603'].map(N);
const PATIENCE_MS = 60_000;

let all: Installation;
let worker: TestingModule;
let receiver: WebhookReceiver;
let testKey: string;
let liveKey: string;

type Body = Json & { request_id?: string };
const keyed = (key: string): Record<string, string> => ({ 'x-api-key': key });
const post = (path: string, body: unknown, key = testKey, headers: Record<string, string> = {}): Promise<Answer> =>
  all.post(path, null, body, { ...keyed(key), ...headers });
const get = (path: string, key = testKey): Promise<Answer> => all.request(path, { headers: keyed(key) });
const name = (): string => all.owner.account.username;

async function money(): Promise<Map<string, string>> {
  const rows = await Promise.all(
    MONEY.map(async (table) => [table, JSON.stringify(await all.dataSource.query(`SELECT * FROM ${table}`))] as const),
  );
  return new Map(rows);
}

/** Runs test sends, after which no row of these tables differs and no message has reached the provider. */
async function untouched(work: () => Promise<void>): Promise<void> {
  await sleep(STATISTICS_MS);
  const [before, calls] = [await money(), all.upstream.calls.length];
  await work();
  await sleep(STATISTICS_MS);
  const after = await money();
  expect(MONEY.filter((table) => after.get(table) !== before.get(table))).toEqual([]);
  expect(all.upstream.calls.length).toBe(calls);
}

const sms = (fields: Json = {}): Json => ({
  ...{ broadcast_name: 'Try', brodcast_service: 'main', message: 'Hello', contacts: FATES },
  ...fields,
});

async function accepted(path: string, body: unknown, key = testKey): Promise<string> {
  const answer = await post(path, body, key);
  expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return String((answer.body as Body).request_id ?? dataOf(answer)['request_id'] ?? dataOf(answer)['id']);
}

async function completed(requestId: string, key = testKey): Promise<Json> {
  let found: Json = {};
  await until(
    'it is completed',
    async () => {
      found = dataOf(await get(`/v6/api/campaigns/${requestId}`, key));
      return found['state'] === 'completed';
    },
    PATIENCE_MS,
  );
  return found;
}

const created = async (body: Json): Promise<string> =>
  String(dataOf(await all.post('/v6/api/account/api-keys', all.owner, body))['key']);

beforeAll(async () => {
  all = await openInstallation({ WEBHOOK_RETRY_DELAYS: [0] });
  worker = await startWorker({ ...all.environment, WEBHOOK_TIMEOUT: 10_000 });
  receiver = await WebhookReceiver.open();
  [testKey, liveKey] = [await created({ name: 'Try', mode: 'test' }), await created({ name: 'Live' })];
  const events = ['gsm.status.update', 'voice.status.update', 'chat.status.update', 'campaign.completed'];
  await all.post('/v6/api/webhooks', all.owner, { url: receiver.url('/events'), events });
}, 120_000);
afterAll(async () => {
  await worker.close();
  await receiver.stop();
  await all.stop();
});

describe('a test key', () => {
  it('is one from birth, and says so', async () => {
    expect(testKey).toMatch(/^swb_test_[0-9A-Za-z]{49}$/);
    const listed = listOf(await all.get('/v6/api/account/api-keys', all.owner));
    expect(listed.slice(0, 2).map(({ mode }) => mode)).toEqual(['live', 'test']);
    const wrong = await all.post('/v6/api/account/api-keys', all.owner, { mode: 'both' });
    expect([wrong.status, wrong.body.message]).toEqual([400, 'mode must be one of: live, test']);
  });

  it('sends over every channel: outcomes by number, nothing leaves, nothing is charged or counted', async () => {
    await untouched(async () => {
      const template = { name: 'order_ready', language: { code: 'en_US' } };
      const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Asha' }] }];
      const chat = { messaging_product: 'chat', type: 'template', template: { ...template, components } };
      const to = FATES;
      const sends = {
        sms: await accepted('/webhook/api/addbroadcastgsm.php', sms()),
        unofficial: await accepted(
          '/webhook/api/addbroadcastUnofficial.php',
          sms({ img1: 'https://example.com/picture.png' }),
        ),
        template: await accepted(`/v6/api/chatTemplate/24/${name()}/messages`, { ...chat, to }),
        branded: await accepted(`/v6/api/chatBranded/24/${name()}/messages`, { ...chat, to }),
        bulk: await accepted('/v6/api/campaigns', {
          ...{ channel: 'sms', broadcast_name: 'Each', message: 'Hello {{name}}' },
          recipients: to.map((number) => ({ to: number, variables: { name: 'Asha' } })),
        }),
      };
      for (const [channel, id] of Object.entries(sends)) {
        const campaign = await completed(id);
        expect(campaign, channel).toMatchObject({
          ...{ test: true, total_rows: 5, credits: 5, refunded_credits: 0, route: 'test' },
          status_counts: { DELIVERED: 3, FAILED: 2 },
        });
        const contacts = listOf(await get(`/v6/api/campaigns/${id}/contacts`));
        expect(contacts.map(({ error_code: code }) => code)).toEqual([null, 404, null, null, 603]);
      }
    });
  }, 120_000);

  it('makes calls that nobody hears: no approval, retries and outcomes by number', async () => {
    await untouched(async () => {
      const contacts = ['001', '404', '480', '486'].map(N);
      const menu = { rows: [{ digit: '1', action: 'transfer', number: N('002') }] };
      const call = { broadcast_name: 'Call', audio_url: all.audio.url(1_000), contacts, dtmf_flow: menu };
      const answer = await post('/v6/api/v1/voice/send', call);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(answer.headers.get('switchboard-warnings')).toBe('[{"code":"test"}]');
      const id = String((answer.body as Body).request_id);
      const counts = { ANSWERED: 1, FAILED: 1, NO_ANSWER: 1, BUSY: 1 };
      expect((await completed(id))['status_counts']).toEqual(counts);
      const report = await get(`/v6/api/voice/report?request_id=${id}`);
      const { records } = report.body['data'] as { records: Json[] };
      expect(records.map(({ duration }) => duration)).toEqual([10, 0, 0, 0]);
    });
  }, 120_000);

  it('sends session messages without the provider and its window', async () => {
    await untouched(async () => {
      const session = { messaging_product: 'chat', to: N('001'), type: 'text', text: { body: 'Hello' } };
      const sent = await post(`/v6/api/chat/24/${name()}/messages`, session);
      expect(sent.body).toEqual({
        messaging_product: 'chat',
        contacts: [{ input: N('001'), wa_id: N('001') }],
        messages: [{ id: expect.stringMatching(/^test-/) as string }],
      });
      const refused = await post(`/v6/api/chat/24/${name()}/messages`, { ...session, to: N('603') });
      expect([refused.status, refused.body.message]).toEqual([502, 'Message refused']);
      const v5 = { contacts: N('002'), broadcast_message: 'Hello', broadcast_name: 'Old' };
      expect((await post('/v5/api/session.php', v5)).status).toBe(200);
      const later = { channel: 'session', to: `+${N('003')}`, text: 'Later', schedule_time: soon(1_500) };
      const id = await accepted('/v6/api/messages', later);
      await until(
        'it is delivered',
        async () => dataOf(await get(`/v6/api/messages/${id}`))['status'] === 'delivered',
        PATIENCE_MS,
      );
      const listed = listOf(await get('/v6/api/session-messages'));
      expect(listed.map(({ to, status, test }) => [to, status, test])).toEqual([
        [N('003'), 'DELIVERED', true],
        [N('002'), 'DELIVERED', true],
        [N('603'), 'FAILED', true],
        [N('001'), 'DELIVERED', true],
      ]);
    });
  }, 60_000);

  it('sends messages that come back with test: true in answer and events', async () => {
    const body = { channel: 'sms', to: `+${N('001')}`, text: 'Hello', client_ref: 'order-1' };
    const answer = await post('/v6/api/messages', body);
    expect(dataOf(answer)).toMatchObject({ credits: 1, test: true });
    const id = String(dataOf(answer)['id']);
    await until(
      'it is delivered',
      async () => dataOf(await get(`/v6/api/messages/${id}`))['status'] === 'delivered',
      PATIENCE_MS,
    );
    const mine = () => receiver.deliveries.filter(({ body: event }) => event['message_id'] === id);
    await until('its events come', () => Promise.resolve(mine().length === 3), PATIENCE_MS);
    expect(mine().every(({ body: event }) => event['test'] === true)).toBe(true);
    expect(mine().map(({ body: event }) => event['status'] ?? event['event'])).toEqual(
      expect.arrayContaining(['SENT', 'DELIVERED', 'campaign.completed']),
    );
    // the same reference and key may stand for a live message
    const live = dataOf(await post('/v6/api/messages', body, liveKey));
    expect(live).toMatchObject({ test: false });
    expect(live['id']).not.toBe(id);
  }, 60_000);

  it('validates as live: credits, fields, senders', async () => {
    const many = Array.from({ length: 100 }, (_, index) => `9198${String(index).padStart(8, '0')}`);
    await all.dataSource.query(
      "UPDATE credit_balances SET available = 50 WHERE account_id = ? AND balance = 'gsm_credits'",
      [all.victim.account.id],
    );
    const key = String(
      dataOf(await all.post('/v6/api/account/api-keys', all.victim, { mode: 'test', name: 'Poor' }))['key'],
    );
    for (const contacts of [many, many.slice(0, 51)]) {
      const short = await post('/webhook/api/addbroadcastgsm.php', sms({ contacts }), key);
      expect(short.body.message).toBe(`Insufficient credits. Available: 50, Required: ${contacts.length}`);
    }
    for (let tries = 0; tries < 3; tries++) {
      expect((await post('/webhook/api/addbroadcastgsm.php', sms({ contacts: many.slice(0, 40) }), key)).status).toBe(
        200,
      );
    }
    const faulty = await post('/webhook/api/addbroadcastgsm.php', sms({ contacts: ['1'] }));
    expect(faulty.body.message).toBe('Each contact number must be between 9 and 30 digits');
  });

  it('needs no route', async () => {
    await all.dataSource.query("UPDATE routes SET default_for = NULL WHERE channel = 'sms'");
    await sleep(2_500);
    const body = sms({ contacts: [N('001')], brodcast_service: 'none' });
    expect((await post('/webhook/api/addbroadcastgsm.php', body, liveKey)).status).toBe(503);
    expect((await completed(await accepted('/webhook/api/addbroadcastgsm.php', body)))['status']).toBe('Completed');
    await all.dataSource.query("UPDATE routes SET default_for = 'sms' WHERE name = 'main'");
    await sleep(2_500);
  }, 30_000);

  it('keeps ids and keys apart from live ones', async () => {
    const given = sms({ contacts: [N('001')], providermessageid: 'own-1' });
    const id = await accepted('/webhook/api/addbroadcastgsm.php', given);
    expect(await accepted('/webhook/api/addbroadcastgsm.php', given)).toBe(id);
    const live = await post('/webhook/api/addbroadcastgsm.php', given, liveKey);
    expect([live.status, live.body.message]).toEqual([409, 'request_id already exists']);
    const once = { 'idempotency-key': 'once' };
    const [test, again, real] = await Promise.all([
      post('/webhook/api/addbroadcastgsm.php', sms(), testKey, once),
      sleep(300).then(() => post('/webhook/api/addbroadcastgsm.php', sms(), testKey, once)),
      post('/webhook/api/addbroadcastgsm.php', sms(), liveKey, once),
    ]);
    expect(again.body).toEqual(test.body);
    expect(real.body['request_id']).not.toBe(test.body['request_id']);
  });

  it('cancels, pauses and retries tests only, and refunds nothing', async () => {
    await untouched(async () => {
      const id = await accepted('/webhook/api/addbroadcastgsm.php', sms({ schedule_time: '2099-01-01 00:00:00' }));
      expect(dataOf(await get(`/v6/api/campaigns/${id}`))['refund_if_cancelled']).toBe(0);
      expect((await post(`/v6/api/campaigns/${id}/pause`, {})).status).toBe(200);
      expect((await post(`/v6/api/campaigns/${id}/cancel`, {})).status).toBe(200);
      await until(
        'all are cancelled',
        async () => {
          const { status_counts: counts } = dataOf(await get(`/v6/api/campaigns/${id}`));
          return (counts as Json)['CANCELLED'] === 5;
        },
        PATIENCE_MS,
      );
      expect(dataOf(await get(`/v6/api/campaigns/${id}`))).toMatchObject({ refunded_credits: 0, state: 'cancelled' });
      const timeline = dataOf(await get(`/v6/api/campaigns/${id}/contacts/1/timeline`));
      expect(JSON.stringify(timeline)).not.toContain('"event":"refund"');
      const failed = await accepted('/webhook/api/addbroadcastgsm.php', sms());
      await completed(failed);
      const child = await accepted(`/v6/api/campaigns/${failed}/retry-failed`, {});
      expect(await completed(child)).toMatchObject({ test: true, retry_of: failed, total_rows: 2 });
    });
  }, 120_000);

  it('leaves every account figure as it was, after any sends, cancels and retries', async () => {
    let seed = 20_261_127;
    const pick = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
    await untouched(async () => {
      await Promise.all(
        Array.from({ length: 24 }, async (_, index) => {
          const contacts = Array.from({ length: 1 + pick(60) }, () => FATES[pick(FATES.length)] ?? N('001'));
          const chosen = pick(3);
          const later = pick(3) === 0 ? { schedule_time: soon(2_000) } : {};
          const own = { channel: 'sms', broadcast_name: `Try ${index}`, message: 'Hello {{name}}', ...later };
          const recipients = contacts.map((to, at) => ({ to, variables: { name: 'A'.repeat(1 + (at % 200)) } }));
          const id =
            chosen === 0
              ? await accepted('/v6/api/campaigns', { ...own, recipients })
              : await accepted(
                  chosen === 1 ? '/webhook/api/addbroadcastgsm.php' : '/webhook/api/addbroadcastUnofficial.php',
                  sms({ contacts, ...later }),
                );
          await sleep(pick(800));
          if (pick(2) === 0) await post(`/v6/api/campaigns/${id}/cancel`, {});
          await until('it is over', async () => {
            const { completed_at: at } = dataOf(await get(`/v6/api/campaigns/${id}`));
            return at !== null;
          });
          const again = await post(`/v6/api/campaigns/${id}/retry-failed`, {});
          if (again.status < 300) await completed(String(dataOf(again)['request_id']));
        }),
      );
    });
    const stored = await all.dataSource.query<{ unit: number; refunded: string; own: string | null }[]>(
      `SELECT MAX(unit_credits) AS unit, SUM(refunded_credits) AS refunded,
         (SELECT MAX(t.credits) FROM recipient_terms t JOIN campaigns o ON o.id = t.campaign_id WHERE o.is_test = 1) AS own
       FROM campaigns WHERE is_test = 1`,
    );
    expect(stored.map(({ unit, refunded, own }) => [unit, Number(refunded), own])).toEqual([[0, 0, null]]);
  }, 120_000);
});

describe('what a test key reads', () => {
  it('is what test keys have sent; live lists and keys leave tests out', async () => {
    const [test, live] = [
      await accepted('/webhook/api/addbroadcastgsm.php', sms()),
      await accepted('/webhook/api/addbroadcastgsm.php', sms({ schedule_time: '2099-01-01 00:00:00' }), liveKey),
    ];
    const ids = async (path: string, key: string): Promise<unknown[]> =>
      listOf(await get(path, key)).map((entry) => entry['request_id']);
    for (const path of [
      '/v6/api/campaigns?limit=1000',
      '/v6/api/messages?limit=1000',
      `/v6/api/recipients?number=${N('001')}`,
    ]) {
      const separator = path.includes('?') ? '&' : '?';
      const [ofTest, ofLive, wanted] = [
        await ids(path, testKey),
        await ids(path, liveKey),
        await ids(`${path}${separator}test=true`, liveKey),
      ];
      expect([ofTest.includes(test), ofTest.includes(live)], path).toEqual([true, false]);
      expect([ofLive.includes(test), ofLive.includes(live)], path).toEqual([false, true]);
      expect([wanted.includes(test), wanted.includes(live)], path).toEqual([true, false]);
    }
    for (const path of ['/contacts', '/contacts/1/timeline', '/export.csv', '']) {
      const mark = (id: string): Promise<string> =>
        fetch(`${all.url}/v6/api/campaigns/${id}${path}`, { headers: keyed(liveKey) }).then((answer) => answer.text());
      const isCsv = path.endsWith('csv');
      expect(await mark(test), path).toMatch(isCsv ? /,test\r\n1,.*,true\r\n/ : /"test":true/);
      expect(await mark(live), path).not.toMatch(isCsv ? /,test\r\n/ : /"test":true/);
    }
    const found = await get(`/v6/api/recipients?number=${N('001')}&test=true`, liveKey);
    expect(listOf(found).every((hit) => hit['test'] === true)).toBe(true);
    const box = JSON.stringify((await all.get(`/v6/api/search?q=${test}`, all.owner)).body);
    expect(box).toContain(`${test} · test`);
    for (const path of ['', '/contacts', '/contacts/1/timeline', '/export.csv', '/retry-failed']) {
      expect((await get(`/v6/api/campaigns/${live}${path}`)).status, path).toBe(404);
    }
    for (const act of ['pause', 'resume', 'cancel', 'retry-failed']) {
      expect((await post(`/v6/api/campaigns/${live}/${act}`, {})).status, act).toBe(404);
    }
    expect((await get(`/v6/api/campaigns/${test}`, liveKey)).status).toBe(200);
    const report = await all.request(`/webhook/api/getGSMreport.php?request_id=${test}`);
    expect(report.headers.get('switchboard-warnings')).toBe('[{"code":"test"}]');
  });

  it('is in no account figures, and nothing else opens to it', async () => {
    for (const path of [
      '/account/credits',
      '/account/usage',
      '/account/statistics',
      '/webhooks',
      '/templates',
      '/search?q=a',
    ]) {
      const answer = await get(`/v6/api${path}`);
      expect([answer.status, answer.body.message], path).toEqual([403, 'Permission denied']);
    }
    expect((await post('/v6/api/suppressions', { numbers: [N('777')] })).status).toBe(403);
    const lists = listOf(await all.get('/v6/api/lists', all.owner));
    const before = JSON.stringify(lists);
    await accepted('/v6/api/campaigns', {
      ...{ channel: 'sms', broadcast_name: 'List', message: 'Hello', upload_id: await upload() },
    });
    expect(JSON.stringify(listOf(await all.get('/v6/api/lists', all.owner)))).toBe(before);
  });
});

const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function upload(): Promise<string> {
  const csv = { 'content-type': 'text/csv' };
  const { upload_id: id } = dataOf(await all.post('/v6/api/uploads', all.owner, `to\n${N('001')}\n`, csv));
  return String(id);
}
