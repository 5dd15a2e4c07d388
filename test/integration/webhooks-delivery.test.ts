import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/campaigns/index.js';
import { dataOf, type Json, listOf } from '../support/campaign-desk.js';
import { until } from '../support/processes.js';
import type { Member } from '../support/sms-desk.js';
import { type Hook, WebhookDesk } from '../support/webhook-desk.js';
import type { Delivery } from '../support/webhook-receiver.js';

const NUMBER = '919812345678';
const headersOf = ({ headers }: Delivery): Record<string, string> => headers as Record<string, string>;

/** Delivering to customers' servers (decisions §9), by a real worker. */
describe('delivering webhooks', () => {
  let desk: WebhookDesk;
  let member: Member;

  beforeAll(async () => {
    desk = await (await WebhookDesk.open()).prepare();
    await desk.worker();
    member = await desk.join();
  });
  afterAll(() => desk.stop());

  /** An SMS that the carrier has just taken. */
  async function sent(owner: Member, numbers = [NUMBER]): Promise<string> {
    const requestId = await desk.send(owner, numbers);
    await desk.begin(requestId);
    await desk.settle(
      requestId,
      numbers.map((_, index) => index + 1),
      RecipientStatus.Submitted,
    );
    return requestId;
  }

  it('is signed so that an independent verifier takes it, and refuses what was tampered with, is old or foreign', async () => {
    const hook = await desk.hook(member, ['gsm.status.update']);
    const requestId = await sent(member);
    const [delivery] = await desk.received(hook, 1);
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
    refused((await desk.hook(await desk.join(), ['gsm.status.update'])).secret, delivery!.text);
  });

  it('signs with both secrets for a day after a rotation, then with the new one', async () => {
    const owner = await desk.join();
    const hook = await desk.hook(owner, ['gsm.status.update']);
    const fresh = String(dataOf(await desk.call('POST', `/${hook.id}/rotate-secret`, owner))['secret']);
    await sent(owner);
    const [first] = await desk.received(hook, 1);
    expect(first!.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [hook.secret, fresh]) new Webhook(secret).verify(first!.text, headersOf(first!));
    await desk.dataSource.query('UPDATE webhook_endpoints SET previous_until = UTC_TIMESTAMP(3) WHERE id = ?', [
      hook.id,
    ]);
    await sent(owner);
    const second = (await desk.received(hook, 2))[1];
    new Webhook(fresh).verify(second!.text, headersOf(second!));
    expect(() => new Webhook(hook.secret).verify(second!.text, headersOf(second!))).toThrow();
  });

  it('tries again under the same id until 2xx, and shows every try in the log and in the timeline', async () => {
    const owner = await desk.join();
    const hook = await desk.hook(owner, ['gsm.status.update']);
    let tries = 0;
    desk.receiver.answering = ({ path }) => (path === hook.path && ++tries < 3 ? 503 : undefined);
    const requestId = await sent(owner);
    const deliveries = await desk.received(hook, 3);
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(1);
    expect(new Set(deliveries.map(({ text }) => text)).size).toBe(1);
    const log = await desk.logged(owner, hook, 3);
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
    ]);
    expect(log[0]?.['next_attempt_at']).toMatch(/^\d{4}-/);
    expect(await desk.waiting(hook)).toBe(0);
    const timeline = dataOf(await desk.get(`/v6/api/campaigns/${requestId}/contacts/1/timeline`, owner));
    const events = (timeline['events'] as Json[]).filter(({ event }) => event === 'webhook');
    expect(events.map(({ details }) => details)).toMatchObject([
      { webhook_id: hook.id, attempt: 1, status_code: 503 },
      { webhook_id: hook.id, attempt: 2, status_code: 503 },
      { webhook_id: hook.id, attempt: 3, status_code: 200, error: null },
    ]);
  });

  it('gives up at the end of the plan; a replay begins it anew and attempts count on', async () => {
    const owner = await desk.join();
    const hook = await desk.hook(owner, ['gsm.status.update']);
    desk.receiver.answering = ({ path }) => (path === hook.path ? 500 : undefined);
    await sent(owner);
    const log = await desk.logged(owner, hook, 3);
    expect(log[2]).toMatchObject({ attempt: 3, next_attempt_at: null });
    await until('it to be given up', async () => (await desk.waiting(hook)) === 0);
    desk.receiver.answering = () => undefined;
    const id = String(log[0]?.['event_id']);
    const replay = await desk.call('POST', `/events/${id}/replay`, owner);
    expect(replay.status).toBe(200);
    expect(replay.body).toEqual({
      success: true,
      message: 'Webhook event queued for delivery',
      data: { event_id: id, webhooks: 1 },
    });
    expect((await desk.logged(owner, hook, 4))[3]).toMatchObject({ event_id: id, attempt: 4, status_code: 200 });
    expect((await desk.received(hook, 4)).map((delivery) => delivery.id)).toEqual([id, id, id, id]);
    expect((await desk.call('POST', `/events/${id}/replay`, member)).status).toBe(404);
  });

  it('follows no redirect', async () => {
    const owner = await desk.join();
    const hook = await desk.hook(owner, ['gsm.status.update']);
    desk.receiver.answering = ({ path }, response) => {
      if (path !== hook.path) return undefined;
      response.writeHead(302, { location: desk.receiver.url('/elsewhere') }).end();
      return undefined;
    };
    await sent(owner);
    expect((await desk.logged(owner, hook, 1))[0]).toMatchObject({
      status_code: 302,
      error: 'Answered 302: Redirects are not followed',
    });
    expect(desk.receiver.to('/elsewhere')).toEqual([]);
    desk.receiver.answering = () => undefined;
  });

  it('stops at 410 and says why; PATCH active revives it', async () => {
    const owner = await desk.join();
    const hook = await desk.hook(owner, ['gsm.status.update']);
    desk.receiver.answering = ({ path }) => (path === hook.path ? 410 : undefined);
    await sent(owner);
    await until('it to be disabled', async () => (await desk.view(owner, hook))['status'] === 'disabled');
    expect((await desk.view(owner, hook))['disabled_reason']).toBe('The endpoint answered 410 Gone');
    await sent(owner);
    expect(await desk.recorded(owner)).toHaveLength(1);
    desk.receiver.answering = () => undefined;
    await desk.call('PATCH', `/${hook.id}`, owner, { status: 'active' });
    await sent(owner);
    expect(await desk.received(hook, 2)).toHaveLength(2);
  });

  it('is disabled after five days of failures, and not by a failure after a success', async () => {
    const owner = await desk.join();
    const hook = await desk.hook(owner, ['gsm.status.update']);
    const failFor = (days: number) =>
      desk.dataSource.query(
        'UPDATE webhook_endpoints SET failing_since = UTC_TIMESTAMP(3) - INTERVAL ? DAY WHERE id = ?',
        [days, hook.id],
      );
    await failFor(6);
    await sent(owner);
    await desk.logged(owner, hook, 1);
    const [row] = await desk.dataSource.query<{ failing_since: Date | null }[]>(
      'SELECT failing_since FROM webhook_endpoints WHERE id = ?',
      [hook.id],
    );
    expect(row?.failing_since).toBeNull();
    desk.receiver.answering = ({ path }) => (path === hook.path ? 500 : undefined);
    await failFor(4);
    await sent(owner);
    await desk.logged(owner, hook, 4);
    expect((await desk.view(owner, hook))['status']).toBe('active');
    await failFor(5);
    await sent(owner);
    await until('it to be disabled', async () => (await desk.view(owner, hook))['status'] === 'disabled');
    expect((await desk.view(owner, hook))['disabled_reason']).toBe('Every delivery failed for 5 days');
    desk.receiver.answering = () => undefined;
  });

  it('waits as long as Retry-After says, with everything of that endpoint', async () => {
    const owner = await desk.join();
    const hook = await desk.hook(owner, ['gsm.status.update']);
    desk.receiver.answering = ({ path }, response) => {
      if (path === hook.path) response.writeHead(429, { 'retry-after': '3600' }).end();
      return undefined;
    };
    await sent(owner);
    const [log] = await desk.logged(owner, hook, 1);
    const wait = Date.parse(`${String(log?.['next_attempt_at'])}Z`) - Date.parse(`${String(log?.['created_at'])}Z`);
    expect(wait).toBeGreaterThanOrEqual(3_599_000);
    await sent(owner);
    const other = await desk.hook(owner, ['gsm.status.update']);
    await sent(owner);
    await desk.received(other, 1); // workers have looked since
    expect(desk.receiver.to(hook.path)).toHaveLength(1);
    desk.receiver.answering = () => undefined;
  });

  it('does not reach private addresses that the operator did not open, whatever they are called', async () => {
    const owner = await desk.join();
    const hooks: Hook[] = [];
    for (const url of [
      'http://10.0.0.1/x',
      'http://[::1]:9/x',
      'http://169.254.169.254/latest',
      'http://0x0a000001/',
    ]) {
      hooks.push(await desk.hook(owner, ['gsm.status.update'], url));
    }
    await sent(owner);
    for (const hook of hooks) {
      expect((await desk.logged(owner, hook, 1))[0]).toMatchObject({
        status_code: null,
        error: 'Address is not allowed',
      });
    }
  });

  it('keeps a silent endpoint to itself: neither another one of its account nor another account waits', async () => {
    const [silentOwner, other] = [await desk.join(), await desk.join()];
    const silent = await desk.hook(silentOwner, ['gsm.status.update']);
    const beside = await desk.hook(silentOwner, ['gsm.status.update']);
    const foreign = await desk.hook(other, ['gsm.status.update']);
    desk.receiver.answering = ({ path }) => (path === silent.path ? 'hang' : undefined);
    const numbers = Array.from({ length: 40 }, (_, index) => `9198000000${String(index).padStart(2, '0')}`);
    await sent(silentOwner, numbers);
    await desk.received(silent, 8);
    await sent(other, numbers);
    await desk.received(beside, 40);
    await desk.received(foreign, 40);
    expect(await desk.attempts(silentOwner, silent)).toEqual([]); // all that while not one of its tries has ended
    expect(desk.receiver.to(silent.path)).toHaveLength(8);
    desk.receiver.answering = () => undefined;
    desk.receiver.letGo();
    await desk.received(silent, 40);
    expect(new Set(desk.receiver.to(silent.path).map(({ id }) => id)).size).toBe(40);
  });

  it('delivers each event once though two workers run', async () => {
    const owner = await desk.join();
    await desk.worker();
    const hook = await desk.hook(owner, ['gsm.status.update']);
    const numbers = Array.from({ length: 300 }, (_, index) => `9198000${String(index).padStart(5, '0')}`);
    await sent(owner, numbers);
    await until('all to be settled', async () => (await desk.waiting(hook)) === 0);
    expect(desk.receiver.to(hook.path)).toHaveLength(300);
    expect(new Set(desk.receiver.to(hook.path).map(({ id }) => id)).size).toBe(300);
    expect(listOf(await desk.call('GET', `/${hook.id}/attempts?page=2&limit=100`, owner))).toHaveLength(100);
  });

  it('delivers again what a lost worker had under way', async () => {
    const owner = await desk.join();
    const hook = await desk.hook(owner, ['gsm.status.update']);
    // As a worker leaves it that was killed between a delivery and its record: a lease, and the delivery still due.
    await desk.dataSource.query(
      'UPDATE webhook_endpoints SET fence = 9, lease_until = UTC_TIMESTAMP(3) + INTERVAL 1 SECOND WHERE id = ?',
      [hook.id],
    );
    await sent(owner);
    const [delivery] = await desk.received(hook, 1);
    expect((await desk.logged(owner, hook, 1))[0]).toMatchObject({ event_id: delivery!.id, attempt: 1 });
  });
});
