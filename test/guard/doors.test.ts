import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChatAccounts, ChatWindows } from '../../src/modules/providers/index.js';
import { newId } from '../../src/kernel/ids.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { type Installation, openInstallation } from '../support/installation.js';
import type { Answer } from '../support/sms.js';
import { termsOf } from './support.js';

const HOME = '919812345670';
/** A satellite number, and one of another country. */
const DENIED = ['8816123456789', '14155552671'];
const CSV = { 'content-type': 'text/csv' };

let all: Installation;
let key: string;

beforeAll(async () => {
  all = await openInstallation({ BROADCAST_RATE_LIMIT: 0, VOICE_AUTO_APPROVE: true, VOICE_ALLOWED_PREFIXES: ['*'] });
  key = String(dataOf(await post('/v6/api/account/api-keys', { name: 'Door' }))['key']);
  const account = await all.part(ChatAccounts).find(all.owner.account.id, 'official');
  const windows = [HOME, ...DENIED].map((contact) => ({ contact, sentAt: new Date() }));
  await inTransaction(all.dataSource, (tx) => all.part(ChatWindows).open(tx, account?.id ?? 0, windows));
  await all.alter(all.owner, 'country_code', 'IN');
}, 60_000);
afterAll(() => all.stop());

beforeEach(() => guardBy(['IN']));
const guardBy = (countries: string[] | null): Promise<void> =>
  all.alter(all.owner, 'guard', JSON.stringify(termsOf({ countries, special_prefixes: countries ? [] : ['881'] })));

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  all.post(path, all.owner, body, headers);
const name = (): string => all.owner.account.username;

const OWN = { broadcast_name: 'Door', message: 'Hi' };
const OLD = { ...OWN, brodcast_service: 'main' };
const TEMPLATE = {
  ...{ name: 'order_ready', language: { code: 'en_US' } },
  components: [{ type: 'body', parameters: [{ type: 'text', text: 'Asha' }] }],
};
const template = (to: string): Json => ({ messaging_product: 'chat', type: 'template', to: [to], template: TEMPLATE });
const call = (contacts: string[]): Json => ({ broadcast_name: 'Call', audio_url: all.audio.url(1_000), contacts });
const campaign = (to: string): Json => ({ ...OWN, channel: 'sms', recipients: [{ to: `+${to}` }] });

/** A campaign that failed while the account could send anywhere. */
async function failed(path: string, body: Json): Promise<string> {
  await guardBy(null);
  const answer = await post(path, body);
  const id = String(answer.body['request_id'] ?? dataOf(answer)['request_id']);
  const now = `c.request_id = '${id}'`;
  await all.dataSource.query(
    `UPDATE campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id SET r.status = 4 WHERE ${now}`,
  );
  await all.dataSource.query(`UPDATE campaigns c SET c.state = 'completed' WHERE ${now}`);
  await guardBy(['IN']);
  return id;
}

async function received(from: string): Promise<number> {
  const id = newId();
  const [route] = await all.dataSource.query<{ id: number }[]>("SELECT id FROM routes WHERE name = 'main'");
  await all.dataSource.query(
    `INSERT INTO inbound_messages (id, route_id, account_id, sender, recipient, text, encoding, parts, received_at)
     VALUES (?, ?, ?, ?, '57575', 'Hi', 'gsm7', 1, UTC_TIMESTAMP(3))`,
    [id, route?.id, all.owner.account.id, from],
  );
  return id;
}

