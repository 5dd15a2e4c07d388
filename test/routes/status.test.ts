import { setTimeout as sleep } from 'node:timers/promises';
import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ReceiptSink } from '../../src/modules/providers/index.js';
import { type RunningApi, startApi } from '../support/api.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { numbers } from '../support/client.js';
import { Gateway } from '../support/gateway.js';
import { type Member, openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const PATH = '/v6/api/admin/routes';
const PATIENCE = { timeout: 60_000, interval: 100 };
const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

describe('how routes stand', () => {
  let sms: Sms;
  let accounts: Accounts;
  let token: string;
  let workers: TestingModule[];
  let other: RunningApi;
  let member: Member;
  let gateway: Gateway;

  const call = (method: string, path: string, body?: unknown) => accounts.call(method, path, { token, body });
  const put = async (name: string, body: Record<string, unknown>): Promise<void> => {
    const { status, body: answer } = await call('PUT', `${PATH}/${name}`, body);
    expect(status, JSON.stringify(answer)).toBe(200);
  };
  const statusOf = async (name: string): Promise<Record<string, unknown>> => {
    const { status, body } = await call('GET', `${PATH}/${name}/status`);
    expect(status).toBe(200);
    return body['data'] as Record<string, unknown>;
  };
  const untilState = (name: string, state: string): Promise<unknown> =>
    vi.waitFor(async () => {
      const found = await statusOf(name);
      expect(found).toMatchObject({ state, since: expect.stringMatching(TIME) as string });
    }, PATIENCE);
  const send = async (service: string, contacts: string[], more = {}): Promise<string> => {
    const body = { broadcast_name: 'n', brodcast_service: service, contacts, message: 'hello', ...more };
    return String((await sms.broadcast(member, body)).body['request_id']);
  };

  beforeAll(async () => {
    sms = await openSms({}, { route: false });
    accounts = accountsOf(sms.api);
    token = accounts.token(await accounts.account({ userType: 'admin' }));
    member = await sms.join(100_000);
    gateway = await Gateway.open();
    workers = [await startWorker(sms.environment), await startWorker(sms.environment)];
    other = await startApi(sms.environment, sms.database);
  });
  afterAll(async () => {
    for (const worker of workers) await worker.close();
    await other.stop();
    await sms.stop();
    await gateway.close();
  });

  it('tell what a route carries, by all workers, and the same from every API', async () => {
    await put('well', { channel: 'sms', driver: 'http', config: gateway.config, messages_per_second: 1_000 });
    await untilState('well', 'up');
    const requestId = await send('well', numbers(40));
    await vi.waitUntil(() => gateway.taken.length === 40, PATIENCE);
    // once their ids are written: a receipt that comes before is kept until it finds its message
    await vi.waitFor(async () => {
      const { body } = await call('GET', `/v6/api/campaigns/${requestId}`);
      expect(body['data']).toMatchObject({ status_counts: { SENT: 40 } });
    }, PATIENCE);
    const receipts = [1, 2, 3].map((at) => ({
      providerMessageId: `m-${at}`,
      status: 'delivered' as const,
      errorCode: null,
      errorText: null,
      receiver: null,
    }));
    const [{ id }] = await sms.dataSource.query<[{ id: number }]>("SELECT id FROM routes WHERE name = 'well'");
    await sms.part(ReceiptSink).accept(id, receipts);
    await sms.part(ReceiptSink).accept(id, [{ ...receipts[0]!, providerMessageId: 'nobody-has-it' }]);
    await sms.dataSource.query('UPDATE parked_receipts SET received_at = received_at - INTERVAL 2 MINUTE');
    await vi.waitFor(async () => {
      const found = await statusOf('well');
      expect(found).toMatchObject({
        name: 'well',
        channel: 'sms',
        driver: 'http',
        state: 'up',
        alarm_in_seconds: null,
        summary: null,
        connection: 'up',
        stopped: null,
        last_error: null,
        last_error_since: null,
        last_error_at: null,
        waiting: 0,
        waiting_later: 0,
        waiting_is_capped: false,
        oldest_due_seconds: null,
        messages_per_second: 1_000,
        sent_last_hour: 40,
        delivery_rate: 1,
        newest_receipt_at: expect.stringMatching(TIME) as string,
        newest_receipt_age_seconds: expect.any(Number) as number,
        unmatched_receipts: 1,
        circuit: 'closed',
        binds: null,
      });
      expect(found['throughput_per_second']).toBeGreaterThan(0);
      expect(found['workers']).toHaveLength(2);
    }, PATIENCE);
    const elsewhere = await accountsOf(other).call('GET', `${PATH}/well/status`, { token });
    expect(elsewhere.body['data']).toMatchObject({ state: 'up', sent_last_hour: 40, circuit: 'closed' });
    expect(requestId).toMatch(/^GSMCAMP_/);
  });

  it('say since when one is down, why, and how many wait for it; and that it was, when it is well again', async () => {
    let carrier = await Gateway.open();
    const { config } = carrier;
    await put('sick', { channel: 'sms', driver: 'http', config, messages_per_second: null });
    await untilState('sick', 'up');
    await carrier.close();
    await send('sick', numbers(500));
    await send('sick', numbers(1));
    await untilState('sick', 'down');
    const sick = await statusOf('sick');
    // ALARM_HOLD is 2 minutes
    expect(sick['alarm_in_seconds']).toBeGreaterThan(0);
    expect(sick['alarm_in_seconds']).toBeLessThanOrEqual(120);
    expect(sick).toMatchObject({ waiting: 501, circuit: expect.stringMatching(/open$/) as string });
    expect(sick['summary']).toMatch(/^Gateway is not reachable.* since \d\d:\d\d, 501 waiting$/);
    expect(sick['last_error']).toContain('Gateway is not reachable');
    expect(sick['last_error_since']).toMatch(TIME);
    await expect.poll(async () => (await statusOf('sick'))['oldest_due_seconds']).toBeGreaterThanOrEqual(1);
    const { since } = await statusOf('sick');
    expect(since).toBe(sick['since']);

    const at = '2099-05-02T09:30:00+00:00';
    const paused = await send('sick', numbers(7), { schedule_time: at });
    await accounts.call('POST', `/v6/api/campaigns/${paused}/pause`, { token });
    await vi.waitFor(async () => expect((await statusOf('sick'))['waiting_later']).toBe(7), PATIENCE);
    const waiting = await call('GET', `${PATH}/sick/waiting`);
    expect(waiting.body).toMatchObject({
      data: [
        { username: member.account.username, channel: 'sms', state: 'running', waiting: 500, scheduled_at: null },
        { request_id: paused, broadcast_name: 'n', state: 'paused', waiting: 7, scheduled_at: at },
        { waiting: 1 },
      ],
      has_more: false,
    });
    expect((await call('GET', `${PATH}/nowhere/waiting`)).status).toBe(404);

    carrier = await Gateway.open(Number(new URL(String(config['url'])).port));
    await vi.waitUntil(() => carrier.taken.length === 501, PATIENCE);
    // A worker that has tried in vain knows better with the next message that it has.
    await vi.waitFor(async () => {
      await send('sick', numbers(1));
      expect((await statusOf('sick'))['state']).toBe('up');
    }, PATIENCE);
    await vi.waitFor(async () => {
      expect(await statusOf('sick')).toMatchObject({
        waiting: 0,
        summary: null,
        last_error: expect.stringContaining('Gateway is not reachable') as string,
        last_error_at: expect.stringMatching(TIME) as string,
      });
    }, PATIENCE);
    await carrier.close();
  });

  it('show a stopped route as stopped by whom, with how its connection stands', async () => {
    await put('still', { channel: 'sms', driver: 'http', config: gateway.config });
    await untilState('still', 'up');
    await call('POST', `${PATH}/still/stop`, { reason: 'Night' });
    await sleep(2_000);
    await send('still', numbers(3));
    await vi.waitFor(async () => {
      expect(await statusOf('still')).toMatchObject({
        state: 'stopped',
        connection: 'up',
        since: expect.stringMatching(TIME) as string,
        stopped: { reason: 'Night' },
        summary: expect.stringMatching(/^Stopped by \S+ since \d\d:\d\d, 3 waiting$/) as string,
      });
    }, PATIENCE);
  });

  it('count the sessions of a route that has some, wanted and held', async () => {
    const config = { host: '127.0.0.1', port: 9, system_id: 's', password: 'p' };
    await put('bound', { channel: 'sms', driver: 'smpp', config, binds: 2 });
    await put('unbound', { channel: 'sms', driver: 'smpp', config });
    await vi.waitFor(async () => {
      expect(await statusOf('bound')).toMatchObject({ state: 'down', circuit: null, binds: { wanted: 2, bound: 0 } });
      expect(await statusOf('unbound')).toMatchObject({ state: 'down', binds: { wanted: 2, held: 2, bound: 0 } });
    }, PATIENCE);
    const { binds } = (await statusOf('bound')) as { binds: { held: number; workers: { held: number }[] } };
    expect(binds.workers.reduce((sum, { held }) => sum + held, 0)).toBe(binds.held);
  });

  it('are listed by name in parts, and are for staff alone', async () => {
    const { body } = await call('GET', `${PATH}/status?limit=2`);
    expect(body).toMatchObject({ success: true, page: 1, limit: 2, total: 5 });
    expect((body['data'] as { name: string }[]).map(({ name }) => name)).toEqual(['bound', 'sick']);
    const next = await call('GET', `${PATH}/status?limit=2&cursor=${String(body['next_cursor'])}`);
    expect((next.body['data'] as { name: string }[]).map(({ name }) => name)).toEqual(['still', 'unbound']);
    expect(await accounts.row('GET', `${PATH}/status?cursor=x`, { token })).toEqual([400, 'cursor is invalid']);
    expect(await accounts.row('GET', `${PATH}/nowhere/status`, { token })).toEqual([404, 'Route not found']);
    const body404 = { channel: 'sms', driver: 'http', config: gateway.config };
    expect(await accounts.row('PUT', `${PATH}/status`, { token, body: body404 })).toEqual([400, 'name is invalid']);
    const client = accounts.token(await accounts.account());
    for (const path of [`${PATH}/status`, `${PATH}/well/status`]) {
      expect(await accounts.row('GET', path, { token: client })).toEqual([403, 'Forbidden']);
    }
  });
});
