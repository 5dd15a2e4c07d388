import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Smsc, type SmscSession } from '../contract/npm-smsc.js';
import { Client, numbersEnding } from '../support/client.js';
import { type Service, startService, until } from '../support/processes.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const TEXTS = 10_000;
const RECIPIENTS = 10_000;
const UNANSWERED = 40;

describe('texts of handsets over the binds of real workers', () => {
  let service: Service;
  let smsc: Smsc;
  let client: Client;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    smsc = new Smsc();
    const port = await smsc.listen();
    service = await startService(2, { LANE_LEASE: '2s', BROADCAST_RATE_LIMIT: '0', USER_RATE_LIMIT: '0' });
    const admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('POST', '/v6/api/admin/accounts/demo/credits', { balance: 'gsm_credits', amount: 1_000_000 });
    await admin.call('PUT', '/v6/api/admin/routes/twoway', {
      ...{ channel: 'sms', driver: 'smpp' },
      config: { host: '127.0.0.1', port, system_id: 'twoway', password: 'secret' },
    });
    const number = { number: '57575', route: 'twoway', username: 'demo' };
    expect((await admin.call('POST', '/v6/api/admin/inbound-numbers', number)).status).toBe(201);
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
    receiver = await WebhookReceiver.open();
    const hook = { url: receiver.url(), events: ['sms.message.received'] };
    expect((await client.call('POST', '/v6/api/webhooks', hook)).status).toBe(201);
    await until('two binds', () => Promise.resolve(smsc.sessions.length >= 2));
  });
  afterAll(async () => {
    await service.stop();
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

  /** Delivers a text until the carrier has its answer, over whatever bind there is; resolves with the number of deliveries. */
  async function deliver(from: string, sessions: () => SmscSession[], patienceMs: number): Promise<number> {
    for (let tries = 1; ; tries++) {
      const open = sessions();
      const session = open[(Number(from.slice(-4)) + tries) % open.length];
      const text = {
        source_addr: from,
        source_addr_ton: 1,
        destination_addr: '57575',
        short_message: { message: 'yes' },
      };
      const answered = session ? smsc.deliver(text, session).then((status) => status === 0) : Promise.resolve(false);
      const silence = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), patienceMs));
      if (await Promise.race([answered, silence])) return tries;
    }
  }

  it(`are ${TEXTS} over two binds beside a campaign, none lost and none doubled`, async () => {
    const requestId = await client.broadcast(numbersEnding(RECIPIENTS, '111', '916'), { brodcast_service: 'twoway' });
    const from = Array.from({ length: TEXTS }, (_, index) => `9188${String(1_000_000 + index)}`);
    const binds = smsc.sessions.slice(-2);
    const begun = Date.now();
    let next = 0;
    const take = async (): Promise<void> => {
      for (let number = from[next++]; number !== undefined; number = from[next++])
        await deliver(number, () => binds, 60_000);
    };
    await Promise.all(Array.from({ length: 2 * UNANSWERED }, take));
    const seconds = (Date.now() - begun) / 1_000;
    expect(await count('9188')).toEqual({ texts: TEXTS, senders: TEXTS, events: TEXTS });
    expect(seconds).toBeLessThan(600);
    await until('the campaign to have left', () => {
      const to = new Set(smsc.submits.map((pdu) => pdu['destination_addr']));
      return Promise.resolve(to.size >= RECIPIENTS);
    });
    expect(smsc.submits.length).toBe(RECIPIENTS);
    const { body } = await client.call('GET', `/v6/api/campaigns/${requestId}`);
    expect(body['data']).toMatchObject({ total_rows: RECIPIENTS });
    process.stdout.write(`${TEXTS} texts in ${seconds.toFixed(1)} s beside ${RECIPIENTS} messages\n`);
  });
});
