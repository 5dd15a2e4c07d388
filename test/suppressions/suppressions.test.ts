import { createHmac } from 'node:crypto';
import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { openSandbox, type OpenSandbox } from '../contract/open-sandbox.js';
import { type Campaigns, openCampaigns, dataOf, type Json, listOf } from '../support/campaigns.js';
import { numbers } from '../support/client.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const PATH = '/v6/api/suppressions';
const SYSTEM_ID = 'stoplist';
const PATIENCE = { timeout: 60_000, interval: 50 };
const APP_SECRET = 'the-app-secret';

/** A route to an HTTP gateway of the sandbox. @returns where the gateway sends receipts and texts */
async function addGateway(name: string, inbound?: Json): Promise<string> {
  const routes = campaigns.part(RouteDirectory);
  const config = {
    url: `${sandbox.url}/gateway/messages`,
    body: { to: '{{to}}', text: '{{text}}' },
    id_path: 'id',
    ...(inbound && { inbound }),
  };
  const place = { name, channel: 'unofficial', driver: 'http' } as const;
  const draft = { ...place, config, messagesPerSecond: null, isDefault: false };
  const { callbackSecret } = await campaigns.dataSource.transaction((tx) => routes.put(tx, draft));
  routes.forget();
  return `/provider/unofficial/${name}/${callbackSecret}`;
}

/** A route to the sandbox's SMPP carrier. */
async function addCarrier(name: string, port: number, messagesPerSecond: number | null): Promise<void> {
  const routes = campaigns.part(RouteDirectory);
  const config = { host: '127.0.0.1', port, system_id: `${SYSTEM_ID}-${name}`, password: 'secret' };
  const draft = {
    name,
    channel: 'sms',
    driver: 'smpp',
    config,
    messagesPerSecond,
    isDefault: name === 'fast',
  } as const;
  await campaigns.dataSource.transaction((tx) => routes.put(tx, draft));
  routes.forget();
}

let campaigns: Campaigns;
let sandbox: OpenSandbox;
let worker: TestingModule;

beforeAll(async () => {
  sandbox = await openSandbox();
  campaigns = await openCampaigns({}, { route: false });
  await addCarrier('fast', sandbox.smppPort, null);
  await addCarrier('slow', sandbox.smppPort, 10);
  worker = await startWorker(campaigns.environment);
});
afterAll(async () => {
  await worker.close();
  await campaigns.stop();
  await sandbox.stop();
});

const add = (member: Member | null, body: unknown): Promise<Answer> => campaigns.post(PATH, member, body);
const list = (member: Member, query = ''): Promise<Answer> => campaigns.get(`${PATH}${query}`, member);
const listed = async (member: Member): Promise<unknown[]> => listOf(await list(member)).map(({ number }) => number);
const remove = (member: Member, body: unknown, query = ''): Promise<Answer> =>
  campaigns.request(`${PATH}${query}`, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${member.token}` },
    body: JSON.stringify(body),
  });
const writeBack = async (from: string, text: string, route = 'fast'): Promise<void> => {
  const response = await fetch(`${sandbox.url}/smpp/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ system_id: `${SYSTEM_ID}-${route}`, from, text }),
  });
  if (!response.ok) throw new Error(await response.text());
};
const detail = async (member: Member, requestId: string): Promise<Json> =>
  dataOf(await campaigns.get(`/v6/api/campaigns/${requestId}`, member));
const completed = async (member: Member, requestId: string): Promise<Json> => {
  await vi.waitUntil(async () => (await detail(member, requestId))['state'] === 'completed', PATIENCE);
  return detail(member, requestId);
};
const contacts = async (member: Member, requestId: string): Promise<Json[]> =>
  listOf(await campaigns.get(`/v6/api/campaigns/${requestId}/contacts?limit=1000`, member));
const sentTo = async (prefix: string): Promise<string[]> =>
  (await sandbox.ledger()).messages.filter(({ to }) => to.startsWith(prefix)).map(({ to }) => to);