const DOORS: Readonly<Record<string, (to: string) => Promise<Answer>>> = {
  'broadcast of SMS': (to) => post('/webhook/api/addbroadcastgsm.php', { ...OLD, contacts: [to] }),
  'broadcast of SMS, behind numbers that are allowed': (to) =>
    post('/webhook/api/addbroadcastgsm.php', { ...OLD, contacts: [...Array<string>(1_500).fill(HOME), to] }),
  'scheduled broadcast of SMS': (to) =>
    post('/webhook/api/addbroadcastgsm.php', { ...OLD, contacts: [to], schedule_time: '2099-01-01 00:00:00' }),
  'SMS by GET': (to) => all.smsGet({ username: name(), password: key, message: 'Hi', number: to }),
  'broadcast of chat': (to) => post('/webhook/api/addbroadcastUnofficial.php', { ...OLD, contacts: [to] }),
  'template messages': (to) => post(`/v6/api/chatTemplate/24/${name()}/messages`, template(to)),
  'branded messages': (to) => post(`/v6/api/chatBranded/24/${name()}/messages`, template(to)),
  calls: (to) => post('/v6/api/v1/voice/send', call([to])),
  'campaign of recipients': (to) => post('/v6/api/campaigns', campaign(to)),
  'campaign of contacts': (to) => post('/v6/api/campaigns', { ...OWN, channel: 'sms', contacts: [to] }),
  'campaign of own texts': (to) =>
    post('/v6/api/campaigns', {
      ...{ broadcast_name: 'Each', channel: 'sms', message: 'Hi {{name}}' },
      recipients: [{ to: `+${to}`, variables: { name: 'Asha' } }],
    }),
  'campaign of a file': async (to) => {
    const file = await post('/v6/api/uploads', `to,name\n+${to},Asha\n`, CSV);
    return post('/v6/api/campaigns', { ...OWN, channel: 'sms', upload_id: dataOf(file)['upload_id'] });
  },
  'campaign of a list': async (to) => {
    const list = dataOf(await post('/v6/api/lists', { name: 'Door' }))['list_id'];
    await post(`/v6/api/lists/${String(list)}/members`, { members: [{ to: `+${to}` }] });
    return post('/v6/api/campaigns', { ...OWN, channel: 'sms', list_id: list });
  },
  'message by SMS': (to) => post('/v6/api/messages', { channel: 'sms', to: `+${to}`, text: 'Hi' }),
  'message from a template': (to) =>
    post('/v6/api/messages', { channel: 'template', to: `+${to}`, template: TEMPLATE }),
  'message in a session': (to) => post('/v6/api/messages', { channel: 'session', to: `+${to}`, text: 'Hi' }),
  'scheduled message in a session': (to) =>
    post('/v6/api/messages', {
      ...{ channel: 'session', to: `+${to}`, text: 'Hi' },
      schedule_time: new Date(Date.now() + 3_600_000).toISOString(),
    }),
  'session message': (to) =>
    post(`/v6/api/chat/24/${name()}/messages`, {
      ...{ messaging_product: 'chat', to, type: 'text', text: { body: 'Hi' } },
    }),
  'session message of v5': (to) =>
    post('/v5/api/session.php', { contacts: to, broadcast_message: 'Hi', broadcast_name: 'Old' }),
  'reply to an inbound message': async (to) =>
    post(`/v6/api/inbound-messages/${await received(to)}/reply`, { message: 'Hi' }),
  'second try of a broadcast': async (to) =>
    post(
      `/v6/api/campaigns/${await failed('/webhook/api/addbroadcastgsm.php', { ...OLD, contacts: [to] })}/retry-failed`,
      {},
    ),
  'second try of own texts': async (to) =>
    post(`/v6/api/campaigns/${await failed('/v6/api/campaigns', campaign(to))}/retry-failed`, {}),
  'second try of calls': async (to) =>
    post(`/v6/api/campaigns/${await failed('/v6/api/v1/voice/send', call([to]))}/retry-failed`, {}),
  'second try of template messages': async (to) =>
    post(
      `/v6/api/campaigns/${await failed(`/v6/api/chatTemplate/24/${name()}/messages`, template(to))}/retry-failed`,
      {},
    ),
};

const balances = (): Promise<unknown> =>
  all.dataSource.query('SELECT balance, available FROM credit_balances WHERE account_id = ? ORDER BY balance', [
    all.owner.account.id,
  ]);
const newest = (): Promise<unknown> =>
  all.dataSource.query('SELECT MAX(id) AS id FROM campaigns WHERE account_id = ?', [all.owner.account.id]);

describe.each(Object.keys(DOORS))('the door %s', (door) => {
  const through = (to: string): Promise<Answer> => DOORS[door]?.(to) as Promise<Answer>;

  it('is closed to other destinations, and charges nothing for them', async () => {
    for (const to of DENIED) {
      const isRetry = door.startsWith('second');
      const [before, last] = isRetry ? [] : [await balances(), await newest()];
      const answer = await through(to);
      expect([to, answer.status, answer.body['code']]).toEqual([to, 400, 'destination_not_allowed']);
      if (!isRetry) expect([await balances(), await newest()]).toEqual([before, last]);
    }
    expect(all.upstream.calls.filter(({ body }) => DENIED.some((to) => JSON.stringify(body).includes(to)))).toEqual([]);
  });

  it('is open to those that are allowed', async () => {
    const answer = await through(HOME);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      expect.toSatisfy((is) => Number(is) < 300),
      expect.any(String),
    ]);
  });
});

it('a quote names what would be refused', async () => {
  const recipients = [HOME, ...DENIED].map((to) => ({ to: `+${to}` }));
  const quote = await post('/v6/api/campaigns/quote', { ...OWN, channel: 'sms', recipients });
  expect((dataOf(quote)['invalid'] as Json[]).map(({ row, reason }) => [row, reason])).toEqual([
    [2, 'destination_not_allowed'],
    [3, 'destination_not_allowed'],
  ]);
});
