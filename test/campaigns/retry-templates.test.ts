import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { openCampaigns, type Campaigns, dataOf, type Json } from '../support/campaigns.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const { Failed } = RecipientStatus;
const CONTACTS = ['919812345678', '919812345679'];

let campaigns: Campaigns;
let owner: Member;
let official: number;

beforeAll(async () => {
  campaigns = await openCampaigns();
  owner = await campaigns.join({ chat_utility_credits: 100, chat_marketing_credits: 5 });
  official = await campaigns.connect(owner, 'official');
  await campaigns.template(owner, 'order_ready', { category: 2 });
});
afterAll(() => campaigns.stop());

const retry = (requestId: string): Promise<Answer> =>
  campaigns.act(`/v6/api/campaigns/${requestId}/retry-failed`, owner);
const change = (fields: string): Promise<unknown> =>
  campaigns.dataSource.query(`UPDATE templates SET ${fields} WHERE account_id = ?`, [owner.account.id]);
const restore = (): Promise<unknown> =>
  change(
    `status = 1, language_id = 1, language_code = NULL, body = 'Your order is ready', header_area_type = 'none', category = 2`,
  );
const stored = async (answer: Answer): Promise<Json> => {
  const [row] = await campaigns.dataSource.query<Json[]>(
    'SELECT route_id, service, balance, unit_credits FROM campaigns WHERE request_id = ?',
    [dataOf(answer)['request_id']],
  );
  return row ?? {};
};

/** A campaign of two whose sends failed. */
async function failing(route: 'chatTemplate' | 'chatBranded'): Promise<string> {
  const sent = await campaigns.post(`/v6/api/${route}/24/${owner.account.username}/messages`, owner, {
    messaging_product: 'chat',
    to: CONTACTS,
    type: 'template',
    template: { name: 'order_ready', language: { code: 'en_US' } },
  });
  const requestId = String(sent.body['request_id']);
  await campaigns.begin(requestId);
  await campaigns.settle(requestId, [1, 2], Failed, 'gone');
  return requestId;
}

describe.each(['chatTemplate', 'chatBranded'] as const)('retry-failed of %s is checked as a new send', (route) => {
  it.each([
    ['status = 3', 409, 'Template is pending platform approval'],
    ['status = 2', 409, 'Template was rejected by the platform'],
    ['status = 4', 409, 'Template is not approved for sending'],
    ['status = 5', 409, 'Template is not approved for sending'],
    ["language_code = 'fr'", 422, 'Template language does not match the approved template'],
    ['language_id = 8', 422, 'Template language does not match the approved template'],
    [`body = 'Order {{1}}'`, 422, 'Template body parameter count does not match the approved template'],
    [`header_area_type = 'media'`, 422, 'Template header parameter count does not match the approved template'],
    [`name = 'another'`, 404, 'Template not found'],
  ])('after %s: %d %s, and nothing is charged', async (fields, status, text) => {
    const requestId = await failing(route);
    const before = await campaigns.credits(owner, 'chat_utility_credits');
    await change(fields);
    try {
      expectRefused(await retry(requestId), status, text);
      expectRefused(await campaigns.get(`/v6/api/campaigns/${requestId}/retry-failed`, owner), status, text);
    } finally {
      await change(`name = 'order_ready'`);
      await restore();
    }
    expect(await campaigns.credits(owner, 'chat_utility_credits')).toBe(before);
    expect((await retry(requestId)).status).toBe(200);
  });

  it('pays from the balance of the category that the template has now', async () => {
    const requestId = await failing(route);
    const [utility, marketing] = [
      await campaigns.credits(owner, 'chat_utility_credits'),
      await campaigns.credits(owner, 'chat_marketing_credits'),
    ];
    await change('category = 1');
    const answer = await retry(requestId);
    await restore();
    expect(await stored(answer)).toMatchObject({ balance: 'chat_marketing_credits', unit_credits: 1 });
    expect(await campaigns.credits(owner, 'chat_utility_credits')).toBe(utility);
    expect(await campaigns.credits(owner, 'chat_marketing_credits')).toBe(marketing - 2);
  });

  it('goes over the connection that a new send takes; without one it is refused', async () => {
    const requestId = await failing(route);
    const branded = await campaigns.connect(owner, 'branded');
    const answer = await retry(requestId);
    const expected = route === 'chatBranded' ? [branded, 'branded'] : [official, 'official'];
    expect(Object.values(await stored(answer)).slice(0, 2)).toEqual(expected);
    const other = await failing(route);
    await campaigns.disconnect(branded);
    await campaigns.disconnect(official);
    expectRefused(await retry(other), 404, 'No chat account found for this username');
    official = await campaigns.connect(owner, 'official', { token: null });
    expectRefused(await retry(other), 404, 'Missing account token for this chat account');
    await campaigns.disconnect(official);
    official = await campaigns.connect(owner, 'official');
    expect((await retry(other)).status).toBe(200);
  });
});
