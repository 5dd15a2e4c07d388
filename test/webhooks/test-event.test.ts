import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Json } from '../support/campaigns.js';
import { NameServer } from '../support/name-server.js';
import { expectRefused, type Member } from '../support/sms.js';
import { type Hook, openWebhooks, type Webhooks } from '../support/webhooks.js';

const EVENTS = ['gsm.status.update', 'campaign.completed'];

/** Test events (reference/webhooks#test). */
describe('a test event', () => {
  let webhooks: Webhooks;
  beforeAll(async () => {
    webhooks = await openWebhooks({ OUTBOUND_ALLOW: '127.0.0.0/8', WEBHOOK_TIMEOUT: 500, BROADCAST_RATE_LIMIT: 10 });
  });
  afterAll(() => webhooks.stop());

  const tested = async (member: Member, hook: Hook, body?: unknown): Promise<Json> => {
    const answer = await webhooks.call('POST', `/${hook.id}/test`, member, body);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ success: true, message: 'Test event sent' });
    return dataOf(answer);
  };

  it('is sent at once, signed and marked, and stands in the log', async () => {
    const member = await webhooks.join();
    const hook = await webhooks.hook(member, EVENTS);
    const data = await tested(member, hook);
    expect(data).toEqual({
      event_id: expect.stringMatching(/^tst_[0-9a-f]{32}$/) as string,
      type: 'gsm.status.update',
      delivered: true,
      status_code: 200,
      error: null,
      answer: expect.any(String) as string,
      duration_ms: expect.any(Number) as number,
    });
    const [delivery] = webhooks.receiver.to(hook.path);
    expect(delivery?.id).toBe(data['event_id']);
    expect(delivery?.body).toMatchObject({ event: 'gsm.status.update', status: 'DELIVERED', test: true });
    const at = String(delivery?.headers['webhook-timestamp']);
    const key = Buffer.from(hook.secret.slice(6), 'base64');
    const signed = createHmac('sha256', key).update(`${delivery?.id}.${at}.${delivery?.text}`).digest('base64');
    expect(delivery?.headers['webhook-signature']).toBe(`v1,${signed}`);
    const [logged] = await webhooks.attempts(member, hook);
    expect(logged).toMatchObject({ event_id: data['event_id'], type: data['type'], attempt: 1, test: true });
    expect(logged).toMatchObject({ status_code: 200, error: null, next_attempt_at: null });
    const replayed = await webhooks.call('POST', `/events/${String(data['event_id'])}/replay`, member);
    expectRefused(replayed, 404, 'Webhook event not found');
  });

  it('is of the type that is asked for, which the webhook must take', async () => {
    const member = await webhooks.join();
    const hook = await webhooks.hook(member, EVENTS);
    expect(await tested(member, hook, { type: 'campaign.completed' })).toMatchObject({ type: 'campaign.completed' });
    expect(webhooks.receiver.to(hook.path)[0]?.body).toMatchObject({ event: 'campaign.completed', test: true });
    for (const type of ['voice.status.update', '', 7, {}, ['gsm.status.update']]) {
      const answer = await webhooks.call('POST', `/${hook.id}/test`, member, { type });
      expectRefused(answer, 400, 'type must be one of the events of the webhook');
    }
  });

  it('tells what the endpoint says, and neither failure nor 410 counts', async () => {
    const member = await webhooks.join();
    const hook = await webhooks.hook(member, EVENTS);
    webhooks.receiver.answering = ({ path }, response) => {
      if (path !== hook.path) return undefined;
      response.writeHead(410).end('x'.repeat(5_000));
      return 'hang';
    };
    const data = await tested(member, hook);
    expect(data).toMatchObject({ delivered: false, status_code: 410, error: 'Answered 410' });
    expect(data['answer']).toBe('x'.repeat(1_024));
    webhooks.receiver.answering = ({ path }) => (path === hook.path ? 'hang' : undefined);
    expect(await tested(member, hook)).toMatchObject({
      delivered: false,
      status_code: null,
      error: 'No answer in time',
      answer: '',
    });
    webhooks.receiver.answering = () => undefined;
    expect(await webhooks.view(member, hook)).toMatchObject({ status: 'active', disabled_reason: null });
    const [row] = await webhooks.dataSource.query<{ failing_since: Date | null }[]>(
      'SELECT failing_since FROM webhook_endpoints WHERE id = ?',
      [hook.id],
    );
    expect(row?.failing_since).toBeNull();
    await webhooks.call('PATCH', `/${hook.id}`, member, { status: 'disabled' });
    expect(await tested(member, hook)).toMatchObject({ delivered: true });
    expect(await webhooks.view(member, hook)).toMatchObject({ status: 'disabled' });
  });

  it("is not there for anybody else's, and ten a minute", async () => {
    const [member, other] = [await webhooks.join(), await webhooks.join()];
    const hook = await webhooks.hook(member, EVENTS);
    expectRefused(await webhooks.call('POST', `/${hook.id}/test`, other), 404, 'Webhook not found');
    expectRefused(await webhooks.call('POST', '/abc/test', other), 404, 'Webhook not found');
    expectRefused(await webhooks.call('POST', `/${hook.id}/test`, null), 401, 'Invalid Authorization token');
    for (let count = 0; count < 10; count++) await tested(member, hook);
    const answer = await webhooks.call('POST', `/${hook.id}/test`, member);
    expectRefused(answer, 429, 'Too many requests. Please try again later.');
    expect(webhooks.receiver.to(hook.path)).toHaveLength(10);
  });
});

/** Addresses that no try would call are not registered (reference/webhooks#addresses). */
describe('an address', () => {
  let webhooks: Webhooks;
  let names: NameServer;
  const events = ['gsm.status.update'];
  const closed = 'url must lead to a public address';

  beforeAll(async () => {
    names = await NameServer.open({ 'inside.example.test': '10.0.0.1', 'shop.example.test': '93.184.216.34' });
    webhooks = await openWebhooks({ OUTBOUND_ALLOW: '', DNS_SERVERS: [names.address], DNS_TIMEOUT: 10_000 });
  });
  afterAll(async () => {
    await webhooks.stop();
    await names.close();
  });

  it.each([
    'http://127.0.0.1/hook',
    'http://2130706433/hook',
    'http://localhost/hook',
    'http://[::1]/hook',
    'http://10.1.2.3/hook',
    'http://192.168.0.1/hook',
    'https://172.16.0.1/hook',
    'http://169.254.169.254/latest',
    'http://[fe80::1]/hook',
    'http://[::ffff:10.0.0.1]/hook',
    'http://inside.example.test/hook',
  ])('that is closed is refused: %s', async (url) => {
    const member = await webhooks.join();
    expectRefused(await webhooks.call('POST', '', member, { url, events }), 400, closed);
    const hook = await webhooks.hook(member, events, 'https://93.184.216.34/hook');
    expectRefused(await webhooks.call('PATCH', `/${hook.id}`, member, { url }), 400, closed);
    expect(await webhooks.view(member, hook)).toMatchObject({ url: 'https://93.184.216.34/hook' });
  });

  it('that is public, or of which nothing is known in time, is taken', async () => {
    const member = await webhooks.join();
    for (const url of ['https://shop.example.test/', 'https://nobody.example.test/']) {
      expect((await webhooks.call('POST', '', member, { url, events })).status, url).toBe(201);
    }
    const begun = performance.now();
    const url = 'https://a.silent.test/';
    expect((await webhooks.call('POST', '', member, { url, events })).status).toBe(201);
    expect(performance.now() - begun).toBeLessThan(8_000);
  });
});
