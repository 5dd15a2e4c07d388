import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Smsc } from '../contract/npm-smsc.js';
import { Client } from '../support/client.js';
import { type Service, startService, until } from '../support/processes.js';
import { SmppCable } from '../support/smpp-cable.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const KILLS = 3;
const TEXTS = 25;

/** kill -9 between the commit of texts and the carrier's acknowledgement: a line keeps the acknowledgement from arriving. */
describe('texts of handsets whose worker is killed before the carrier knows that they are taken', () => {
  const cable = new SmppCable();
  let service: Service;
  let smsc: Smsc;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    smsc = new Smsc();
    const port = await cable.plug(await smsc.listen());
    service = await startService(1, { LANE_LEASE: '2s', BROADCAST_RATE_LIMIT: '0', USER_RATE_LIMIT: '0' });
    const admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('PUT', '/v6/api/admin/routes/twoway', {
      ...{ channel: 'sms', driver: 'smpp' },
      config: { host: '127.0.0.1', port, system_id: 'twoway', password: 'secret' },
    });
    const number = { number: '57575', route: 'twoway', username: 'demo' };
    expect((await admin.call('POST', '/v6/api/admin/inbound-numbers', number)).status).toBe(201);
    const client = await Client.login(service.url, 'demo', 'Demo-1234!');
    receiver = await WebhookReceiver.open();
    const hook = { url: receiver.url(), events: ['sms.message.received'] };
    expect((await client.call('POST', '/v6/api/webhooks', hook)).status).toBe(201);
    await until('a bind', () => Promise.resolve(smsc.sessions.length > 0));
  });
  afterAll(async () => {
    await service.stop();
    await cable.unplug();
    await smsc.close();
    await receiver.stop();
  });

  const count = async (prefix: string): Promise<{ texts: number; senders: number; events: number }> => {
    const [row] = await service.database.dataSource.query<Record<string, string>[]>(
      `SELECT COUNT(*) AS texts, COUNT(DISTINCT sender) AS senders,
         (SELECT COUNT(*) FROM webhook_events WHERE type = 'sms.message.received' AND body LIKE ?) AS events
       FROM inbound_messages WHERE sender LIKE ? AND account_id > 0`,
      [`%"from":"${prefix}%`, `${prefix}%`],
    );
    return { texts: Number(row?.['texts']), senders: Number(row?.['senders']), events: Number(row?.['events']) };
  };
  const say = (from: string): Promise<number> =>
    smsc.deliver(
      { source_addr: from, source_addr_ton: 1, destination_addr: '57575', short_message: { message: 'yes' } },
      smsc.sessions.at(-1),
    );

  it.each(Array.from({ length: KILLS }, (_, index) => index + 1))('are one event each: kill %i', async (kill) => {
    const prefix = `9177${kill}`;
    const from = Array.from({ length: TEXTS }, (_, index) => `${prefix}${String(10_000 + index)}`);
    const all = { texts: TEXTS, senders: TEXTS, events: TEXTS };
    let answered = 0;
    cable.hold();
    for (const number of from) void say(number).then(() => (answered += 1));
    await until('the answers to be on their way', () => Promise.resolve(cable.held === TEXTS));
    // The gap: all are committed, and the carrier knows of none.
    expect(await count(prefix)).toEqual(all);
    expect(answered).toBe(0);
    const before = smsc.sessions.length;
    await service.workers.at(-1)?.stop('SIGKILL');
    cable.release();
    await service.addWorker();
    await until('its bind', () => Promise.resolve(smsc.sessions.length > before));
    expect(answered).toBe(0);
    expect(await Promise.all(from.map(say))).toEqual(from.map(() => 0));
    expect(await count(prefix)).toEqual(all);
    const pushed = (): unknown[] =>
      receiver.deliveries.flatMap(({ body }) => (String(body['from']).startsWith(prefix) ? [body['from']] : []));
    await until('the pushes', () => Promise.resolve(new Set(pushed()).size === TEXTS));
  });
});
