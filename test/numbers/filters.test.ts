import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataOf, listOf } from '../support/campaigns.js';
import { type Installation, openInstallation } from '../support/installation.js';
import { NATIONAL, READ, REFUSED } from '../support/number-texts.js';
import type { Answer } from '../support/sms.js';

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallation({ BROADCAST_RATE_LIMIT: 0 });
});
afterAll(() => installation.stop());

const post = (path: string, body: unknown): Promise<Answer> => installation.post(path, installation.owner, body);
const get = (path: string): Promise<Answer> => installation.get(path, installation.owner);
const SMS = { channel: 'sms', broadcast_name: 'Door', message: 'Hi' };

it('sender ids of calls, and the filters of messages and inbound messages read alike', async () => {
  const { owner, dataSource } = installation;
  for (const [index, sender] of ['919812345678', '447911000012', '5521998765432', 'SHOP'].entries())
    await dataSource.query(
      `INSERT INTO inbound_messages (id, account_id, route_id, sender, recipient, text, encoding, parts, incomplete, reply_state, received_at)
       VALUES (?, ?, 1, ?, '57575', 'Hi', 'gsm7', 1, 0, 0, UTC_TIMESTAMP(3))`,
      [900_001 + index, owner.account.id, sender],
    );
  const inbound = async (from: string): Promise<unknown[]> =>
    listOf(await get(`/v6/api/inbound-messages?from=${encodeURIComponent(from)}`)).map((text) => text['from']);
  const messages = async (number: string): Promise<unknown[]> => {
    const answer = await get(`/v6/api/messages?number=${encodeURIComponent(number)}`);
    return answer.status === 200 ? [...new Set(listOf(answer).map(({ to, from }) => to ?? from))] : [answer.status];
  };
  const caller = async (given: string): Promise<unknown> => {
    const answer = await post('/v6/api/sender-ids', { channel: 'voice', sender_id: given });
    if (answer.status !== 201) return answer.status;
    const { id, sender_id: senderId } = dataOf(answer);
    const removed = await installation.request(`/v6/api/sender-ids/${String(id)}`, {
      method: 'DELETE',
      headers: installation.bearer(owner),
    });
    expect(removed.status).toBe(200);
    return senderId;
  };
  await post('/v6/api/campaigns', { ...SMS, contacts: ['919812345678', '447911000012'] });
  const found = async (given: string, digits: string): Promise<void> => {
    expect([given, await inbound(given), await caller(given)]).toEqual([given, [digits], digits]);
    expect([given, await messages(given)]).toEqual([given, expect.arrayContaining([digits])]);
  };
  for (const [given, digits] of READ) await found(given, digits);
  for (const [given] of REFUSED) {
    const plain = /^\d{8,}$/.test(given);
    expect([given, await inbound(given), await messages(given)]).toEqual([given, [], plain ? [] : [400]]);
    if (given !== '1234567') expect([given, await caller(given)]).toEqual([given, 400]);
  }
  expect([await inbound('+55 21 9876-5432'), await inbound('SHOP'), await inbound('shopping')]).toEqual([
    ['5521998765432'],
    ['SHOP'],
    [],
  ]);
  await installation.alter(owner, 'country_code', 'IN');
  try {
    for (const [given, digits] of NATIONAL) await found(given, digits);
  } finally {
    await installation.alter(owner, 'country_code', null);
  }
});
