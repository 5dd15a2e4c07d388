import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, numbersEnding } from '../support/client.js';
import { type Service, startService, until } from '../support/processes.js';
import { endReceiptTime, unreadNotes } from '../support/receipt-time.js';
import { carrierLedger } from '../support/sandbox.js';

const KILLS = 10;
const RECIPIENTS = 15_000;
const BETWEEN_KILLS = 800;
/** Of one claim, which is a window of one lane: whoever the carrier never saw. */
const MOST_IN_DOUBT = 10;

/** Every number ends in 111: the sandbox delivers to all that reach it. */
describe('a worker that is killed again and again', () => {
  let service: Service;
  let admin: Client;
  let client: Client;

  beforeAll(async () => {
    service = await startService(1, {
      RECEIPT_TIMEOUT: '1h',
      LANE_LEASE: '2s',
      BROADCAST_RATE_LIMIT: '0',
      USER_RATE_LIMIT: '0',
    });
    admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('POST', '/v6/api/admin/accounts/demo/credits', { balance: 'gsm_credits', amount: 1_000_000 });
    const login = { host: '127.0.0.1', system_id: 'killed', password: 'killed' };
    await admin.call('PUT', '/v6/api/admin/routes/killed', {
      ...{ channel: 'sms', driver: 'smpp', messages_per_second: 3_000 },
      config: { ...login, port: Number(service.environment['SANDBOX_SMPP_PORT']) },
    });
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
  });
  afterAll(() => service.stop());

  const atCarrier = async (): Promise<string[]> => (await carrierLedger(service)).map((entry) => entry.to);
  const query = <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    service.database.dataSource.query<Row[]>(sql, values);

  it(`leaves at most ${MOST_IN_DOUBT} a kill and lane in doubt that the carrier never saw, and doubles none`, async () => {
    const requestId = await client.broadcast(numbersEnding(RECIPIENTS, '111', '916'), { brodcast_service: 'killed' });
    for (let kill = 0; kill < KILLS; kill++) {
      const before = (await atCarrier()).length;
      await until('messages between two kills', async () => (await atCarrier()).length >= before + BETWEEN_KILLS);
      await service.workers.at(-1)?.stop('SIGKILL');
      await service.addWorker();
    }
    await until('all to have left, and all notes to be read', async () => {
      const [row] = await query<{ open: string }>(
        `SELECT COALESCE(SUM(k.recipients), 0) AS open FROM campaigns c JOIN campaign_counters k ON k.campaign_id = c.id
         WHERE c.request_id = ? AND k.status = 0`,
        [requestId],
      );
      return Number(row?.open) === 0 && unreadNotes(service) === 0;
    });
    const carrier = await atCarrier();
    const reached = new Set(carrier);
    expect(reached.size).toBe(carrier.length);
    const lost = await query<{ receiver: string; claim: number }>(
      'SELECT receiver, lost_claim AS claim FROM unknown_outcomes',
    );
    const unseen = new Map<number, number>();
    for (const { receiver, claim } of lost) {
      if (!reached.has(receiver)) unseen.set(claim, (unseen.get(claim) ?? 0) + 1);
    }
    for (const count of unseen.values()) expect(count).toBeLessThanOrEqual(MOST_IN_DOUBT);

    await endReceiptTime(service, requestId);
    const { data } = await client.completed(requestId, 180_000);
    const failed = data.records.filter(({ status }) => status === 'FAILED');
    expect(failed.every(({ receiver }) => !reached.has(receiver))).toBe(true);
    expect(failed).toHaveLength([...unseen.values()].reduce((sum, count) => sum + count, 0));
    expect(data.records.filter(({ status }) => status === 'DELIVERED')).toHaveLength(RECIPIENTS - failed.length);
    process.stdout.write(`${KILLS} kills: ${failed.length} in doubt that never left\n`);
    const proof = await admin.call<{ data: { ok: boolean }[] }>('GET', '/v6/api/admin/accounts/demo/credits/proof');
    expect(proof.body.data.every(({ ok }) => ok)).toBe(true);
  });
});
