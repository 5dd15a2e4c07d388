import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountDirectory } from '../../src/modules/accounts/index.js';
import { ChatPriceDiffers } from '../../src/modules/alarms/system-checks.js';
import { ChatPrices } from '../../src/modules/channels/template-messages/index.js';
import { type Chat, openChat } from '../support/chat.js';
import type { Answer, Member } from '../support/sms.js';

const SECRET = 'app-secret';
const NUMBER_ID = '104466778899';
const DAY_MS = 86_400_000;

/** What the provider bills, beside what the account paid (reference/campaigns#contacts). */
describe('prices of the chat provider', () => {
  let chat: Chat;
  let owner: Member;
  let routeId: number;

  beforeAll(async () => {
    chat = await openChat();
    owner = await chat.join({ chat_utility_credits: 100 });
    routeId = await chat.connect(owner, 'official', { appSecret: SECRET });
    await chat.template(owner, 'order_ready', { category: 2 });
  });
  afterAll(() => chat.stop());

  const get = async (path: string): Promise<Answer> =>
    chat.request(path, { headers: { authorization: `Bearer ${owner.token}` } });

  /** A sent message, whose statuses come with the fields. */
  async function sent(): Promise<{ path: string; report: (status: Record<string, unknown>) => Promise<void> }> {
    const answer = await chat.post(`/v6/api/chatTemplate/24/${owner.account.username}/messages`, owner, {
      messaging_product: 'chat',
      to: '919812345678',
      type: 'template',
      template: { name: 'order_ready', language: { code: 'en_US' } },
    });
    const requestId = String(answer.body['request_id']);
    const [{ id }] = await chat.dataSource.query<[{ id: number }]>('SELECT id FROM campaigns WHERE request_id = ?', [
      requestId,
    ]);
    await chat.dataSource.query(
      `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status)
       VALUES (?, 1, 0, ?, ?, 1, 2)`,
      [id, routeId, `wamid.${id}`],
    );
    const report = async (status: Record<string, unknown>): Promise<void> => {
      const said = { id: `wamid.${id}`, recipient_id: '919812345678', biz_opaque_callback_data: `${id}-1`, ...status };
      const value = { metadata: { phone_number_id: NUMBER_ID }, statuses: [said] };
      const body = JSON.stringify({ entry: [{ id: '1', changes: [{ field: 'messages', value }] }] });
      const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
      const taken = await chat.request(`/provider/chat/${routeId}`, { method: 'POST', headers, body });
      expect(taken.body).toMatchObject({ receipts: 1 });
    };
    return { path: `/v6/api/campaigns/${requestId}/contacts`, report };
  }

  const differences = async (): Promise<unknown> => await chat.part(ChatPrices).differences(DAY_MS);
  const first = async (path: string): Promise<unknown> => ((await get(path)).body['data'] as unknown[])[0];

  it('are shown beside our own; an equal category is no difference', async () => {
    const { path, report } = await sent();
    expect(await first(path)).toMatchObject({ provider_category: null, provider_billable: null, credits: 1 });
    const pricing = { billable: true, pricing_model: 'PMP', category: 'utility', type: 'regular' };
    await report({ status: 'sent', pricing });
    await report({ status: 'delivered', pricing });
    expect(await first(path)).toMatchObject({
      provider_category: 'utility',
      provider_billable: 'yes',
      provider_pricing: 'PMP regular',
    });
    const { body } = await get(`${path}/1/timeline`);
    expect((body['data'] as { events: unknown[] }).events).toContainEqual(
      expect.objectContaining({
        event: 'priced',
        details: expect.objectContaining({ provider_category: 'utility', balance: 'chat_utility_credits' }) as unknown,
      }),
    );
    const headers = { authorization: `Bearer ${owner.token}` };
    const csv = await fetch(chat.url + path.replace('/contacts', '/export.csv'), { headers });
    expect(await csv.text()).toMatch(/provider_category[^]*utility/);
    expect(await differences()).toEqual([]);
  });

  it('another category is a difference, until a status says otherwise', async () => {
    const { path, report } = await sent();
    await report({ status: 'sent', pricing: { billable: true, category: 'marketing' } });
    expect(await first(path)).toMatchObject({ provider_category: 'marketing', provider_pricing: null });
    expect(await differences()).toEqual([{ accountId: owner.account.id, messages: 1, category: 'marketing' }]);
    const alarm = new ChatPriceDiffers(chat.part(ChatPrices), chat.part(AccountDirectory));
    expect(await alarm.find()).toMatchObject([{ subject: owner.account.username, value: 1 }]);
    await report({ status: 'read', pricing: { billable: false, category: 'service', type: 'free_entry_point' } });
    expect(await first(path)).toMatchObject({ provider_category: 'service', provider_billable: 'no' });
    expect(await differences()).toEqual([]);
  });

  it('a status that comes again, or without a price, changes nothing', async () => {
    const before = (await differences()) as unknown[];
    const { path, report } = await sent();
    const other = { status: 'sent', pricing: { billable: true, category: 'MARKETING_LITE' } };
    for (let time = 0; time < 3; time++) await report(other);
    const one = { accountId: owner.account.id, messages: 1, category: 'marketing_lite' };
    expect(await differences()).toEqual([...before, one]);
    await report({ status: 'delivered' });
    await report({ status: 'read', pricing: { billable: false } });
    await report({ status: 'read', pricing: null });
    expect(await first(path)).toMatchObject({
      provider_category: 'marketing_lite',
      provider_billable: 'yes',
      credits: 1,
    });
    expect(await differences()).toEqual([...before, one]);
    // what is free belongs to no balance
    await report({ status: 'read', pricing: { billable: false, category: 'referral_conversion' } });
    expect(await differences()).toEqual(before);
  });

  it('of a message that failed are kept too', async () => {
    const { path, report } = await sent();
    const errors = [{ code: 131_026, title: 'Message undeliverable' }];
    await report({ status: 'failed', errors, pricing: { billable: false, category: 'utility' } });
    expect(await first(path)).toMatchObject({
      status: 'FAILED',
      provider_category: 'utility',
      provider_billable: 'no',
    });
  });

  it.each([
    [{ conversation: { id: 'c', origin: { type: 'authentication' } } }, 'authentication'],
    [{ pricing: { category: 'utility\n' } }, null],
    [{ pricing: 'free' }, null],
    [{ pricing: { category: 'x'.repeat(40) } }, null],
    [{ pricing: { category: 7 } }, null],
    [{ pricing: null }, null],
    [{ pricing: [] }, null],
    [{ pricing: { category: '' } }, null],
    [{ pricing: { category: 'Utility' } }, 'utility'],
    [{ pricing: { category: '' }, conversation: { origin: { type: 'marketing' } } }, 'marketing'],
  ])('%j is %j', async (fields, category) => {
    const { path, report } = await sent();
    await report({ status: 'sent', ...fields });
    expect(await first(path)).toMatchObject({ provider_category: category });
  });
});
