import type { TestingModule } from '@nestjs/testing';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AlarmRounds, ALARM_CHECKS } from '../../src/modules/alarms/alarm-rounds.js';
import { BackupOld, CreditsUnsound, DatabaseSlow, RedisAway } from '../../src/modules/alarms/system-checks.js';
import { DiskWatch } from '../../src/modules/alarms/disk-watch.js';
import { type AlarmCheck, ALARM_KINDS, type Finding, KINDS } from '../../src/modules/alarms/alarm-kinds.js';
import { AlarmStore, DiskShortages, LastBackup, recordBackup } from '../../src/modules/alarms/alarms.store.js';
import { StateMetrics } from '../../src/modules/alarms/state-metrics.js';
import { AccountDirectory, StaffAccounts } from '../../src/modules/accounts/index.js';
import { CreditProofs } from '../../src/modules/credits/index.js';
import { CustomerEvents } from '../../src/modules/customer-events/index.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { ReceiptSink, RouteDirectory } from '../../src/modules/providers/index.js';
import { TrafficStore } from '../../src/modules/statistics/traffic.store.js';
import { TrafficWriter } from '../../src/modules/statistics/traffic-writer.js';
import type { Environment } from '../../src/platform/config/index.js';
import { Metrics } from '../../src/platform/observability/index.js';
import { RedisLink } from '../../src/platform/redis/index.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import { numbers } from '../support/client.js';
import { freePort, until } from '../support/processes.js';
import { expectRefused, type Member } from '../support/sms.js';
import { openWebhooks, type Webhooks } from '../support/webhooks.js';

const PATH = '/v6/api/admin/alarms';
const MINUTE_MS = 60_000;
/** Looks by hand, and nothing to wait for. */
const AT_ONCE: Partial<Environment> = {
  ...{ ALARM_INTERVAL: 0, ALARM_HOLD: 0, ALARM_CLEAR: 0, ALARM_UNMATCHED: 3, ALARM_WEBHOOK_FAILING: 0 },
  ...{ ALARM_DATABASE_SLOW: 60_000, ALARM_LATE_AFTER: 30_000, BACKUP_MAX_AGE_HOURS: 24 },
};

