import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyDigest } from '../../src/modules/accounts/index.js';
import { CELL_TOKEN } from '../support/cells.js';
import { expectRefused, type Member, openSms, type Sms } from '../support/sms.js';

const PATH = '/cell/holdings';
const BEARER = { authorization: `Bearer ${CELL_TOKEN}` };

describe('what a cell tells the front', () => {
  let sms: Sms;
  let member: Member;

  beforeAll(async () => {
    sms = await openSms({ CELL: 'b', CELL_TOKEN, DIRECTORY_URL: 'mysql://nobody:none@127.0.0.1:1/nothing' });
    member = await sms.join(100);
  });
  afterAll(() => sms.stop());

  const ask = (body: unknown, headers: Record<string, string> = BEARER) => sms.post(PATH, null, body, headers);

  it('is which ids, keys and names it has', async () => {
    const form = { broadcast_name: 'n', brodcast_service: 'main', contacts: ['919812345678'], message: 'Hello' };
    const { body } = await sms.broadcast(member, form);
    const id = String(body['request_id']);
    expect(id).toMatch(/^GSMCAMP_\d{8}_B[A-Z0-9]{5}$/);
    const made = await sms.post('/v6/api/account/api-keys', member, { name: 'k' });
    const digest = apiKeyDigest(String((made.body['data'] as Record<string, unknown>)['key']));
    const name = { kind: 'username', value: member.account.username };
    const asked = {
      // what none can have spoils no other's question
      request_ids: [id, 'unknown', id.toLowerCase(), 'é', ''],
      api_keys: [digest, '0'.repeat(64), 'é'.repeat(64)],
      names: [name, { ...name, kind: 'email' }, { ...name, value: 'é\ud800' }],
    };
    expect(await ask(asked)).toMatchObject({
      status: 200,
      body: { success: true, data: { request_ids: [id], api_keys: [digest], names: [name] } },
    });
    expect((await ask({})).body['data']).toEqual({ request_ids: [], api_keys: [], names: [] });
  });

  it('is told for the token of all cells only', async () => {
    const others: Record<string, string>[] = [
      {},
      { authorization: CELL_TOKEN },
      { authorization: `Bearer ${member.token}` },
    ];
    for (const headers of others) expectRefused(await ask({}, headers), 401, 'Invalid Authorization token');
    const whole = await openSms();
    expectRefused(await whole.post(PATH, null, {}, BEARER), 404, 'Not Found');
    await whole.stop();
  });

  it.each([
    ['request_ids', 'x'],
    ['request_ids', [1]],
    ['request_ids', Array.from({ length: 501 }, () => 'x')],
    ['api_keys', ['x'.repeat(255)]],
    ['names', [{ kind: 'number', value: 'x' }]],
    ['names', ['x']],
  ])('is not told of %s that are none', async (list, value) => {
    expectRefused(await ask({ [list]: value }), 400, `${list} is invalid`);
  });
});
