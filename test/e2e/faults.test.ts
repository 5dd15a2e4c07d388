import { beforeAll, describe, expect, it } from 'vitest';
import { Client, numbersEnding } from '../support/client.js';
import { carrierLedger } from '../support/sandbox.js';
import { commonService, emptyRedis, type Service, until } from '../support/processes.js';
import { endReceiptTime } from '../support/receipt-time.js';

/**
 * What may die, dies in the middle: nothing is lost, nothing is sent twice silently. Every number ends in 111, so that the
 * sandbox would deliver all of them: whoever is not delivered was of unknown outcome and never reached the carrier.
 */
describe('faults in the middle of a campaign', () => {
  let service: Service;
  let admin: Client;
  let client: Client;

  beforeAll(async () => {
    service = await commonService(1);
    admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('POST', '/v6/api/admin/accounts/demo/credits', { balance: 'gsm_credits', amount: 1_000_000 });
    await admin.call('PUT', '/v6/api/admin/routes/paced', {
      channel: 'sms',
      driver: 'smpp',
      messages_per_second: 1_500,
      config: {
        host: '127.0.0.1',
        port: Number(service.environment['SANDBOX_SMPP_PORT']),
        system_id: 'paced',
        password: 'paced',
      },
    });
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
  });

  /** The fence of a lane grows whenever a worker takes it. */
  const lanesOf = (requestId: string): Promise<{ lane: number; fence: number; done: number }[]> =>
    service.database.dataSource.query(
      `SELECT l.lane, l.fence, l.next_seq >= l.end_seq AS done
       FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id WHERE c.request_id = ?`,
      [requestId],
    );
  const atCarrier = async (prefix: string): Promise<string[]> =>
    (await carrierLedger(service)).map((entry) => entry.to).filter((to) => to.startsWith(prefix));
  const underWay = (prefix: string, least: number): Promise<void> =>
    until(`${least} messages at the carrier`, async () => (await atCarrier(prefix)).length >= least);

  /** Every recipient has one final word; the carrier has each at most once, and exactly those that were not lost before it. */
  const expectNothingLost = async (requestId: string, prefix: string, total: number, most: number): Promise<number> => {
    await endReceiptTime(service, requestId);
    const report = await client.completed(requestId, 180_000);
    const carrier = await atCarrier(prefix);
    expect(new Set(carrier).size).toBe(carrier.length);
    const failed = report.data.records.filter((record) => record.status === 'FAILED');
    expect(failed.every((record) => record.errorMessage === 'No delivery receipt')).toBe(true);
    expect(failed.length).toBeLessThanOrEqual(most);
    expect(report.data.records.filter((record) => record.status === 'DELIVERED')).toHaveLength(total - failed.length);
    const reached = new Set(carrier);
    for (const record of report.data.records) {
      expect(reached.has(record.receiver), record.receiver).toBe(record.status === 'DELIVERED');
    }
    return failed.length;
  };

  const expectBooksProven = async (): Promise<void> => {
    const proof = await admin.call<{ data: { ok: boolean }[] }>('GET', '/v6/api/admin/accounts/demo/credits/proof');
    expect(proof.body.data.every((row) => row.ok)).toBe(true);
  };

  it('a worker killed with SIGKILL leaves at most its open windows of unknown outcome', async () => {
    const requestId = await client.broadcast(numbersEnding(8_000, '111', '911'), { brodcast_service: 'paced' });
    await underWay('911', 1_500);
    await service.workers[0]?.stop('SIGKILL');
    await service.addWorker();
    await expectNothingLost(requestId, '911', 8_000, 4 * 500);
    await expectBooksProven();
  });

  it('a frozen worker that wakes after its lease sends nothing more', async () => {
    const frozen = service.workers.at(-1);
    // Ready beforehand: a slow start would keep the other frozen for longer than the receipts of its messages may take.
    await service.addWorker();
    const requestId = await client.broadcast(numbersEnding(8_000, '111', '912'), { brodcast_service: 'paced' });
    await underWay('912', 1_500);
    frozen?.signal('SIGSTOP');
    const fences = new Map((await lanesOf(requestId)).map(({ lane, fence }) => [lane, fence]));
    await until('the other to go on with every lane', async () =>
      (await lanesOf(requestId)).every(
        ({ lane, fence, done }) => Number(done) === 1 || fence > (fences.get(lane) ?? 0),
      ),
    );
    frozen?.signal('SIGCONT');
    await expectNothingLost(requestId, '912', 8_000, 4 * 500);
    await frozen?.stop();
  });

  it('a Redis emptied in the middle is filled again from MySQL', async () => {
    const requestId = await client.broadcast(numbersEnding(8_000, '111', '913'), { brodcast_service: 'paced' });
    await underWay('913', 1_500);
    await emptyRedis(service);
    expect(await expectNothingLost(requestId, '913', 8_000, 0)).toBe(0);
  });

  it('a worker that stops by SIGTERM settles its windows', async () => {
    const requestId = await client.broadcast(numbersEnding(8_000, '111', '914'), { brodcast_service: 'paced' });
    await underWay('914', 1_500);
    await service.addWorker();
    const exit = await service.workers.at(-2)?.stop('SIGTERM');
    expect(exit).toBe(0);
    expect(await expectNothingLost(requestId, '914', 8_000, 0)).toBe(0);
  });

  it('an API killed between commit and enqueue: what was committed is sent, the rest never existed', async () => {
    for (const worker of service.workers) await worker.stop();
    const attempts = Array.from({ length: 40 }, (_, index) =>
      client
        .broadcast(numbersEnding(20, '111', `915${String(index).padStart(2, '0')}`), {
          providermessageid: `kill-${index}`,
        })
        .then(
          () => true,
          () => false,
        ),
    );
    await Promise.any(attempts);
    await service.api.stop('SIGKILL');
    const answered = (await Promise.all(attempts)).filter(Boolean).length;
    const committed: { request_id: string; rows_there: number }[] = await service.database.dataSource.query(
      `SELECT c.request_id, (SELECT COUNT(*) FROM campaign_recipients r WHERE r.campaign_id = c.id) AS rows_there
       FROM campaigns c WHERE c.request_id LIKE 'kill-%'`,
    );
    expect(committed.length).toBeGreaterThanOrEqual(answered);
    expect(committed.every((row) => Number(row.rows_there) === 20)).toBe(true);
    const debits: { entries: number; total: string }[] = await service.database.dataSource.query(
      `SELECT COUNT(*) AS entries, -SUM(amount) AS total FROM credit_ledger WHERE request_id LIKE 'kill-%'`,
    );
    expect(Number(debits[0]?.entries)).toBe(committed.length);
    expect(Number(debits[0]?.total)).toBe(committed.length * 20);

    await service.api.start();
    await service.addWorker();
    for (const { request_id: requestId } of committed) {
      const report = await client.completed(requestId);
      expect(report.data.status_counts).toEqual({ DELIVERED: 20 });
    }
    expect(await atCarrier('915')).toHaveLength(committed.length * 20);
    await expectBooksProven();
  });
});
