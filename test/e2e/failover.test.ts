import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { Cable } from '../support/cable.js';
import { Client, numbersEnding } from '../support/client.js';
import { freePort, type Service, ServiceProcess, startService, until } from '../support/processes.js';
import { carrierLedger, carrierTotal } from '../support/sandbox.js';

const RECIPIENTS = 6_000;
/** of one session without an answer, and workers: as many may have left when the carrier is gone */
const WINDOW = 100;
const WORKERS = 2;
const HAND_OVER_MS = 5_000;
const ALL_OUT_MS = 60_000;

/** Every number ends in 111: the sandboxes deliver to all that reach them. */
describe('a carrier that is gone in the middle of a campaign', () => {
  let service: Service;
  let doomed: ServiceProcess;
  let admin: Client;
  let client: Client;
  const cable = new Cable();

  beforeAll(async () => {
    service = await startService(WORKERS, {
      RECEIPT_TIMEOUT: '1h',
      LANE_LEASE: '10s',
      BROADCAST_RATE_LIMIT: '0',
      USER_RATE_LIMIT: '0',
    });
    const [port, smppPort] = [await freePort(), await freePort()];
    doomed = await new ServiceProcess('sandbox', `http://127.0.0.1:${port}`, {
      ...service.environment,
      SANDBOX_PORT: String(port),
      SANDBOX_SMPP_PORT: String(smppPort),
    }).start();
    admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('POST', '/v6/api/admin/accounts/demo/credits', { balance: 'gsm_credits', amount: 1_000_000 });
    await putRoute('doomed', await cable.plug(new URL(`http://127.0.0.1:${smppPort}`)), 1_500);
    await putRoute('spare', Number(service.environment['SANDBOX_SMPP_PORT']), null);
    const { status } = await admin.call('PUT', '/v6/api/admin/routing/chain', {
      channel: 'sms',
      rules: [{ prefixes: ['91'], routes: ['doomed', 'spare'] }],
    });
    expect(status).toBe(200);
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
  });
  afterAll(async () => {
    await doomed.stop();
    await service.stop();
  });

  const putRoute = async (name: string, port: number, perSecond: number | null): Promise<void> => {
    const { status } = await admin.call('PUT', `/v6/api/admin/routes/${name}`, {
      ...{ channel: 'sms', driver: 'smpp', messages_per_second: perSecond },
      config: { host: '127.0.0.1', port, system_id: name, password: name, window: WINDOW },
    });
    expect(status).toBeLessThan(300);
  };
  const query = <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    service.database.dataSource.query<Row[]>(sql, values);
  const statuses = async (requestId: string): Promise<Map<RecipientStatus, number>> => {
    const rows = await query<{ status: RecipientStatus; recipients: string }>(
      `SELECT k.status, SUM(k.recipients) AS recipients FROM campaign_counters k JOIN campaigns c ON c.id = k.campaign_id
       WHERE c.request_id = ? GROUP BY k.status`,
      [requestId],
    );
    return new Map(rows.map((row) => [row.status, Number(row.recipients)]));
  };

  it('loses none and doubles none: what never left goes on over the next route of its chain', async () => {
    const contacts = numbersEnding(RECIPIENTS, '111', '916');
    const requestId = await client.broadcast(contacts, { brodcast_service: 'any' });
    const books = { sandboxUrl: doomed.url } as Service;
    await until('the campaign to be under way', async () => (await carrierTotal(books)) >= 1_000);
    await cable.cut();
    const cutAt = Date.now();
    await until('the other carrier to go on', async () => (await carrierTotal(service)) > 0, ALL_OUT_MS);
    const handedAfter = Date.now() - cutAt;
    await until(
      'all to have left',
      async () => ((await statuses(requestId)).get(RecipientStatus.Pending) ?? 0) === 0,
      ALL_OUT_MS,
    );
    const outAfter = Date.now() - cutAt;
    process.stdout.write(`handed over after ${handedAfter} ms, all out after ${outAfter} ms\n`);

    const [first, second] = [await carrierLedger(books), await carrierLedger(service)];
    const reached = new Set([...first, ...second].map(({ to }) => to));
    expect(reached.size).toBe(first.length + second.length);
    const doubtful = await query<{ receiver: string; route: string }>(
      'SELECT u.receiver, r.name AS route FROM unknown_outcomes u JOIN routes r ON r.id = u.route_id',
    );
    const known = new Set(doubtful.map(({ receiver }) => receiver));
    expect(contacts.filter((number) => !reached.has(number) && !known.has(number))).toEqual([]);
    expect(doubtful.every(({ route }) => route === 'doomed')).toBe(true);
    expect(doubtful.length).toBeLessThanOrEqual(WINDOW * WORKERS);
    expect(second.some(({ to }) => known.has(to))).toBe(false);
    expect(handedAfter).toBeLessThanOrEqual(HAND_OVER_MS);
    expect(outAfter).toBeLessThanOrEqual(ALL_OUT_MS);

    const change = {
      from: 'doomed',
      to: 'spare',
      reason: expect.stringContaining('Carrier is not reachable') as string,
    };
    const { body } = await client.call<{ data: { route_changes: unknown[] } }>('GET', `/v6/api/campaigns/${requestId}`);
    expect(body.data.route_changes).toContainEqual({ ...change, at: expect.any(String) as string, recipients: null });
    const seq = contacts.indexOf(second.at(-1)?.to ?? '') + 1;
    const { body: life } = await client.call<{ data: { events: { event: string; details: unknown }[] } }>(
      'GET',
      `/v6/api/campaigns/${requestId}/contacts/${seq}/timeline`,
    );
    const events = life.data.events.filter(({ event }) => event !== 'status');
    expect(events.map(({ event }) => event)).toEqual(['queued', 'route_changed', 'submitted']);
    expect(events[1]?.details).toEqual(change);
    const proof = await admin.call<{ data: { ok: boolean }[] }>('GET', '/v6/api/admin/accounts/demo/credits/proof');
    expect(proof.body.data.every(({ ok }) => ok)).toBe(true);
  });
});
