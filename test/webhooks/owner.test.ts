import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CUSTOMER_EVENT_TYPES } from '../../src/modules/webhooks/events.js';
import { dataOf, listOf } from '../support/campaigns.js';
import { expectRefused } from '../support/sms.js';
import { openWebhooks, type Webhooks } from '../support/webhooks.js';

/** What owners do with webhooks (reference/webhooks#own-routes). */
describe('webhooks of an account', () => {
  let webhooks: Webhooks;
  const good = { url: 'https://shop.example/hook', events: ['gsm.status.update'] };

  beforeAll(async () => {
    webhooks = await openWebhooks();
  });
  afterAll(() => webhooks.stop());

  it('are created with a secret that is shown once and sealed at rest', async () => {
    const member = await webhooks.join();
    const answer = await webhooks.call('POST', '', member, { ...good, id: 7, secret: 'whsec_mine' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { secret, ...data } = dataOf(answer);
    expect(answer.body).toMatchObject({ success: true, message: 'Webhook created successfully' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(data).toEqual({
      id: expect.any(Number) as number,
      ...good,
      status: 'active',
      disabled_reason: null,
      created_by: { kind: 'account', id: member.account.id, name: member.account.username },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
      updated_at: expect.stringMatching(/^\d{4}-/) as string,
    });
    const list = await webhooks.call('GET', '', member);
    expect(list.body).toEqual({ success: true, data: [data], page: 1, limit: 50, total: 1, next_cursor: null });
    expect((await webhooks.call('GET', `/${String(data['id'])}`, member)).body).toEqual({ success: true, data });
    const [row] = await webhooks.dataSource.query<{ secret: string }[]>(
      'SELECT secret FROM webhook_endpoints WHERE id = ?',
      [data['id']],
    );
    expect(row?.secret).not.toContain(String(secret).slice(6));
  });

  it.each([
    [{ events: good.events }, 'url is required'],
    [{ ...good, url: ' ' }, 'url is required'],
    [{ ...good, url: 7 }, 'url must be a valid http or https URL'],
    [{ ...good, url: {} }, 'url must be a valid http or https URL'],
    [{ ...good, url: 'ftp://shop.example/' }, 'url must be a valid http or https URL'],
    [{ ...good, url: 'shop.example' }, 'url must be a valid http or https URL'],
    [{ ...good, url: `https://shop.example/${'x'.repeat(2048)}` }, 'url must be at most 2048 characters'],
    [{ url: good.url }, 'events must be a non-empty array'],
    [{ ...good, events: [] }, 'events must be a non-empty array'],
    [{ ...good, events: 'gsm.status.update' }, 'events must be a non-empty array'],
    [{ ...good, events: ['gsm.status.update', 'sms.sent'] }, `events must be of: ${CUSTOMER_EVENT_TYPES.join(', ')}`],
    [{ ...good, events: [null] }, `events must be of: ${CUSTOMER_EVENT_TYPES.join(', ')}`],
    [{ ...good, events: ['gsm.status.update', 'gsm.status.update'] }, 'events must not repeat'],
  ])('refuse %j', async (body, message) => {
    const member = await webhooks.join();
    expectRefused(await webhooks.call('POST', '', member, body), 400, message);
    const hook = await webhooks.hook(member, good.events);
    if ('url' in body && 'events' in body) {
      expectRefused(await webhooks.call('PATCH', `/${hook.id}`, member, body), 400, message);
    }
  });

  it('are ten at the most, however many are asked for at once', async () => {
    const member = await webhooks.join();
    const answers = await Promise.all(Array.from({ length: 14 }, () => webhooks.call('POST', '', member, good)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) expectRefused(answer, 409, 'At most 10 webhooks are allowed');
    const hooks = listOf(await webhooks.call('GET', '', member));
    expect(hooks).toHaveLength(10);
    await webhooks.call('DELETE', `/${String(hooks[3]?.['id'])}`, member);
    expect((await webhooks.call('POST', '', member, good)).status).toBe(201);
  });

  it('change, rest, wake and go', async () => {
    const member = await webhooks.join();
    const hook = await webhooks.hook(member, good.events);
    const changed = await webhooks.call('PATCH', `/${hook.id}`, member, {
      url: 'http://other.example/x',
      secret: 'no',
    });
    expect(changed.body).toMatchObject({ success: true, message: 'Webhook updated successfully' });
    expect(dataOf(changed)).toMatchObject({ url: 'http://other.example/x', events: good.events });
    expect(dataOf(changed)).not.toHaveProperty('secret');
    expect((await webhooks.call('PATCH', `/${hook.id}`, member, {})).status).toBe(200);
    await webhooks.call('PATCH', `/${hook.id}`, member, { status: 'disabled', events: ['campaign.completed'] });
    expect(await webhooks.view(member, hook)).toMatchObject({
      events: ['campaign.completed'],
      status: 'disabled',
      disabled_reason: 'Disabled by the account',
    });
    expectRefused(
      await webhooks.call('PATCH', `/${hook.id}`, member, { status: 'asleep' }),
      400,
      'status must be one of: active, disabled',
    );
    await webhooks.call('PATCH', `/${hook.id}`, member, { status: 'active' });
    expect(await webhooks.view(member, hook)).toMatchObject({ status: 'active', disabled_reason: null });
    const rotated = await webhooks.call('POST', `/${hook.id}/rotate-secret`, member);
    expect(rotated.status).toBe(200);
    expect(dataOf(rotated)['secret']).not.toBe(hook.secret);
    expect((await webhooks.call('DELETE', `/${hook.id}`, member)).body).toEqual({
      success: true,
      message: 'Webhook deleted successfully',
    });
    expect(listOf(await webhooks.call('GET', '', member))).toEqual([]);
    expect((await webhooks.audit(member.account.username)).map(({ action }) => action)).toEqual([
      'webhook.create',
      'webhook.change',
      'webhook.change',
      'webhook.change',
      'webhook.rotate',
      'webhook.remove',
    ]);
  });

  it("are not there for anybody else, and neither are odd ids nor others' events", async () => {
    const [member, other] = [await webhooks.join(), await webhooks.join()];
    const hook = await webhooks.hook(member, good.events);
    for (const id of [String(hook.id), '0', 'abc', '99999999999999999999', '1e3', '%27']) {
      for (const [method, path, body] of [
        ['GET', `/${id}`],
        ['PATCH', `/${id}`, { url: 'odd' }],
        ['DELETE', `/${id}`],
        ['POST', `/${id}/rotate-secret`],
        ['GET', `/${id}/attempts`],
      ] as const) {
        expectRefused(await webhooks.call(method, path, other, body), 404, 'Webhook not found');
      }
    }
    for (const id of ['evt_1', 'ü', '%00', 'x'.repeat(300)]) {
      expectRefused(await webhooks.call('POST', `/events/${id}/replay`, member), 404, 'Webhook event not found');
    }
    expectRefused(await webhooks.call('GET', '', null), 401, 'Invalid Authorization token');
  });
});

describe.each([
  { OUTBOUND_ALLOW: '', open: ['https://shop.example/'], closed: ['http://shop.example/', 'http://93.184.216.34/'] },
  {
    OUTBOUND_ALLOW: '10.0.0.0/8',
    // that of a host is checked when its address is known
    open: ['https://93.184.216.34/', 'http://10.1.2.3/', 'http://inside.example/'],
    closed: ['http://93.184.216.34/', 'http://[2606:2800:220:1::1]/'],
  },
])('webhooks in production with OUTBOUND_ALLOW=$OUTBOUND_ALLOW', ({ OUTBOUND_ALLOW, open, closed }) => {
  let webhooks: Webhooks;
  beforeAll(async () => {
    webhooks = await openWebhooks({ NODE_ENV: 'production', OUTBOUND_ALLOW });
  });
  afterAll(() => webhooks.stop());

  it('are https, but where the network was opened', async () => {
    const member = await webhooks.join();
    const events = ['gsm.status.update'];
    for (const url of open) expect((await webhooks.call('POST', '', member, { url, events })).status, url).toBe(201);
    const hook = await webhooks.hook(member, events, open[0]);
    for (const url of closed) {
      expectRefused(await webhooks.call('POST', '', member, { url, events }), 400, 'url must be https');
      expectRefused(await webhooks.call('PATCH', `/${hook.id}`, member, { url }), 400, 'url must be https');
    }
  });
});
