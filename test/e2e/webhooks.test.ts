import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, numbers } from '../support/client.js';
import { commonService, type Service, until } from '../support/processes.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** Webhooks of a whole broadcast, with a worker that is killed in the middle of delivering. */
describe('webhooks over a killed worker', () => {
  let service: Service;
  let client: Client;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await WebhookReceiver.open();
    service = await commonService(1);
    const admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('POST', '/v6/api/admin/accounts', {
      username: 'hooked',
      password: 'Hooked-1234!',
      firstname: 'Hooked',
      lastname: 'Ltd',
    });
    await admin.call('POST', '/v6/api/admin/accounts/hooked/credits', { balance: 'gsm_credits', amount: 1_000 });
    client = await Client.login(service.url, 'hooked', 'Hooked-1234!');
  });
  afterAll(() => receiver.stop());

  it('every event arrives, at least once and under one id, signed', async () => {
    const { body } = await client.call<{ data: { secret: string } }>('POST', '/v6/api/webhooks', {
      url: receiver.url('/hook'),
      events: ['gsm.status.update', 'campaign.completed'],
    });
    const contacts = numbers(400);
    // The first deliveries get no answer: they are under way when their worker is killed.
    receiver.answering = () => (receiver.deliveries.length <= 8 ? 'hang' : undefined);
    const requestId = await client.broadcast(contacts);
    await until('deliveries under way', () => Promise.resolve(receiver.deliveries.length >= 8));
    const cutOff = receiver.deliveries.slice(0, 8).map(({ id }) => id);
    await service.workers[0]?.stop('SIGKILL');
    receiver.answering = () => undefined;
    await service.addWorker();
    await until('the campaign to be told complete', () =>
      Promise.resolve(receiver.deliveries.some(({ body: told }) => told['event'] === 'campaign.completed')),
    );
    await until('every event to be delivered', async () => {
      const [row] = await service.database.dataSource.query<{ count: string }[]>(
        'SELECT COUNT(*) AS count FROM webhook_deliveries',
      );
      return Number(row?.count) === 0;
    });
    const again = receiver.deliveries.slice(8).map(({ id }) => id);
    expect(again).toEqual(expect.arrayContaining(cutOff));
    const ids = new Map(receiver.deliveries.map((delivery) => [delivery.id, delivery.text]));
    for (const { id, text } of receiver.deliveries) expect(text).toBe(ids.get(id));
    const written = await service.database.dataSource.query<{ id: string; body: string }[]>(
      'SELECT id, body FROM webhook_events',
    );
    expect(new Map(written.map((event) => [event.id, event.body]))).toEqual(ids);
    const verifier = new Webhook(body.data.secret);
    for (const { text, headers } of receiver.deliveries) verifier.verify(text, headers as Record<string, string>);
    const final = receiver.deliveries.filter(({ body: told }) =>
      ['DELIVERED', 'FAILED'].includes(String(told['status'])),
    );
    expect(new Set(final.map(({ body: told }) => told['receiver']))).toEqual(new Set(contacts));
    const report = await client.report(requestId);
    const told = receiver.deliveries.find(({ body: event }) => event['event'] === 'campaign.completed');
    expect(told?.body).toEqual({
      event: 'campaign.completed',
      request_id: requestId,
      total_rows: 400,
      status_counts: report.data.status_counts,
    });
  });
});