const send = (member: Member, to: string[], route = 'fast') => campaigns.send(member, to, { brodcast_service: route });

describe('the list', () => {
  it('takes, shows and lets go numbers, each account its own', async () => {
    const [one, other] = [await campaigns.join(), await campaigns.join()];
    const added = await add(one, { numbers: ['+49 151 00000002', '4915100000001', '4915100000001'] });
    expect(added.status).toBe(200);
    expect(added.body).toEqual({
      success: true,
      message: 'Suppressions saved successfully',
      data: { added: 2, already: 0 },
    });
    expect(dataOf(await add(one, { number: '4915100000001' }))).toEqual({ added: 0, already: 1 });
    expect((await list(one, '?limit=1&page=2')).body).toMatchObject({
      success: true,
      data: [{ number: '4915100000002', source: 'api' }],
      page: 2,
      limit: 1,
      total: 2,
    });
    expect(Object.keys(listOf(await list(one))[0] ?? {})).toEqual(['number', 'source', 'category', 'created_at']);
    expect(listOf(await list(one, '?number=4915100000002'))).toHaveLength(1);
    expect(await listed(other)).toEqual([]);
    expectRefused(await remove(other, { number: '4915100000001' }), 404, 'Suppression not found');
    expect((await remove(one, { numbers: ['4915100000001', '4915100000009'] })).body).toEqual({
      success: true,
      message: 'Suppressions removed successfully',
      data: { removed: 1 },
    });
    expect((await remove(one, {}, '?number=4915100000002')).status).toBe(200);
    expect(await listed(one)).toEqual([]);
  });

  it('refuses what is no list of numbers, and wants a token', async () => {
    const member = await campaigns.join();
    expectRefused(await add(member, {}), 400, 'numbers is required');
    expectRefused(await add(member, []), 400, 'numbers is required');
    expectRefused(await remove(member, {}), 400, 'numbers is required');
    for (const [numbers, index, message] of [
      ['x', 0, 'number has letters'],
      [['4915100000001', '12'], 1, 'number has fewer than 8 digits'],
      [['04915100000001'], 0, /^number has a leading zero/],
    ] as const) {
      const { status, body } = await add(member, { numbers });
      expect([status, body['index'], body['message']]).toEqual([400, index, expect.stringMatching(message) as string]);
    }
    expectRefused(await list(member, '?number=1&number=2'), 400, 'number is neither a text nor a whole number');
    expectRefused(await add(null, { number: '4915100000001' }), 401, 'Invalid Authorization token');
    expect(await listed(member)).toEqual([]);
  });

  it('takes the same numbers from many requests at once', async () => {
    const member = await campaigns.join();
    const wanted = numbers(2_000);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => add(member, { numbers: index % 2 ? wanted : wanted.toReversed() })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(answers.reduce((sum, answer) => sum + Number(dataOf(answer)['added']), 0)).toBe(2_000);
  });
});

describe('the dispatch', () => {
  it('leaves suppressed recipients out, refunds them and completes', async () => {
    const [member, other] = [await campaigns.join(), await campaigns.join()];
    const to = numbers(20, '9177001');
    await add(member, { numbers: [to[3], to[19]] });
    const before = await campaigns.credits(member);
    const campaign = await completed(member, await send(member, to));
    expect(campaign).toMatchObject({ status_counts: { DELIVERED: 18, FAILED: 2 } });
    expect(await campaigns.credits(member)).toBe(before - 18);
    const records = await contacts(member, String(campaign['request_id']));
    expect(records.filter(({ status }) => status === 'FAILED')).toMatchObject([
      { receiver: to[3], errorMessage: 'Suppressed', attempts: 0, provider_message_id: null },
      { receiver: to[19], errorMessage: 'Suppressed', attempts: 0 },
    ]);
    expect(await sentTo('9177001')).toHaveLength(18);
    expectRefused(
      await campaigns.act(`/v6/api/campaigns/${String(campaign['request_id'])}/retry-failed`, member),
      409,
      'Campaign has no failed recipients',
    );
    const foreign = await completed(other, await send(other, to));
    expect(foreign).toMatchObject({ status_counts: { DELIVERED: 20 } });
  });

  it('ends a campaign of suppressed recipients only', async () => {
    const member = await campaigns.join();
    const to = numbers(300, '9177002');
    await add(member, { numbers: to });
    const before = await campaigns.credits(member);
    expect(await completed(member, await send(member, to))).toMatchObject({ status_counts: { FAILED: 300 } });
    expect(await campaigns.credits(member)).toBe(before);
    expect(await sentTo('9177002')).toEqual([]);
  });
});

