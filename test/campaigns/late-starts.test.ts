import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { Gateway } from '../support/gateway.js';
import { type Member, openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

type Json = Record<string, unknown>;

const PATIENCE = { timeout: 30_000, interval: 50 };
const CONTACTS = ['4915112345678', '4915112345679'];
const LATER = '2099-07-01T09:30:00Z';

/** Scheduled sends whose moment passed while nothing could leave: their schedule is moved into the past. */
describe('a scheduled send that begins late', () => {
  let sms: Sms;
  let accounts: Accounts;
  let token: string;
  let worker: TestingModule;
  let gateway: Gateway;
  let member: Member;

  const get = async (path: string): Promise<Json> => {
    const { status, body } = await accounts.call('GET', path, { token });
    expect(status, JSON.stringify(body)).toBe(200);
    return body['data'] as Json;
  };
  const detail = (requestId: string): Promise<Json> => get(`/v6/api/campaigns/${requestId}`);
  const send = async (route: string, fields: Json): Promise<string> => {
    const body = { broadcast_name: 'n', brodcast_service: route, contacts: CONTACTS, message: 'hi', ...fields };
    const answer = await sms.broadcast(member, { schedule_time: LATER, ...body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return String(answer.body['request_id']);
  };
  /** As if all workers had been down until `seconds` after the schedule. */
  const wakeLate = async (requestId: string, seconds: number): Promise<void> => {
    const { dataSource } = sms.api.database;
    const [row] = await dataSource.query<{ id: number }[]>('SELECT id FROM campaigns WHERE request_id = ?', [
      requestId,
    ]);
    await dataSource.query(
      `UPDATE campaigns SET scheduled_at = UTC_TIMESTAMP(3) - INTERVAL ? SECOND,
         late_at = IF(late_at IS NULL, NULL, UTC_TIMESTAMP(3) - INTERVAL ? SECOND + INTERVAL late_after_s SECOND) WHERE id = ?`,
      [seconds, seconds, row?.id],
    );
    await dataSource.query(
      `UPDATE campaign_lanes SET wake_at = IF(wake_at IS NULL, NULL, UTC_TIMESTAMP(3)),
         settle_at = IF(settle_at IS NULL, NULL, UTC_TIMESTAMP(3)) WHERE campaign_id = ?`,
      [row?.id],
    );
  };
  const until = (requestId: string, fields: Json): Promise<void> =>
    vi.waitFor(async () => expect(await detail(requestId)).toMatchObject(fields), PATIENCE);

  beforeAll(async () => {
    sms = await openSms({}, { route: false });
    accounts = accountsOf(sms.api);
    token = accounts.token(await accounts.account({ userType: 'super' }));
    gateway = await Gateway.open();
    for (const [name, config] of [
      ['gateway', gateway.config],
      ['gone', { ...gateway.config, url: 'http://127.0.0.1:9/send' }],
    ] as const) {
      const body = { channel: 'sms', driver: 'http', config };
      expect((await accounts.call('PUT', `/v6/api/admin/routes/${name}`, { token, body })).status).toBe(200);
    }
    member = await sms.join(100);
    worker = await startWorker(sms.environment);
  });
  afterAll(async () => {
    await worker.close();
    await sms.stop();
    await gateway.close();
  });

  it('is sent all the same without a rule, which its detail and timeline tell', async () => {
    const [plain, ruled, inTime] = await Promise.all([
      send('gateway', {}),
      send('gateway', { late: 'send', late_after_s: '120' }),
      send('gateway', { late: 'hold', late_after_s: 600 }),
    ]);
    expect(await detail(ruled)).toMatchObject({ late: 'send', late_after_s: 120, started_late_s: null });
    for (const requestId of [plain, ruled, inTime]) await wakeLate(requestId, 100);
    for (const requestId of [plain, ruled, inTime]) await until(requestId, { status_counts: { SENT: 2 } });
    const late = Number((await detail(plain))['started_late_s']);
    expect(late).toBeGreaterThanOrEqual(100);
    expect(late).toBeLessThan(130);
    expect([(await detail(ruled))['started_late_s'], (await detail(inTime))['started_late_s']]).toEqual([null, null]);
    const { events } = (await get(`/v6/api/campaigns/${plain}/contacts/1/timeline`)) as { events: Json[] };
    expect(events.find(({ event }) => event === 'scheduled')).toMatchObject({ details: { started_late_s: late } });
  });

  it.each(['gateway', 'gone'])('is cancelled and refunded over %s if it is to expire', async (route) => {
    const before = Number(await sms.credits(member));
    const taken = gateway.taken.length;
    const requestId = await send(route, { late: 'expire', late_after_s: 600 });
    await wakeLate(requestId, 601);
    await until(requestId, {
      ...{ state: 'cancelled', status_counts: { CANCELLED: 2 }, refunded_credits: 2, started_late_s: null },
      reason: 'Not started within 600 s of its schedule',
    });
    expect(await sms.credits(member)).toBe(before);
    expect(gateway.taken.length).toBe(taken);
  });

  it('is paused if it is to be held, and sent once it is resumed', async () => {
    const taken = gateway.taken.length;
    const requestId = await send('gateway', { late: 'hold' });
    await wakeLate(requestId, 61);
    await until(requestId, { state: 'paused', status_counts: { PP1: 2 }, late: 'hold', late_after_s: 60 });
    expect(gateway.taken.length).toBe(taken);
    const resumed = await accounts.call('POST', `/v6/api/campaigns/${requestId}/resume`, { token: member.token });
    expect(resumed.body['data']).toMatchObject({ state: 'accepted' });
    await until(requestId, { status_counts: { SENT: 2 } });
    expect(Number((await detail(requestId))['started_late_s'])).toBeGreaterThanOrEqual(61);
  });

  it('expires or is held where staff approve it late', async () => {
    const expiring = await send('gateway', { late: 'expire' });
    const held = await send('gateway', { late: 'hold' });
    const { dataSource } = sms.api.database;
    for (const requestId of [expiring, held]) {
      await dataSource.query("UPDATE campaigns SET state = 'pending_approval' WHERE request_id = ?", [requestId]);
      await dataSource.query(
        'UPDATE campaign_lanes SET wake_at = NULL WHERE campaign_id = (SELECT id FROM campaigns WHERE request_id = ?)',
        [requestId],
      );
      await wakeLate(requestId, 100);
    }
    await until(expiring, { state: 'cancelled', status_counts: { CANCELLED: 2 } });
    expect((await detail(held))['state']).toBe('pending_approval');
    await accounts.call('POST', `/v6/api/admin/campaigns/${held}/approve`, { token, body: {} });
    await until(held, { state: 'paused', status_counts: { PP1: 2 } });
  });
});