/** What rings before customers do (reference/admin#alarms). */
describe('alarms', () => {
  let house: Webhooks;
  let worker: TestingModule;
  let staff: Member;
  let owner: Member;
  let routeId: number;

  beforeAll(async () => {
    house = await openWebhooks({ OUTBOUND_ALLOW: '127.0.0.0/8', WEBHOOK_RETRY_DELAYS: [0] });
    routeId = (await house.part(RouteDirectory).byName('main'))?.id ?? 0;
    staff = await house.join(0, { userType: 'admin' });
    owner = await house.join(10_000);
    worker = await house.worker(AT_ONCE);
    await recordBackup(house.dataSource);
  });
  afterAll(() => house.stop());

  const round = (): Promise<void> => worker.get(AlarmRounds, { strict: false }).run();
  const alarms = async (kind: string, state = 'active'): Promise<Json[]> =>
    listOf(await house.get(`${PATH}?state=${state}&limit=1000`, staff)).filter((alarm) => alarm['kind'] === kind);
  const subjects = async (kind: string): Promise<unknown[]> => {
    await round();
    return (await alarms(kind)).map(({ subject }) => subject);
  };
  const write = (): Promise<void> => house.part(TrafficWriter).write();
  /** What a route did before: figures of a minute, or of an hour of yesterday. */
  const past = async (id: number, minutesAgo: number, counts: Record<string, number>): Promise<void> => {
    const minute = Math.floor((Date.now() - minutesAgo * MINUTE_MS) / MINUTE_MS) * MINUTE_MS;
    const of = { routeId: id, accountId: owner.account.id, channel: 'sms' };
    await new TrafficStore(house.dataSource).add([{ ...of, minute, counts }]);
  };

  it('are of kinds that one check each finds, and that the runbook tells what to do about', async () => {
    const checks = worker.get<AlarmCheck[]>(ALARM_CHECKS, { strict: false });
    expect(checks.map(({ kind }) => kind).sort()).toEqual([...ALARM_KINDS].sort());
    const runbook = await readFile('docs/operate/runbook.md', 'utf8');
    const headings = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(ALARM_KINDS);
  });

  it('are none while nothing is wrong', async () => {
    await round();
    expect(await house.get(PATH, staff)).toMatchObject({ status: 200, body: { data: [], total: 0 } });
  });

  it('ring for a route whose carrier cannot be reached, and stop when it is gone; staff webhooks hear of both', async () => {
    const hook = await house.hook(staff, ['alarm.raised', 'alarm.cleared']);
    const routes = house.part(RouteDirectory);
    const config = { host: '127.0.0.1', port: await freePort(), system_id: 'a', password: 'b' };
    const draft = {
      name: 'dead',
      channel: 'sms',
      driver: 'smpp',
      config,
      messagesPerSecond: null,
      isDefault: false,
    } as const;
    const { id } = await house.dataSource.transaction((tx) => routes.put(tx, draft));
    routes.forget();
    const sender = await house.worker({ ...AT_ONCE, WORKER_QUEUES: ['sms'] });
    // the other routes of this house have no carrier either
    const dead = async (): Promise<Json | undefined> =>
      (await alarms('route_down')).find(({ subject }) => subject === 'dead');
    await until('the route to be down', async () => {
      await round();
      return String((await dead())?.['message']).includes('ECONNREFUSED');
    });
    const alarm = await dead();
    expect(alarm).toMatchObject({
      ...{ severity: 'critical', subject_type: 'route', state: 'active', hint: KINDS.route_down.hint },
      ...{ doc_url: '/docs/guide/operate/runbook#route_down', cleared_at: null, acknowledged_by: null },
    });
    await house.received(hook, 1);
    const told = (event: string): Json | undefined =>
      house.receiver.to(hook.path).find(({ body }) => body['event'] === event && body['subject'] === 'dead')?.body;
    await until('staff to hear of it', () => Promise.resolve(told('alarm.raised') !== undefined));
    expect(told('alarm.raised')).toMatchObject({
      ...{ event: 'alarm.raised', id: alarm?.['id'], kind: 'route_down', subject: 'dead', severity: 'critical' },
    });

    // what staff have stopped is not wrong
    const stop = { at: new Date(), by: staff.account.username, reason: null };
    await house.dataSource.transaction((tx) => routes.setStop(tx, id, stop));
    routes.forget();
    await until('no alarm for a stopped route', async () => !(await subjects('route_down')).includes('dead'));

    await house.removeRoute(id);
    await sender.close();
    await until('the alarm to be over', async () => (await subjects('route_down')).length === 0);
    expect(await alarms('route_down', 'past')).toContainEqual(
      expect.objectContaining({ id: alarm?.['id'], state: 'past' }),
    );
    await until('staff to hear of its end', () => Promise.resolve(told('alarm.cleared') !== undefined));
    expect(told('alarm.cleared')).toMatchObject({ event: 'alarm.cleared', id: alarm?.['id'] });
    expectRefused(
      await house.act(`${PATH}/${String(alarm?.['id'])}/acknowledge`, staff),
      409,
      'Alarm is already cleared',
    );
  });

  it('ring when less arrives than in the past: a carrier that refuses what it took before', async () => {
    await past(routeId, 26 * 60, { sent: 1_000, delivered: 970, failed: 30, receipts: 1_000 });
    expect(await subjects('delivery_rate_fallen')).toEqual([]);
    const requestId = await house.send(owner, numbers(60));
    await house.begin(requestId);
    const { Failed } = RecipientStatus;
    const all = Array.from({ length: 60 }, (_, index) => index + 1);
    await house.settle(requestId, all, Failed, 'Refused', true, routeId);
    await write();
    expect(await subjects('delivery_rate_fallen')).toEqual(['main']);
    const [alarm] = await alarms('delivery_rate_fallen');
    expect(alarm).toMatchObject({ value: 0, threshold: 77, unit: 'percent' });
  });

  it('ring when a route sends and its receipts stop', async () => {
    const silent = await house.addRoute('silent', false);
    await past(silent, 26 * 60, { sent: 500, receipts: 480, delivered: 480 });
    await past(silent, 10, { sent: 40 });
    await until('the alarm', async () => (await subjects('receipts_silent')).includes('silent'));
    await past(silent, 1, { receipts: 1 });
    expect(await subjects('receipts_silent')).toEqual([]);
  });

  it('ring when what is due is taken by no worker', async () => {
    const requestId = await house.send(owner, ['919812345678']);
    expect(await subjects('message_late')).toEqual([]);
    await house.dataSource.query(
      'UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) - INTERVAL 90 SECOND WHERE campaign_id = ?',
      [await house.idOf(requestId)],
    );
    expect(await subjects('message_late')).toEqual(['sms']);
    const [alarm] = await alarms('message_late');
    expect(alarm).toMatchObject({ unit: 'seconds', threshold: 30, subject_type: 'channel' });
    expect(Number(alarm?.['value'])).toBeGreaterThanOrEqual(90);
    await house.dataSource.query('DELETE FROM campaign_lanes WHERE campaign_id = ?', [await house.idOf(requestId)]);
    expect(await subjects('message_late')).toEqual([]);
  });

  it('ring for receipts that belong to no message', async () => {
    const nobody = ['x-1', 'x-2', 'x-3'].map((providerMessageId) => ({
      ...{ providerMessageId, status: 'delivered', errorCode: null, errorText: null, receiver: null },
    })) as Parameters<ReceiptSink['accept']>[1];
    await house.part(ReceiptSink).accept(routeId, nobody);
    expect(await subjects('receipts_unmatched')).toEqual([]); // their messages may be on the way
    await house.dataSource.query('UPDATE parked_receipts SET received_at = received_at - INTERVAL 2 MINUTE');
    expect(await subjects('receipts_unmatched')).toEqual(['main']);
    expect(await alarms('receipts_unmatched')).toMatchObject([{ value: 3, threshold: 3, unit: 'receipts' }]);
  });

  it('ring for a webhook whose endpoint fails', async () => {
    const customer = await house.join(100);
    const hook = await house.hook(customer, ['gsm.status.update']);
    house.receiver.answering = ({ path }) => (path === hook.path ? 500 : undefined);
    const requestId = await house.sent(customer);
    await house.settle(requestId, [1], RecipientStatus.Delivered);
    await house.logged(customer, hook, 1);
    const subject = `${customer.account.username}/${hook.id}`;
    await until('the alarm', async () => (await subjects('webhook_failing')).includes(subject));
    await house.call('PATCH', `/${hook.id}`, customer, { status: 'active' });
    await house.dataSource.query('UPDATE webhook_endpoints SET failing_since = NULL WHERE id = ?', [hook.id]);
    expect(await subjects('webhook_failing')).toEqual([]);
  });

  it('ring when a stored balance is not its ledger, and name it', async () => {
    const victim = await house.join(100);
    await house.dataSource.query(
      'UPDATE credit_balances SET available = available + 7 WHERE account_id = ? AND balance = ?',
      [victim.account.id, 'gsm_credits'],
    );
    await until('the alarm', async () => (await subjects('credits_unsound')).includes(victim.account.username));
    const [alarm] = await alarms('credits_unsound');
    expect(alarm).toMatchObject({ severity: 'critical', value: 7, unit: 'credits', subject_type: 'account' });
    expect(String(alarm?.['message'])).toContain('gsm_credits');
    // another process has the next round, and the account has not moved lately
    await house.dataSource.query(
      `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, created_at)
       SELECT ?, 'gsm_credits', 0, 0, 'grant', UTC_TIMESTAMP(3)
       FROM information_schema.COLLATIONS a JOIN information_schema.COLLATIONS b LIMIT 2000`,
      [staff.account.id],
    );
    const proofs = worker.get(CreditProofs, { strict: false });
    const another = new CreditsUnsound(house.dataSource, proofs, worker.get(AccountDirectory, { strict: false }));
    expect(await proofs.movedLately()).not.toContain(victim.account.id);
    expect(await another.find()).toMatchObject([{ subject: victim.account.username, value: 7 }]);
    await house.dataSource.query(
      'UPDATE credit_balances SET available = available - 7 WHERE account_id = ? AND balance = ?',
      [victim.account.id, 'gsm_credits'],
    );
    expect(await subjects('credits_unsound')).toEqual([]);
  });

  it('ring for a database that is slow, and for Redis', async () => {
    const slow = (ALARM_DATABASE_SLOW: number) => new DatabaseSlow(house.dataSource, { ALARM_DATABASE_SLOW }).find();
    expect(await slow(0)).toMatchObject([{ subject: '', threshold: 0 }]);
    expect(await slow(600_000)).toEqual([]);
    const link = worker.get(RedisLink, { strict: false });
    expect(await new RedisAway(link).find()).toEqual([]);
    link.client.disconnect();
    expect(await subjects('redis_away')).toEqual([null]);
    await link.client.connect();
    expect(await subjects('redis_away')).toEqual([]);
  });

  it('ring for a disk that is nearly full, by host, until there is room or the host is gone', async () => {
    const environment = { DATA_DIR: 'not/there', ALARM_INTERVAL: 0, ALARM_DISK_FREE: 100 };
    const metrics = new Metrics();
    const watch = new DiskWatch(environment, worker.get(DiskShortages, { strict: false }), metrics);
    const directory = resolve('not/there');
    await watch.poll();
    expect(await subjects('disk_full')).toEqual([`${hostname()}:${directory}`.slice(0, 128)]);
    const [alarm] = await alarms('disk_full');
    expect(alarm).toMatchObject({ severity: 'critical', subject_type: 'host', unit: 'percent', threshold: 10 });
    expect(alarm?.['value']).toBeGreaterThanOrEqual(0);
    expect(alarm?.['value']).toBeLessThan(100);
    const text = await metrics.registry.metrics();
    for (const name of ['free', 'size']) expect(text).toMatch(new RegExp(`switchboard_disk_${name}_bytes\\{.*\\} \\d`));

    environment.ALARM_DISK_FREE = 0;
    await watch.poll();
    expect(await subjects('disk_full')).toEqual([]);

    environment.ALARM_DISK_FREE = 100;
    await watch.poll();
    expect(await subjects('disk_full')).toHaveLength(1);
    await house.dataSource.query('UPDATE disk_shortages SET seen_at = seen_at - INTERVAL 5 MINUTE');
    expect(await subjects('disk_full')).toEqual([]);
  });

  it('ring when no copy of the database was made for long, or none at all, where that is asked for', async () => {
    const age = async (): Promise<string | undefined> => {
      await worker.get(StateMetrics, { strict: false }).measure();
      const text = await worker.get(Metrics, { strict: false }).registry.metrics();
      return /^switchboard_backup_age_seconds (\S+)$/m.exec(text)?.[1];
    };
    expect(await subjects('backup_old')).toEqual([]);
    await house.dataSource.query('UPDATE last_backup SET ended_at = ended_at - INTERVAL 25 HOUR');
    expect(await subjects('backup_old')).toEqual([null]);
    expect(await alarms('backup_old')).toMatchObject([
      { severity: 'warning', unit: 'hours', value: 25, threshold: 24, subject_type: null },
    ]);
    expect(Number(await age())).toBeGreaterThanOrEqual(25 * 3_600);
    await recordBackup(house.dataSource);
    expect(await subjects('backup_old')).toEqual([]);

    await house.dataSource.query('DELETE FROM last_backup');
    expect(await subjects('backup_old')).toEqual([null]);
    expect(await age()).toBeUndefined();
    const off = new BackupOld(worker.get(LastBackup, { strict: false }), { BACKUP_MAX_AGE_HOURS: 0 });
    expect(await off.find()).toEqual([]);
    await recordBackup(house.dataSource);
    expect(await subjects('backup_old')).toEqual([]);
  });

  describe('do not flap', () => {
    const finding: Finding = { subject: 'shaky', message: 'It shakes', value: 1, threshold: 0 };
    const settle = (...findings: Finding[]): Promise<void> =>
      new AlarmStore(house.dataSource, house.part(CustomerEvents), house.part(StaffAccounts), {
        ALARM_HOLD: 120_000,
        ALARM_CLEAR: 300_000,
      }).settle('receipts_silent', findings);
    const shift = (column: string, minutes: number): Promise<unknown> =>
      house.dataSource.query(`UPDATE alarms SET ${column} = ${column} - INTERVAL ? MINUTE WHERE subject = 'shaky'`, [
        minutes,
      ]);
    const states = async (): Promise<string[]> =>
      (await house.dataSource.query<{ state: string }[]>("SELECT state FROM alarms WHERE subject = 'shaky'")).map(
        ({ state }) => state,
      );

    it('what passes at once is never raised', async () => {
      await settle(finding);
      expect(await states()).toEqual(['waiting']);
      expect((await alarms('receipts_silent')).map(({ subject }) => subject)).not.toContain('shaky');
      const [row] = await house.dataSource.query<{ id: number }[]>("SELECT id FROM alarms WHERE subject = 'shaky'");
      expectRefused(await house.act(`${PATH}/${row?.id}/acknowledge`, staff), 404, 'Alarm not found');
      await settle();
      expect(await states()).toEqual([]);
    });

    it('what lasts is raised once, and cleared when it has been gone for a while', async () => {
      await settle(finding);
      await shift('first_seen_at', 3);
      await Promise.all([settle(finding), settle(finding), settle(finding)]);
      await settle();
      await settle(finding);
      await settle();
      expect(await states()).toEqual(['active']);
      await shift('last_seen_at', 6);
      await settle();
      expect(await states()).toEqual(['past']);
      await settle(finding);
      expect((await states()).sort()).toEqual(['past', 'waiting']);
      await settle();
    });
  });

  it('are acknowledged once, by name, and it stands in the audit log', async () => {
    const [alarm] = await alarms('delivery_rate_fallen');
    const path = `${PATH}/${String(alarm?.['id'])}/acknowledge`;
    const other = await house.join(0, { userType: 'super' });
    const answer = await house.act(path, staff);
    expect(answer).toMatchObject({ status: 200, body: { success: true, message: 'Alarm acknowledged' } });
    expect(dataOf(answer)).toMatchObject({ acknowledged_by: staff.account.username, state: 'active' });
    expect(dataOf(await house.act(path, other))).toEqual(dataOf(answer));
    expect(await house.audit('main')).toMatchObject([{ actor: staff.account.username, action: 'alarm.acknowledge' }]);
  });

  it('are for staff of the house', async () => {
    const reseller = await house.join(0, { userType: 'reseller' });
    for (const member of [owner, reseller]) {
      expectRefused(await house.get(PATH, member), 403, 'Forbidden');
      expectRefused(await house.act(`${PATH}/1/acknowledge`, member), 403, 'Forbidden');
      const body = { url: 'https://shop.example/', events: ['alarm.raised'] };
      const { status, body: answer } = await house.call('POST', '', member, body);
      expect([status, answer['message']]).toEqual([400, expect.stringMatching(/^events must be of: /)]);
      expect(answer['message']).not.toContain('alarm');
    }
    const unknown = await house.call('POST', '', staff, { url: 'https://shop.example/', events: ['alarm.silent'] });
    expect(unknown.body['message']).toContain('alarm.raised, alarm.cleared');
    expectRefused(await house.get(PATH, null), 401, 'Invalid Authorization token');
    expectRefused(await house.get(`${PATH}?state=loud`, staff), 400, 'state must be one of: active, past');
    expectRefused(await house.get(`${PATH}?cursor=x`, staff), 400, 'cursor is invalid');
    for (const id of ['x', '0', '9007199254740993', '1']) {
      expectRefused(await house.act(`${PATH}/${id}/acknowledge`, staff), 404, 'Alarm not found');
    }
  });
});
