import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testOutcome } from '../../src/modules/providers/index.js';
import { Client, numbers } from '../support/client.js';
import { type Service, startService, until } from '../support/processes.js';
import { endReceiptTime } from '../support/receipt-time.js';
import { carrierTotal } from '../support/sandbox.js';
import { startOfMonth } from '../support/months.js';

const CLI = new URL('../../dist/src/apps/cli/main.js', import.meta.url).pathname;
const TOTAL = 3_000;
/** What no test may change. */
const MONEY = ['credit_balances', 'credit_ledger', 'credit_months', 'usage_counters', 'route_spend'];

/** API, two workers and the sandbox's carriers as processes: what its books show, has left. */
describe('a test key beside carriers that listen', () => {
  let service: Service;
  let client: Client;
  let admin: Client;
  let key: string;
  let directory: string;

  beforeAll(async () => {
    const settings = {
      BROADCAST_RATE_LIMIT: '0',
      USER_RATE_LIMIT: '0',
      LANE_LEASE: '2s',
      RECEIPT_TIMEOUT: '1h',
      TESTS_PER_DAY: '0',
    };
    service = await startService(2, settings);
    directory = mkdtempSync(join(tmpdir(), 'switchboard-tests-'));
    [admin, client] = [
      await Client.login(service.url, 'admin', 'Admin-1234!'),
      await Client.login(service.url, 'demo', 'Demo-1234!'),
    ];
    for (const balance of ['gsm_credits', 'voice_credits', 'bulk_chat_credits'])
      await admin.call('POST', '/v6/api/admin/accounts/demo/credits', { balance, amount: 100_000 });
    const made = await client.call<{ data: { key: string } }>('POST', '/v6/api/account/api-keys', { mode: 'test' });
    key = made.body.data.key;
  }, 120_000);
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    await service.stop();
  });

  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(service.url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    expect(response.status, JSON.stringify(answer)).toBeLessThan(300);
    return answer;
  };
  const send = async (path: string, fields: object = {}): Promise<string> => {
    const body = { broadcast_name: 'Try', brodcast_service: 'sandbox', message: 'Hello', contacts: numbers(TOTAL) };
    return String((await call('POST', path, { ...body, ...fields }))['request_id']);
  };
  const campaign = async (id: string): Promise<Record<string, unknown>> =>
    (await call('GET', `/v6/api/campaigns/${id}`))['data'] as Record<string, unknown>;
  const ended = async (id: string): Promise<Record<string, number>> => {
    await endReceiptTime(service, id, () => true);
    await until(`${id} to end`, async () => (await campaign(id))['state'] === 'completed', 120_000);
    return (await campaign(id))['status_counts'] as Record<string, number>;
  };
  const money = (): Promise<string[]> =>
    Promise.all(
      MONEY.map(async (table) => JSON.stringify(await service.database.dataSource.query(`SELECT * FROM ${table}`))),
    );
  const cli = async (...args: string[]): Promise<string> => {
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { PATH: process.env['PATH'], ...service.environment },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(code, said).toBe(0);
    return said;
  };

  it('reaches neither the SMSC, nor the gateway, nor a telephone, though a worker dies in the middle', async () => {
    const before = await money();
    const ids = {
      sms: await send('/webhook/api/addbroadcastgsm.php'),
      unofficial: await send('/webhook/api/addbroadcastUnofficial.php'),
      voice: await send('/v6/api/v1/voice/send'),
    };
    await service.workers[0]?.stop('SIGKILL');
    await service.addWorker();
    const refused = numbers(TOTAL).filter(
      (to) => testOutcome(to, 'sms', { again: true, items: 1 }).kind === 'rejected',
    );
    for (const [channel, id] of Object.entries(ids)) {
      const counts = await ended(id);
      expect(
        Object.values(counts).reduce((sum, count) => sum + count, 0),
        channel,
      ).toBe(TOTAL);
      expect(counts['FAILED'], channel).toBeGreaterThanOrEqual(refused.length);
      expect(counts[channel === 'voice' ? 'ANSWERED' : 'DELIVERED'], channel).toBeGreaterThan(0.5 * TOTAL);
    }
    expect(await carrierTotal(service)).toBe(0);
    expect(await money()).toEqual(before);
  }, 300_000);

  it('stays one through a copy that is restored, and in no month that is closed', async () => {
    const before = await money();
    const running = await send('/webhook/api/addbroadcastgsm.php');
    const later = await send('/webhook/api/addbroadcastgsm.php', { schedule_time: '2099-01-01 00:00:00' });
    await cli('backup', join(directory, 'copy'));
    await Promise.all([service.api, ...service.workers].map((process) => process.stop('SIGKILL')));
    const { database } = service;
    await database.dataSource.query(`DROP DATABASE \`${new URL(database.url).pathname.slice(1)}\``);
    await cli('restore', join(directory, 'copy'));
    await service.api.start();
    await service.addWorker();
    await database.dataSource.destroy();
    await database.dataSource.initialize();
    expect(await campaign(later)).toMatchObject({ test: true, refunded_credits: 0 });
    await call('POST', `/v6/api/campaigns/${later}/cancel`, {});
    await ended(running);
    expect(await campaign(running)).toMatchObject({ test: true, refunded_credits: 0, credits: TOTAL });
    expect(await carrierTotal(service)).toBe(0);
    expect(await money()).toEqual(before);
    const rows = await database.dataSource.query<{ kind: string }[]>(
      'SELECT DISTINCT kind FROM credit_ledger WHERE created_at >= ?',
      [startOfMonth(0)],
    );
    expect(rows.map(({ kind }) => kind).sort()).toEqual(['grant']);
    const proof = await admin.call<{ data: { ok: boolean }[] }>('GET', '/v6/api/admin/accounts/demo/credits/proof');
    expect(proof.body.data.every(({ ok }) => ok)).toBe(true);
  }, 300_000);
});
