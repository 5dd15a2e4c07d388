import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeliveryTraces, WebhookSender } from '../../src/modules/webhooks/delivery/webhook-sender.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { until } from '../support/processes.js';
import type { Member } from '../support/sms.js';
import { type Hook, NUMBER, openWebhooks, type Webhooks } from '../support/webhooks.js';
import type { Delivery } from '../support/webhook-receiver.js';

const UNTRACED = { begin: () => Promise.resolve(null) } as unknown as DeliveryTraces;

const headersOf = ({ headers }: Delivery): Record<string, string> => headers as Record<string, string>;

/** Delivering to customers' servers (reference/webhooks#tries), by a real worker. */
describe('delivering webhooks', () => {
  let webhooks: Webhooks;
  let member: Member;

  beforeAll(async () => {
    webhooks = await openWebhooks();
    await webhooks.worker();
    member = await webhooks.join();
  });
  afterAll(() => webhooks.stop());

  it('is signed so that an independent verifier takes it, and refuses what was tampered with, is old or foreign', async () => {
    const hook = await webhooks.hook(member, ['gsm.status.update']);
    const requestId = await webhooks.sent(member);
    const [delivery] = await webhooks.received(hook, 1);
    expect(new Webhook(hook.secret).verify(delivery!.text, headersOf(delivery!))).toEqual({
      event: 'gsm.status.update',
      providerMessageId: requestId,
      receiver: NUMBER,
      status: 'SENT',
      status_code: 0,
      error_code: null,
      errorMessage: null,
    });
    expect(delivery!.headers['content-type']).toBe('application/json');
    const refused = (secret: string, text: string, changes: Record<string, string> = {}) => {
      expect(() => new Webhook(secret).verify(text, { ...headersOf(delivery!), ...changes })).toThrow();
    };
    refused(hook.secret, delivery!.text.replace('SENT', 'READ'));
    refused(hook.secret, delivery!.text, { 'webhook-id': 'evt_other' });
    refused(hook.secret, delivery!.text, { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 301) });
    refused((await webhooks.hook(await webhooks.join(), ['gsm.status.update'])).secret, delivery!.text);
  });

  it('signs with both secrets for a day after a rotation, then with the new one', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    const fresh = String(dataOf(await webhooks.call('POST', `/${hook.id}/rotate-secret`, owner))['secret']);
    await webhooks.sent(owner);
    const [first] = await webhooks.received(hook, 1);
    expect(first!.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [hook.secret, fresh]) new Webhook(secret).verify(first!.text, headersOf(first!));
    await webhooks.dataSource.query('UPDATE webhook_endpoints SET previous_until = UTC_TIMESTAMP(3) WHERE id = ?', [
      hook.id,
    ]);
    await webhooks.sent(owner);
    const second = (await webhooks.received(hook, 2))[1];
    new Webhook(fresh).verify(second!.text, headersOf(second!));
    expect(() => new Webhook(hook.secret).verify(second!.text, headersOf(second!))).toThrow();
  });

  it('tries again under the same id until 2xx, and shows every try in the log and in the timeline', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    let tries = 0;
    webhooks.receiver.answering = ({ path }) => (path === hook.path && ++tries < 3 ? 503 : undefined);
    const requestId = await webhooks.sent(owner);
    const deliveries = await webhooks.received(hook, 3);
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(1);
    expect(new Set(deliveries.map(({ text }) => text)).size).toBe(1);
    const log = await webhooks.logged(owner, hook, 3);
    const base = { event_id: deliveries[0]!.id, type: 'gsm.status.update' };
    expect(log).toMatchObject([
      { ...base, attempt: 1, status_code: 503, error: 'Answered 503: out of order' },
      { ...base, attempt: 2, status_code: 503, error: 'Answered 503: out of order' },
      { ...base, attempt: 3, status_code: 200, error: null, next_attempt_at: null },
    ]);
    expect(Object.keys(log[0] ?? {})).toEqual([
      'event_id',
      'type',
      'attempt',
      'status_code',
      'error',
      'duration_ms',
      'created_at',
      'next_attempt_at',
      'test',
    ]);
    expect(log[0]?.['next_attempt_at']).toMatch(/^\d{4}-/);
    expect(await webhooks.waiting(hook)).toBe(0);
    const timeline = dataOf(await webhooks.get(`/v6/api/campaigns/${requestId}/contacts/1/timeline`, owner));
    const events = (timeline['events'] as Json[]).filter(({ event }) => event === 'webhook');
    expect(events.map(({ details }) => details)).toMatchObject([
      { webhook_id: hook.id, attempt: 1, status_code: 503 },
      { webhook_id: hook.id, attempt: 2, status_code: 503 },
      { webhook_id: hook.id, attempt: 3, status_code: 200, error: null },
    ]);
  });

  it('gives up at the end of the plan; a replay begins it anew and attempts count on', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    webhooks.receiver.answering = ({ path }) => (path === hook.path ? 500 : undefined);
    await webhooks.sent(owner);
    const log = await webhooks.logged(owner, hook, 3);
    expect(log[2]).toMatchObject({ attempt: 3, next_attempt_at: null });
    await until('it to be given up', async () => (await webhooks.waiting(hook)) === 0);
    webhooks.receiver.answering = () => undefined;
    const id = String(log[0]?.['event_id']);
    const replay = await webhooks.call('POST', `/events/${id}/replay`, owner);
    expect(replay.status).toBe(200);
    expect(replay.body).toEqual({
      success: true,
      message: 'Webhook event queued for delivery',
      data: { event_id: id, webhooks: 1 },
    });
    expect((await webhooks.logged(owner, hook, 4))[3]).toMatchObject({ event_id: id, attempt: 4, status_code: 200 });
    expect((await webhooks.received(hook, 4)).map((delivery) => delivery.id)).toEqual([id, id, id, id]);
    expect((await webhooks.call('POST', `/events/${id}/replay`, member)).status).toBe(404);
  });

  it('waits for an answer as long as WEBHOOK_TIMEOUT says', async () => {
    const client = new OutboundClient({ OUTBOUND_ALLOW: '127.0.0.0/8' });
    const sender = new WebhookSender({ WEBHOOK_TIMEOUT: 200 }, client, UNTRACED);
    const endpoint = {
      id: 1,
      fence: 1,
      accountId: 1,
      url: webhooks.receiver.url('/slow'),
      secrets: ['whsec_AAAA'],
      isFailing: false,
    };
    const plan = { tries: 0, attempts: 0, revision: 0 };
    const delivery = { eventId: 'evt_slow', dueAt: new Date(), type: 'gsm.status.update', body: '{}', ...plan };
    webhooks.receiver.answering = ({ path }) => (path === '/slow' ? 'hang' : undefined);
    expect(await sender.attempt(endpoint, delivery, '{}')).toMatchObject({
      ok: false,
      statusCode: null,
      error: 'No answer in time',
    });
    expect(webhooks.receiver.to('/slow')).toHaveLength(1);
    webhooks.receiver.answering = () => undefined;
    await client.onApplicationShutdown();
  });

  it('follows no redirect', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    webhooks.receiver.answering = ({ path }, response) => {
      if (path !== hook.path) return undefined;
      response.writeHead(302, { location: webhooks.receiver.url('/elsewhere') }).end();
      return undefined;
    };
    await webhooks.sent(owner);
    expect((await webhooks.logged(owner, hook, 1))[0]).toMatchObject({
      status_code: 302,
      error: 'Answered 302: Redirects are not followed',
    });
    expect(webhooks.receiver.to('/elsewhere')).toEqual([]);
    webhooks.receiver.answering = () => undefined;
  });

  it('stops at 410 and says why; PATCH active revives it', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    webhooks.receiver.answering = ({ path }) => (path === hook.path ? 410 : undefined);
    await webhooks.sent(owner);
    await until('it to be disabled', async () => (await webhooks.view(owner, hook))['status'] === 'disabled');
    expect((await webhooks.view(owner, hook))['disabled_reason']).toBe('The endpoint answered 410 Gone');
    await webhooks.sent(owner);
    expect(await webhooks.recorded(owner)).toHaveLength(1);
    webhooks.receiver.answering = () => undefined;
    await webhooks.call('PATCH', `/${hook.id}`, owner, { status: 'active' });
    await webhooks.sent(owner);
    expect(await webhooks.received(hook, 2)).toHaveLength(2);
  });

  it('is disabled after five days of failures, and not by a failure after a success', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    const failFor = (days: number) =>
      webhooks.dataSource.query(
        'UPDATE webhook_endpoints SET failing_since = UTC_TIMESTAMP(3) - INTERVAL ? DAY WHERE id = ?',
        [days, hook.id],
      );
    await failFor(6);
    await webhooks.sent(owner);
    await webhooks.logged(owner, hook, 1);
    const [row] = await webhooks.dataSource.query<{ failing_since: Date | null }[]>(
      'SELECT failing_since FROM webhook_endpoints WHERE id = ?',
      [hook.id],
    );
    expect(row?.failing_since).toBeNull();
    webhooks.receiver.answering = ({ path }) => (path === hook.path ? 500 : undefined);
    await failFor(4);
    await webhooks.sent(owner);
    await webhooks.logged(owner, hook, 4);
    expect((await webhooks.view(owner, hook))['status']).toBe('active');
    await failFor(5);
    await webhooks.sent(owner);
    await until('it to be disabled', async () => (await webhooks.view(owner, hook))['status'] === 'disabled');
    expect((await webhooks.view(owner, hook))['disabled_reason']).toBe('Every delivery failed for 5 days');
    webhooks.receiver.answering = () => undefined;
  });

  it('counts the failures of another URL anew', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    await webhooks.dataSource.query(
      `UPDATE webhook_endpoints SET failing_since = UTC_TIMESTAMP(3) - INTERVAL 6 DAY,
         held_until = UTC_TIMESTAMP(3) + INTERVAL 1 HOUR WHERE id = ?`,
      [hook.id],
    );
    await webhooks.call('PATCH', `/${hook.id}`, owner, { url: webhooks.receiver.url('/moved') });
    webhooks.receiver.answering = ({ path }) => (path === '/moved' ? 500 : undefined);
    await webhooks.sent(owner);
    await webhooks.logged(owner, hook, 3);
    expect((await webhooks.view(owner, hook))['status']).toBe('active');
    webhooks.receiver.answering = () => undefined;
  });

  it('waits as long as Retry-After says, with everything of that endpoint', async () => {
    const owner = await webhooks.join();
    const hook = await webhooks.hook(owner, ['gsm.status.update']);
    webhooks.receiver.answering = ({ path }, response) => {
      if (path === hook.path) response.writeHead(429, { 'retry-after': '3600' }).end();
      return undefined;
    };
    await webhooks.sent(owner);
    const [log] = await webhooks.logged(owner, hook, 1);
    const wait = Date.parse(`${String(log?.['next_attempt_at'])}Z`) - Date.parse(`${String(log?.['created_at'])}Z`);
    expect(wait).toBeGreaterThanOrEqual(3_599_000);
    await webhooks.sent(owner);
    const other = await webhooks.hook(owner, ['gsm.status.update']);
    await webhooks.sent(owner);
    await webhooks.received(other, 1); // workers have looked since
    expect(webhooks.receiver.to(hook.path)).toHaveLength(1);
    webhooks.receiver.answering = () => undefined;
  });

  it('does not reach private addresses that the operator did not open, whatever they are called', async () => {
    const owner = await webhooks.join();
    const hooks: Hook[] = [];
    for (const url of [
      'http://10.0.0.1/x',
      'http://[::1]:9/x',
      'http://169.254.169.254/latest',
      'http://0x0a000001/',
    ]) {
      const hook = await webhooks.hook(owner, ['gsm.status.update'], 'https://shop.example/');
      // as a name would that leads elsewhere since
      await webhooks.dataSource.query('UPDATE webhook_endpoints SET url = ? WHERE id = ?', [url, hook.id]);
      hooks.push(hook);
    }
    await webhooks.sent(owner);
    for (const hook of hooks) {
      expect((await webhooks.logged(owner, hook, 1))[0]).toMatchObject({
        status_code: null,
        error: 'Address is not allowed',
      });
    }
  });
});