describe('a stop word', () => {
  it('counts while a campaign runs, and START lifts it', async () => {
    const member = await campaigns.join();
    const to = numbers(30, '9177003');
    const last = to.at(-1) ?? '';
    await completed(member, await send(member, [last], 'slow'));
    const requestId = await send(member, to, 'slow');
    await vi.waitUntil(async () => (await sentTo('9177003')).length > 3, PATIENCE);
    await writeBack(last, ' sToP\r\n', 'slow');
    expect(await completed(member, requestId)).toMatchObject({ status_counts: { DELIVERED: 29, FAILED: 1 } });
    expect((await contacts(member, requestId)).at(-1)).toMatchObject({ receiver: last, errorMessage: 'Suppressed' });
    expect((await sentTo('9177003')).filter((number) => number === last)).toHaveLength(1);
    expect(listOf(await list(member))).toMatchObject([{ number: last, source: 'stop' }]);
    await writeBack(last, 'Start', 'slow');
    await vi.waitUntil(async () => (await listed(member)).length === 0, PATIENCE);
  });

  it('means the account that sent last over the route, and nobody else', async () => {
    const [first, second, stranger] = [await campaigns.join(), await campaigns.join(), await campaigns.join()];
    const [number = '', untouched = ''] = numbers(2, '9177004');
    await completed(first, await send(first, [number]));
    await completed(second, await send(second, [number]));
    await completed(stranger, await send(stranger, [number], 'slow'));
    await add(stranger, { number: untouched });
    await writeBack(untouched, 'STOP');
    await writeBack(number, 'stop it');
    await writeBack(`+${number}`, 'UNSUBSCRIBE');
    await vi.waitUntil(async () => (await listed(second)).length === 1, PATIENCE);
    expect(await listed(second)).toEqual([number]);
    expect(await listed(first)).toEqual([]);
    expect(await listed(stranger)).toEqual([untouched]);
    await completed(first, await send(first, [number]));
    await writeBack(number, 'STOP');
    await vi.waitUntil(async () => (await listed(first)).length === 1, PATIENCE);
  });

  it('does not reach back further than 30 days, nor to whom nothing was sent', async () => {
    const member = await campaigns.join();
    const [old = '', pending = '', marker = ''] = numbers(3, '9177005');
    for (const number of [old, marker]) await completed(member, await send(member, [number]));
    const [campaign] = await campaigns.dataSource.query<{ id: number }[]>(
      'SELECT campaign_id AS id FROM campaign_recipients WHERE receiver = ?',
      [old],
    );
    const earlier = Number(campaign?.id) - 31 * 86_400_000 * 4_096;
    await campaigns.dataSource.query('UPDATE campaigns SET id = ? WHERE id = ?', [earlier, campaign?.id]);
    await campaigns.dataSource.query('UPDATE campaign_recipients SET campaign_id = ? WHERE receiver = ?', [
      earlier,
      old,
    ]);
    await campaigns.dataSource.query(
      'UPDATE route_senders SET sent_on = UTC_DATE() - INTERVAL 31 DAY WHERE number = ?',
      [old],
    );
    for (const number of [old, pending, marker]) await writeBack(number, 'STOP');
    await vi.waitUntil(async () => (await listed(member)).length > 0, PATIENCE);
    expect(await listed(member)).toEqual([marker]);
  });

  it("leaves the owner's own entries to the owner", async () => {
    const member = await campaigns.join();
    const [own = '', marker = ''] = numbers(2, '9177006');
    await completed(member, await send(member, [own, marker]));
    await add(member, { number: own });
    for (const number of [own, marker]) await writeBack(number, 'STOP');
    await vi.waitUntil(async () => (await listed(member)).length === 2, PATIENCE);
    for (const number of [own, marker]) await writeBack(number, 'START');
    await vi.waitUntil(async () => (await listed(member)).length === 1, PATIENCE);
    expect(listOf(await list(member))).toMatchObject([{ number: own, source: 'api' }]);
  });

  it('is read from the callbacks of an HTTP gateway', async () => {
    const member = await campaigns.join({ bulk_chat_credits: 10 });
    const plain = await addGateway('plain');
    const nested = await addGateway('nested', { list_path: 'items', from_path: 'by.id', text_path: 'body' });
    const [one = '', two = '', three = ''] = numbers(3, '9177008');
    for (const [route, to] of [
      ['plain', [one, two]],
      ['nested', [three]],
    ] as const) {
      const body = { broadcast_name: 'Spring', brodcast_service: route, message: 'Hello', contacts: to };
      const requestId = String((await campaigns.unofficial(member, body)).body['request_id']);
      await vi.waitUntil(async () => !(await contacts(member, requestId)).some(({ attempts }) => !attempts), PATIENCE);
    }
    const says = async (path: string, body: unknown, receipts = 0): Promise<void> => {
      expect((await campaigns.post(path, null, body)).body).toEqual({ success: true, receipts });
    };
    // A receipt that quotes the message is no answer to it.
    await says(plain, { id: 'x', status: 'delivered', from: two, text: 'STOP' }, 1);
    await says(plain, [{ from: `+${one}`, text: 'Stop' }, { from: two }, { text: 'STOP' }, null, 7]);
    await says(nested, { from: two, text: 'STOP', items: [{ by: { id: `${three}@c.us` }, body: 'UNSUBSCRIBE' }] });
    expect(await listed(member)).toEqual([one, three]);
    await says(nested, { items: { by: { id: three }, body: 'start' } });
    expect((await campaigns.get(`${plain}?from=${one}&text=START`, null)).body).toEqual({ success: true, receipts: 0 });
    expect(await listed(member)).toEqual([]);
    expect((await campaigns.post(`${plain}x`, null, { from: one, text: 'STOP' })).status).toBe(403);
    expect(await listed(member)).toEqual([]);
  });

  it('is read from chat messages and pressed buttons, each once', async () => {
    const member = await campaigns.join();
    const id = await campaigns.connect(member, 'official', { appSecret: APP_SECRET });
    const write = async (messageId: string, from: string, message: Json): Promise<void> => {
      const entry = { from, id: messageId, timestamp: String(Math.floor(Date.now() / 1000)), ...message };
      const value = { messaging_product: 'x', metadata: { phone_number_id: '104466778899' }, messages: [entry] };
      const body = JSON.stringify({ entry: [{ id: '1', changes: [{ field: 'messages', value }] }] });
      const signature = `sha256=${createHmac('sha256', APP_SECRET).update(body).digest('hex')}`;
      const answer = await fetch(`${campaigns.url}/provider/chat/${id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
        body,
      });
      expect(answer.status).toBe(200);
    };
    const [one = '', two = ''] = numbers(2, '9177007');
    await write('m1', one, { type: 'text', text: { body: 'stop' } });
    await write('m2', two, { type: 'button', button: { text: 'Unsubscribe', payload: 'u' } });
    expect(await listed(member)).toEqual([one, two]);
    await write('m3', one, { type: 'text', text: { body: 'START' } });
    await write('m1', one, { type: 'text', text: { body: 'stop' } });
    expect(await listed(member)).toEqual([two]);
  });
});
