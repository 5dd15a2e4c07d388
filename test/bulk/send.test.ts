import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type Bulk, openBulk } from '../support/bulk.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { expectRefused, type Member } from '../support/sms.js';

const ONE = '919812345671';
const TWO = '919812345672';
const THREE = '919812345673';
const SMS = { channel: 'sms', broadcast_name: 'Codes', message: 'Hi {{name|there}}, {{code}}' };
const LONG = 'x'.repeat(151);
const RECIPIENTS = [
  { to: `+${ONE}`, variables: { name: 'Zoë', code: 7 } },
  { to: TWO, variables: { code: LONG } },
  { to: ONE, variables: { code: true, unused: 'x' } },
];

let bulk: Bulk;
let member: Member;

beforeAll(async () => {
  bulk = await openBulk();
  await bulk.addRoute('chat', true, 'unofficial');
  member = await bulk.join({ gsm_credits: 10_000, bulk_chat_credits: 100, chat_marketing_credits: 100 });
  await bulk.connect(member, 'official');
  await bulk.template(member, 'plain');
  await bulk.template(member, 'order', { body: 'Hi {{1}}, order {{2}}' });
});
afterAll(() => bulk.stop());

const rest = (data: Json, path: string) => bulk.get(`/v6/api/campaigns/${String(data['request_id'])}${path}`, member);

