import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { Client, numbers } from '../support/client.js';
import { carrierLedger } from '../support/sandbox.js';
import { commonService, type Service, until } from '../support/processes.js';
import { endReceiptTime } from '../support/receipt-time.js';

/** The main job, from request to report: API, two workers and the sandbox carrier as real processes. */
describe('an SMS broadcast over two workers', () => {
  let service: Service;
  let admin: Client;
  let client: Client;

  beforeAll(async () => {
    service = await commonService(2);
    admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    await admin.call('POST', '/v6/api/admin/accounts', {
      username: 'acme',
      password: 'Acme-1234!',
      firstname: 'Acme',
      lastname: 'Ltd',
    });
    await admin.call('POST', '/v6/api/admin/accounts/acme/credits', { balance: 'gsm_credits', amount: 20_000 });
    client = await Client.login(service.url, 'acme', 'Acme-1234!');
  });
  /** How many lanes of a campaign a worker holds. */
  const leased = async (requestId: string): Promise<number> => {
    const [row] = await service.database.dataSource.query<{ held: string }[]>(
      `SELECT COUNT(*) AS held FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id
       WHERE c.request_id = ? AND l.lease_until > UTC_TIMESTAMP(3)`,
      [requestId],
    );
    return Number(row?.held);
  };

  it('has its queues in the dashboard of the built API', async () => {
    const login = await fetch(`${service.url}/v6/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email_or_username: 'admin', password: 'Admin-1234!' }),
    });
    const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
    const answer = await fetch(`${service.url}/admin/queues/api/queues`, {
      headers: { accept: 'application/json', cookie },
    });
    const { queues } = (await answer.json()) as { queues: { name: string; counts: { failed: number } }[] };
    expect(queues.map(({ name, counts }) => [name, counts.failed]).sort()).toEqual(
      ['branded', 'sms', 'template', 'unofficial', 'voice']
        .flatMap((name) => [name, `${name}-urgent`])
        .map((name) => [name, 0]),
    );
  });

  it('follows 5,000 contacts of every fate to their end, and the books agree with the carrier', async () => {
    const contacts = numbers(5_000);
    // 161 characters: two parts and two credits each.
    const message = 'Switchboard '.repeat(14).slice(0, 161);
    const requestId = await client.broadcast(contacts, { message });
    expect(requestId).toMatch(/^GSMCAMP_\d{8}_[A-Z0-9]{6}$/);

    const early = await client.report(requestId);
    expect(Object.values(early.data.status_counts).reduce((sum, n) => sum + n, 0)).toBe(5_000);

    await endReceiptTime(service, requestId);
    const report = await client.completed(requestId, 180_000);
    expect(report.data.total_rows).toBe(5_000);
    expect(report.data.records.map((record) => record.receiver)).toEqual(contacts);
    expect(report.data.status_counts).toEqual({ DELIVERED: 4_985, FAILED: 15 });
    const fate = (ending: string) => report.data.records.filter((record) => record.receiver.endsWith(ending));
    for (const record of fate('408'))
      expect(record).toMatchObject({ status: 'FAILED', errorMessage: 'No delivery receipt' });
    for (const ending of ['404', '603']) {
      for (const record of fate(ending)) expect(record.status).toBe('FAILED');
    }
    for (const ending of ['429', '500']) {
      for (const record of fate(ending)) expect(record).toMatchObject({ status: 'DELIVERED', errorMessage: null });
    }
    expect(report.data.summary).toMatchObject({
      requestid: requestId,
      username: 'acme',
      deduction: '10000',
      contacts: '5000',
    });

    const carrier = await carrierLedger(service);
    expect(carrier).toHaveLength(5_000);
    expect(new Set(carrier.map((entry) => entry.to)).size).toBe(5_000);
    expect(carrier.every((entry) => entry.text === message)).toBe(true);
    const statusAt = new Map(carrier.map((entry) => [entry.to, entry.status]));
    for (const record of report.data.records.filter(({ receiver }) => !receiver.endsWith('408'))) {
      expect(statusAt.get(record.receiver)).toBe(record.status);
    }

    const proof = await admin.call<{ data: { balance: string; stored: number; ok: boolean }[] }>(
      'GET',
      '/v6/api/admin/accounts/acme/credits/proof',
    );
    expect(proof.body.data.every((row) => row.ok)).toBe(true);
    // What the carrier refused in its answer is refunded: two credits for each number that ends with 603.
    const refused = 2 * fate('603').length;
    expect(proof.body.data.find((row) => row.balance === 'gsm_credits')?.stored).toBe(10_000 + refused);
  });

  it('accepts exactly floor(balance / cost) of 60 requests at once', async () => {
    await admin.call('POST', '/v6/api/admin/accounts', {
      username: 'sixty',
      password: 'Sixty-1234!',
      firstname: 'Sixty',
      lastname: 'Requests',
    });
    await admin.call('POST', '/v6/api/admin/accounts/sixty/credits', { balance: 'gsm_credits', amount: 101 });
    const sixty = await Client.login(service.url, 'sixty', 'Sixty-1234!');
    const request = {
      broadcast_name: 'sixty',
      brodcast_service: 'sandbox',
      message: 'x'.repeat(161),
      contacts: ['919800000001'],
    };
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => sixty.call('POST', '/webhook/api/addbroadcastgsm.php', request)),
    );
    const refused = answers.filter((answer) => answer.status !== 200);
    expect(answers.length - refused.length).toBe(50);
    for (const { status, body } of refused) {
      expect(status).toBe(400);
      expect(body['message']).toMatch(/^Insufficient credits\. Available: \d+, Required: 2$/);
    }
    const proof = await admin.call<{ data: { balance: string; stored: number; ok: boolean }[] }>(
      'GET',
      '/v6/api/admin/accounts/sixty/credits/proof',
    );
    expect(proof.body.data.find((row) => row.balance === 'gsm_credits')).toMatchObject({ stored: 1, ok: true });
  });

  it('pauses within a window, resumes, and cancels with a refund of what has not left', async () => {
    await admin.call('PUT', '/v6/api/admin/routes/slow', {
      channel: 'sms',
      driver: 'smpp',
      messages_per_second: 200,
      config: {
        host: '127.0.0.1',
        port: Number(service.environment['SANDBOX_SMPP_PORT']),
        system_id: 'slow',
        password: 'slow',
      },
    });
    const requestId = await client.broadcast(numbers(3_000, '9177777'), { brodcast_service: 'slow' });
    const sent = async (): Promise<number> => {
      const counts = (await client.report(requestId, '&page=1&limit=1')).data.status_counts;
      return 3_000 - (counts['PP1'] ?? 0) - (counts['CANCELLED'] ?? 0);
    };
    await expect.poll(sent, { timeout: 60_000 }).toBeGreaterThan(100);
    expect((await client.call('POST', `/v6/api/campaigns/${requestId}/pause`)).status).toBe(200);
    expect(await client.call('POST', `/v6/api/campaigns/${requestId}/pause`)).toMatchObject({
      status: 409,
      body: { message: 'Campaign is already paused' },
    });
    await until('the windows under way to end', async () => (await leased(requestId)) === 0);
    const paused = await sent();
    await sleep(2_000);
    expect(await sent()).toBe(paused);

    expect((await client.call('POST', `/v6/api/campaigns/${requestId}/resume`)).status).toBe(200);
    await expect.poll(sent, { timeout: 60_000 }).toBeGreaterThan(paused);

    expect((await client.call('POST', `/v6/api/campaigns/${requestId}/cancel`)).status).toBe(200);
    await expect
      .poll(async () => (await client.report(requestId, '&page=1&limit=1')).data.status_counts['PP1'] ?? 0, {
        timeout: 60_000,
      })
      .toBe(0);
    const counts = (await client.report(requestId, '&page=1&limit=1')).data.status_counts;
    const cancelled = counts['CANCELLED'] ?? 0;
    expect(cancelled).toBeGreaterThan(0);
    const ledger = await admin.call<{ data: { kind: string; amount: number; request_id: string | null }[] }>(
      'GET',
      '/v6/api/admin/accounts/acme/credits/ledger?balance=gsm_credits&limit=1000',
    );
    const refunds = ledger.body.data.filter((entry) => entry.kind === 'refund' && entry.request_id === requestId);
    expect(refunds.reduce((sum, entry) => sum + entry.amount, 0)).toBe(cancelled);
    const carrier = (await carrierLedger(service)).filter((entry) => entry.to.startsWith('9177777'));
    expect(carrier).toHaveLength(3_000 - cancelled);
  });
});
