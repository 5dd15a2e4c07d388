import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { RoutingTables } from '../../src/modules/routing/index.js';
import { type BulkWire, openBulkWire } from '../support/bulk.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { expectRefused, type Member } from '../support/sms.js';

const NUMBERS = ['919812345671', '919812345672', '919812345673'] as const;
const WAIT = { timeout: 60_000, interval: 50 };
const text = (value: string): Json => ({ type: 'text', text: value });

/** What of a personalised send a retry of its failures takes over. */
describe('retry-failed of a personalised send', () => {
  let wire: BulkWire;
  let member: Member;

  beforeAll(async () => {
    wire = await openBulkWire();
    member = await wire.join({ gsm_credits: 1_000, chat_marketing_credits: 100, chat_utility_credits: 100 });
    await wire.addGateway('codes', 'sms');
    await wire.addGateway('texts', 'sms');
    await wire.connectChat(member, 'official');
    await wire.template(member, 'order', { body: 'Hi {{1}}', headerAreaType: 'text', headerText: 'No. {{1}}' });
  });
  afterAll(() => wire.stop());

  const send = (body: Json): Promise<Json> => wire.accepted(member, { broadcast_name: 'Codes', ...body });
  const detail = async (requestId: unknown): Promise<Json> =>
    dataOf(await wire.get(`/v6/api/campaigns/${String(requestId)}`, member));
  const retry = (requestId: unknown) => wire.act(`/v6/api/campaigns/${String(requestId)}/retry-failed`, member);
  /** Fails recipients that a carrier has taken. */
  const fail = async (requestId: unknown, seqs: readonly number[]): Promise<void> => {
    await vi.waitFor(async () => {
      const contacts = listOf(await wire.get(`/v6/api/campaigns/${String(requestId)}/contacts`, member));
      for (const { provider_message_id } of contacts) expect(provider_message_id).not.toBeNull();
    }, WAIT);
    await wire.settle(String(requestId), seqs, RecipientStatus.Failed, 'gone');
  };

  it('fills a template in again with the values of each, as it may be sent now', async () => {
    const recipients = [
      { to: NUMBERS[0], variables: { name: 'Asha', no: '7' } },
      { to: NUMBERS[1], variables: { no: '8' } },
      { to: NUMBERS[2], variables: { name: 'Bo {{no}}', no: '9' } },
    ];
    const components = [
      { type: 'header', parameters: [text('{{no}}')] },
      { type: 'body', parameters: [text('{{name|you}}')] },
    ];
    const { request_id } = await send({ channel: 'template', template: { name: 'order', components }, recipients });
    const said = (no: string, name: string) => [
      { type: 'header', parameters: [text(no)] },
      { type: 'body', parameters: [text(name)] },
    ];
    await wire.chatted(3);
    await fail(request_id, [2, 3]);

    const change = (fields: string): Promise<unknown> =>
      wire.dataSource.query(`UPDATE templates SET ${fields} WHERE account_id = ?`, [member.account.id]);
    await change(`body = 'Hi {{1}} and {{2}}'`);
    const mismatch = 'Template body parameter count does not match the approved template';
    expectRefused(await retry(request_id), 422, mismatch);
    await change(`body = 'Dear {{1}}', category = 2`);
    const child = dataOf(await retry(request_id));
    expect(child).toMatchObject({ retry_of: request_id, total_rows: 2, credits: 2 });
    expect(await wire.credits(member, 'chat_utility_credits')).toBe(98);
    expect(await wire.credits(member, 'chat_marketing_credits')).toBe(97);

    const sent = await wire.chatted(5);
    const componentsOf = (number: string): unknown[] =>
      sent.filter(({ to }) => to === number).map(({ template }) => (template as Json)['components']);
    expect(componentsOf(NUMBERS[0])).toEqual([said('7', 'Asha')]);
    expect(componentsOf(NUMBERS[1])).toEqual([said('8', 'you'), said('8', 'you')]);
    expect(componentsOf(NUMBERS[2])).toEqual([said('9', 'Bo {{no}}'), said('9', 'Bo {{no}}')]);
    await fail(child['request_id'], [1]);
    // a retry of the retry has its values too
    expect(dataOf(await retry(child['request_id']))).toMatchObject({ total_rows: 1 });
    expect((await wire.chatted(6)).filter(({ to }) => to === NUMBERS[1])).toHaveLength(3);
  });

  it('leaves by the rules of the category that the send named', async () => {
    const tables = wire.part(RoutingTables);
    const [codes] = await wire.dataSource.query<{ id: number }[]>("SELECT id FROM routes WHERE name = 'codes'");
    const rule = { prefixes: ['91'], accounts: null, categories: ['otp'], routes: [Number(codes?.id)] };
    await wire.dataSource.transaction((tx) => tables.put(tx, { name: 't', channel: 'sms', rules: [rule] }));
    tables.forget();

    const body = {
      channel: 'sms',
      message: 'Code {{code}}',
      recipients: [{ to: NUMBERS[0], variables: { code: '1' } }],
    };
    const named = await send({ ...body, category: 'otp' });
    const plain = await send(body);
    await wire.left('codes', 1);
    await wire.left('texts', 1);
    expect([await detail(named['request_id']), await detail(plain['request_id'])]).toMatchObject([
      { category: 'otp' },
      { category: null },
    ]);
    for (const { request_id } of [named, plain]) await fail(request_id, [1]);
    const again = dataOf(await retry(named['request_id']));
    expect(await wire.left('codes', 2)).toMatchObject([{ text: 'Code 1' }, { text: 'Code 1' }]);
    expect(await detail(again['request_id'])).toMatchObject({ category: 'otp', retry_of: named['request_id'] });
    await retry(plain['request_id']);
    await wire.left('texts', 2);
  });
});