describe('an accepted personalised send', () => {
  it('answers exactly the fields of reference/bulk#answer, and charges each recipient by its own text', async () => {
    const before = Number(await bulk.credits(member));
    const answer = await bulk.bulk(member, { ...SMS, recipients: RECIPIENTS });
    expect(answer.body).toEqual({
      success: true,
      data: {
        request_id: expect.stringMatching(/^GSMCAMP_\d{8}_[A-Z0-9]{6}$/) as unknown,
        channel: 'sms',
        state: 'accepted',
        recipients: 3,
        credits: 4,
        test: false,
        balance: 'gsm_credits',
        duplicates: [ONE],
        duplicates_count: 1,
        warned: 0,
        route: 'default',
        scheduled_at: null,
      },
    });
    expect(answer.status).toBe(202);
    expect(await bulk.credits(member)).toBe(before - 4);
    const data = dataOf(answer);
    expect(dataOf(await rest(data, ''))).toMatchObject({ credits: 4, total_rows: 3, status_counts: { PP1: 3 } });
    const contacts = listOf(await rest(data, '/contacts'));
    expect(contacts.map(({ receiver, credits }) => [receiver, credits])).toEqual([
      [ONE, 1],
      [TWO, 2],
      [ONE, 1],
    ]);
  });

  it('tells what a recipient reads at the begin of its timeline', async () => {
    const data = await bulk.accepted(member, { ...SMS, recipients: RECIPIENTS });
    const queued = async (seq: number): Promise<unknown> => {
      const { events } = dataOf(await rest(data, `/contacts/${seq}/timeline`)) as { events: Json[] };
      return events.find(({ event }) => event === 'queued')?.['details'];
    };
    expect(await queued(1)).toMatchObject({ text: 'Hi Zoë, 7', segments: 1, credits: 1 });
    expect(await queued(2)).toMatchObject({ text: `Hi there, ${LONG}`, segments: 2, credits: 2 });
    expect(await queued(3)).toMatchObject({ text: 'Hi there, true', segments: 1, credits: 1 });
  });

  it('of the same text for all costs and is stored as a broadcast is', async () => {
    const data = await bulk.accepted(member, { ...SMS, message: 'Hello', contacts: [ONE, 919812345672, TWO] });
    expect(data).toMatchObject({ recipients: 3, credits: 3, duplicates_count: 1 });
    const stored = await bulk.campaign({ body: data } as never);
    expect(stored).toMatchObject({ own_terms: 0, service: 'default', broadcast_name: 'Codes' });
    expect(JSON.parse(String(stored['content']))).toEqual({ message: 'Hello' });
  });

  it('keeps of the variables what the text names, and only that', async () => {
    const data = await bulk.accepted(member, { ...SMS, recipients: RECIPIENTS });
    const rows = await bulk.variables(data['request_id']);
    expect(rows).toEqual([{ name: 'Zoë', code: '7' }, { code: LONG }, { code: 'true' }]);
  });

  it('of unofficial chat and of templates is paid from their balances', async () => {
    const urls = { img1: 'https://f.example/1.jpg', media_with_caption: 'true' };
    const chat = await bulk.accepted(member, {
      ...{ ...SMS, channel: 'unofficial', route: 'chat', recipients: RECIPIENTS },
      ...urls,
    });
    expect(chat).toMatchObject({ credits: 3, balance: 'bulk_chat_credits', route: 'chat', channel: 'unofficial' });
    const recipients = [{ to: ONE, variables: { 1: 'Zoë', 2: 7 } }];
    const template = { channel: 'template', broadcast_name: 'Orders', template: 'order', recipients };
    expect(await bulk.accepted(member, template)).toMatchObject({
      credits: 1,
      balance: 'chat_marketing_credits',
      route: 'official',
    });
    const named = { type: 'body', parameters: ['{{name|there}}', '{{code}}'].map((text) => ({ type: 'text', text })) };
    expect(
      await bulk.accepted(member, {
        channel: 'branded',
        broadcast_name: 'Orders',
        template: { name: 'order', language: { code: 'en_US' }, components: [named] },
        recipients: RECIPIENTS,
      }),
    ).toMatchObject({ credits: 3, channel: 'branded', route: 'official' });
    const plain = { channel: 'template', broadcast_name: 'Orders', template: { name: 'plain' }, contacts: [ONE] };
    expect(await bulk.accepted(member, plain)).toMatchObject({ recipients: 1 });
  });

  it('says when it is sent with the offset, and that clocks show that time twice', async () => {
    const berlin = await bulk.join(100, { timeZone: 'Europe/Berlin' });
    const body = { ...SMS, recipients: RECIPIENTS, schedule_time: '2027-10-31 02:30:00' };
    const answer = await bulk.bulk(berlin, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    expect(dataOf(answer)).toMatchObject({ scheduled_at: '2027-10-31T02:30:00+02:00' });
    expect(answer.body['warnings']).toMatchObject([{ code: 'schedule_time_moved', field: 'schedule_time' }]);
    const later = await bulk.bulk(berlin, { ...body, schedule_time: '2027-10-31T02:30:00+01:00' });
    expect(dataOf(later)).toMatchObject({ scheduled_at: '2027-10-31T02:30:00+01:00' });
    expect(later.body).not.toHaveProperty('warnings');
  });

  it('is scheduled, cut in its name, and repeated under an Idempotency-Key', async () => {
    const before = Number(await bulk.credits(member));
    const body = {
      ...{ ...SMS, broadcast_name: '😀'.repeat(101), recipients: RECIPIENTS },
      schedule_time: '2099-05-02T09:30:00Z',
    };
    const key = { 'idempotency-key': `bulk-${Date.now()}` };
    const first = await bulk.bulk(member, body, key);
    expect(dataOf(first)).toMatchObject({ scheduled_at: '2099-05-02T09:30:00+00:00', credits: 4 });
    const again = await bulk.bulk(member, body, key);
    expect([again.status, again.body]).toEqual([202, first.body]);
    expectRefused(
      await bulk.bulk(member, { ...body, message: 'Hi {{code}}' }, key),
      422,
      'Idempotency-Key was used with another body',
    );
    expect(await bulk.credits(member)).toBe(before - 4);
    expect(await bulk.campaign({ body: dataOf(first) } as never)).toMatchObject({ broadcast_name: '😀'.repeat(100) });
  });

  it('is sent again by the rules of its category', async () => {
    const admin = await bulk.join(0, { userType: 'admin' });
    const promo = await bulk.addRoute('promo', false);
    const rules = [{ prefixes: ['91'], categories: ['promo'], routes: ['promo'] }];
    const put = await bulk.request('/v6/api/admin/routing/categories', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${admin.token}` },
      body: JSON.stringify({ channel: 'sms', rules }),
    });
    expect(put.status, JSON.stringify(put.body)).toBe(200);
    const data = await bulk.accepted(member, { ...SMS, category: 'promo', recipients: RECIPIENTS });
    await bulk.begin(String(data['request_id']));
    await bulk.settle(String(data['request_id']), [1, 2, 3], RecipientStatus.Failed);
    const again = dataOf(await bulk.act(`/v6/api/campaigns/${String(data['request_id'])}/retry-failed`, member));
    for (const { request_id } of [data, again]) {
      expect(await bulk.campaign({ body: { request_id } } as never)).toMatchObject({ route_id: promo });
    }
  });

  it('leaves texts of the other routes literal', async () => {
    const id = await bulk.send(member, [THREE], { message: 'Hi {{name}}' });
    const stored = await bulk.campaign({ body: { request_id: id } } as never);
    expect(JSON.parse(String(stored['content']))).toEqual({ message: 'Hi {{name}}' });
  });
});
