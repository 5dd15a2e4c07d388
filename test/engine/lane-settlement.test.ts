import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { RetryStore } from '../../src/modules/engine/state/retries.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { ValidityOfLanes1700000019310 } from '../../src/platform/database/migrations/1700000019310-validity-of-lanes.js';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { numbers } from '../support/client.js';
import { Gateway } from '../support/gateway.js';
import { type Member, openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const { Cancelled, Failed, Pending } = RecipientStatus;
const PATIENCE = { timeout: 60_000, interval: 20 };
const RECIPIENTS = 3_000;
/** More than one look of the settlement reads. */
const LANES = 1_600;
/**
 * What 3,000 recipients may take, whatever waits on their route, in messages that leave meanwhile: two seconds of one or two routes of 1/s,
 * three times over for a machine that does other things. Each campaign before them would take one.
 */
const MOST_MEANWHILE = 12;
/** A part of the time that a carrier keeps its window. */
const WINDOW_MS = 25_000;

/** A route with binds whose carrier is never there. */
const UNREACHED = {
  driver: 'smpp',
  config: { host: '127.0.0.1', port: 1, system_id: 'a', password: 'b' },
  binds: 1,
  messages_per_second: null,
};

/** Takes every message and answers none. */
async function openSilentGateway(): Promise<{ server: Server; url: string; taken: () => number }> {
  let taken = 0;
  const server = createServer(() => {
    taken += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, taken: () => taken };
}

/** Campaigns that were stopped, and messages whose validity is over, beside whatever waits on their route. */
describe('the settlement of lanes', () => {
  let sms: Sms;
  let accounts: Accounts;
  let staff: Account;
  let token: string;
  let workers: TestingModule[];
  let owner: Member;
  let gateway: Gateway;
  const silent: Server[] = [];

  const staffCall = async (method: string, path: string, body?: unknown) => {
    const answer = await accounts.call(method, path, { token, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer;
  };
  const put = async (name: string, fields: Record<string, unknown> = {}): Promise<void> => {
    const route = { channel: 'sms', driver: 'http', config: gateway.config, messages_per_second: 1, ...fields };
    await staffCall('PUT', `/v6/api/admin/routes/${name}`, route);
  };
  const send = async (
    member: Member,
    service: string,
    contacts: string[],
    fields: Record<string, unknown> = {},
  ): Promise<string> => {
    const body = { broadcast_name: 'n', brodcast_service: service, contacts, message: 'hello', ...fields };
    const answer = await sms.broadcast(member, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return String(answer.body['request_id']);
  };
  const sendValid = async (seconds: number, contacts: string[], route = 'crowded170'): Promise<string> => {
    const body = { channel: 'sms', broadcast_name: 'n', route, contacts, message: 'hello', validity_s: seconds };
    const answer = await sms.post('/v6/api/campaigns', owner, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    return String((answer.body['data'] as { request_id: string }).request_id);
  };
  /** As if campaigns had been accepted a minute before. */
  const age = async (...ids: string[]): Promise<void> => {
    await sms.dataSource.query(
      `UPDATE campaigns c JOIN campaign_lanes l ON l.campaign_id = c.id
       SET c.created_at = c.created_at - INTERVAL 60 SECOND, l.settle_at = l.settle_at - INTERVAL 60 SECOND
       WHERE c.request_id IN (?)`,
      [ids],
    );
  };
  const counts = async (requestId: string): Promise<Record<string, number>> => {
    const rows = await sms.dataSource.query<{ status: number; recipients: string }[]>(
      `SELECT k.status, SUM(k.recipients) AS recipients FROM campaign_counters k JOIN campaigns c ON c.id = k.campaign_id
       WHERE c.request_id = ? GROUP BY k.status HAVING SUM(k.recipients) > 0`,
      [requestId],
    );
    return Object.fromEntries(rows.map((row) => [row.status, Number(row.recipients)]));
  };
  const unsettled = async (requestId: string): Promise<number> => {
    return (await counts(requestId))[Pending] ?? 0;
  };
  const refunded = async (requestId: string): Promise<number> => {
    const [row] = await sms.dataSource.query<{ credits: string }[]>(
      `SELECT COALESCE(SUM(amount), 0) AS credits FROM credit_ledger WHERE request_id = ? AND kind = 'refund'`,
      [requestId],
    );
    return Number(row?.credits);
  };
  /** Waits until no more than `most` wait. @returns the messages that have left meanwhile over routes of 1/s */
  const settled = async (requestId: string, most = 0): Promise<number> => {
    const taken = gateway.taken.length;
    await vi.waitUntil(async () => (await unsettled(requestId)) <= most, PATIENCE);
    return gateway.taken.length - taken;
  };
  const cancel = async (requestId: string, by: 'owner' | 'staff' = 'owner'): Promise<void> => {
    const path = `/v6/api/campaigns/${requestId}/cancel`;
    if (by === 'staff') await staffCall('POST', path);
    else expect((await sms.post(path, owner, {})).status).toBe(200);
  };
  /** Other campaigns that alternate on a route: of one account each. */
  const crowd = async (service: string, campaigns: number): Promise<void> => {
    for (let done = 0; done < campaigns; done += 10) {
      const members = await Promise.all(Array.from({ length: 10 }, () => sms.join(30)));
      await Promise.all(members.map((member) => send(member, service, numbers(30))));
    }
  };

  beforeAll(async () => {
    sms = await openSms(
      { PUBLIC_URL: 'https://sms.example', BROADCAST_RATE_LIMIT: 0, RECEIPT_TIMEOUT: 600_000 },
      { route: false },
    );
    accounts = accountsOf(sms.api);
    staff = await accounts.account({ userType: 'super' });
    token = accounts.token(staff);
    owner = await sms.join(100_000);
    gateway = await Gateway.open();
    workers = [await startWorker(sms.environment)];
  });
  afterAll(async () => {
    for (const worker of workers) await worker.close();
    await sms.stop();
    await gateway.close();
    for (const server of silent) {
      server.closeAllConnections();
      server.close();
    }
  });

  it.each([
    [10, 'owner', MOST_MEANWHILE / 2],
    [170, 'staff', MOST_MEANWHILE],
  ] as const)(
    'ends a cancelled campaign within 2 s while %s others wait on a route of 1/s, cancelled by %s',
    async (campaigns, by, most) => {
      const route = `crowded${campaigns}`;
      await put(route);
      await crowd(route, campaigns);
      const id = await send(owner, route, numbers(RECIPIENTS));
      await vi.waitUntil(() => gateway.taken.length > 0, PATIENCE);
      await cancel(id, by);
      expect(await settled(id)).toBeLessThanOrEqual(most);
      const { [Cancelled]: cancelled = 0 } = await counts(id);
      expect(cancelled).toBeGreaterThan(RECIPIENTS - 10);
      expect(await refunded(id)).toBe(cancelled);
    },
    120_000,
  );

  it('ends what staff reject, on the same route', async () => {
    const id = await send(owner, 'crowded170', numbers(RECIPIENTS), { schedule_time: '2099-01-01T00:00:00Z' });
    await sms.dataSource.query("UPDATE campaigns SET state = 'pending_approval' WHERE request_id = ?", [id]);
    await staffCall('POST', `/v6/api/admin/campaigns/${id}/reject`);
    expect(await settled(id)).toBeLessThanOrEqual(MOST_MEANWHILE);
    expect(await refunded(id)).toBe(RECIPIENTS);
  });

  it.each([
    ['is stopped by staff', (name: string) => staffCall('POST', `/v6/api/admin/routes/${name}/stop`, { reason: 'x' })],
    ['has binds that no worker holds', (name: string) => put(name, UNREACHED)],
    ['is gone', (name: string) => sms.dataSource.query('DELETE FROM routes WHERE name = ?', [name])],
  ])('asks no route: one that %s', async (why, change) => {
    const route = `unusable-${why.length}`;
    if (why.startsWith('has binds')) await change(route);
    else await put(route);
    const id = await send(owner, route, numbers(RECIPIENTS), { schedule_time: '2099-01-01T00:00:00Z' });
    if (!why.startsWith('has binds')) await change(route);
    await cancel(id);
    expect(await settled(id)).toBeLessThanOrEqual(MOST_MEANWHILE);
    expect(await refunded(id)).toBe(RECIPIENTS);
  });

  it.each([
    ['is stopped by staff', null, true],
    ['has binds that no worker holds', UNREACHED, false],
    ['has binds, and is stopped by staff', UNREACHED, true],
  ])('fails and refunds what waits until the deadline for a route that %s', async (why, fields, isStopped) => {
    const route = `overdue-${why.length}`;
    await put(route, fields ?? { config: { ...gateway.config, url: 'http://127.0.0.1:1/' } });
    if (isStopped) await staffCall('POST', `/v6/api/admin/routes/${route}/stop`, { reason: 'x' });
    const id = await send(owner, route, numbers(10));
    await vi.waitUntil(async () => {
      const { affectedRows } = await sms.dataSource.query<{ affectedRows: number }>(
        `UPDATE campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id
         SET l.stalled_since = l.stalled_since - INTERVAL 600 SECOND WHERE c.request_id = ? AND l.stalled_since IS NOT NULL`,
        [id],
      );
      return affectedRows > 0;
    }, PATIENCE);
    await settled(id);
    expect(await counts(id)).toEqual({ [Failed]: 10 });
    expect(await refunded(id)).toBe(10);
  });

  it('fails what waits for a later try once its validity is over, and no lane that is made again forgets it', async () => {
    const first = await sendValid(60, numbers(1), 'overdue-19');
    const valid = await sendValid(259_200, numbers(1), 'overdue-19');
    const lasting = await send(owner, 'overdue-19', numbers(1));
    for (const id of [first, valid, lasting]) {
      const [{ id: campaignId } = { id: 0 }] = await sms.dataSource.query<{ id: number }[]>(
        'SELECT id FROM campaigns WHERE request_id = ?',
        [id],
      );
      await sms.dataSource.query('DELETE FROM campaign_lanes WHERE campaign_id = ?', [campaignId]);
      await inTransaction(sms.dataSource, (tx) =>
        new RetryStore().plan(tx, [{ campaignId, seq: 1, lane: 0, delayMs: 3_600_000, lastStatus: null }]),
      );
    }
    const leftOf = async (id: string): Promise<number | null | undefined> => {
      const [row] = await sms.dataSource.query<{ seconds: string | null }[]>(
        `SELECT TIMESTAMPDIFF(SECOND, c.created_at, l.settle_at) AS seconds
         FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id WHERE c.request_id = ?`,
        [id],
      );
      return row && (row.seconds === null ? null : Number(row.seconds));
    };
    await vi.waitUntil(async () => (await leftOf(lasting)) === null, PATIENCE);
    await vi.waitUntil(async () => Math.abs(((await leftOf(valid)) ?? 0) - 259_200) <= 1, PATIENCE);
    await vi.waitUntil(async () => Math.abs(((await leftOf(first)) ?? 0) - 60) <= 1, PATIENCE);
    await age(first, valid, lasting);
    await settled(first);
    expect(await counts(first)).toEqual({ [Failed]: 1 });
    expect(await refunded(first)).toBe(1);
    for (const other of [valid, lasting]) expect(await counts(other)).toEqual({ [Pending]: 1 });
  });

  it('settles all lanes but the one that has a fault', async () => {
    const faulty = await sendValid(60, numbers(1), 'overdue-19');
    const others = [await sendValid(60, numbers(10), 'overdue-19'), await sendValid(60, numbers(10), 'overdue-19')];
    await sms.dataSource.query(
      "UPDATE campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id SET l.channel = 'none' WHERE c.request_id = ?",
      [faulty],
    );
    await age(faulty, ...others);
    const began = performance.now();
    for (const other of others) await settled(other);
    expect(performance.now() - began).toBeLessThan(10_000);
    for (const other of others) expect(await counts(other)).toEqual({ [Failed]: 10 });
    expect(await unsettled(faulty)).toBe(1);
    await sms.dataSource.query(
      "UPDATE campaign_lanes SET channel = 'sms', settle_at = UTC_TIMESTAMP(3) WHERE channel = 'none'",
    );
    await settled(faulty);
  });

  it('does not wait for a window that a carrier keeps: that one alone is left', async () => {
    const carrier = await openSilentGateway();
    silent.push(carrier.server);
    await put('silent', {
      config: { ...gateway.config, url: carrier.url, timeout_ms: WINDOW_MS },
      messages_per_second: 20,
    });
    const id = await send(owner, 'silent', numbers(RECIPIENTS));
    await vi.waitUntil(() => carrier.taken() > 0, PATIENCE);
    await cancel(id);
    const began = performance.now();
    // a second of the route's pace may be on its way, in each of its windows
    await settled(id, 100);
    expect(performance.now() - began).toBeLessThan(WINDOW_MS / 2);
    const { [Cancelled]: cancelled = 0 } = await counts(id);
    expect(await refunded(id)).toBe(cancelled);
    const lanes = await sms.dataSource.query<{ held: string }[]>(
      `SELECT SUM(l.end_seq - l.next_seq) AS held FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id
       WHERE c.request_id = ?`,
      [id],
    );
    expect(Number(lanes[0]?.held)).toBe(RECIPIENTS - cancelled);
    carrier.server.closeAllConnections();
  });

  it('fails and refunds what is past its validity, without a route job', async () => {
    const first = await sendValid(60, numbers(RECIPIENTS));
    const valid = await sendValid(259_200, numbers(10));
    const lasting = await send(owner, 'crowded170', numbers(10));
    await age(first, valid, lasting);
    expect(await settled(first)).toBeLessThanOrEqual(MOST_MEANWHILE);
    const { [Failed]: failed = 0 } = await counts(first);
    expect(failed).toBeGreaterThan(RECIPIENTS - 10);
    expect(await refunded(first)).toBe(failed);
    const texts = await sms.dataSource.query<{ error_message: string }[]>(
      `SELECT DISTINCT r.error_message FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id
       WHERE c.request_id = ? AND r.status = ?`,
      [first, Failed],
    );
    expect(texts).toEqual([{ error_message: 'Validity expired' }]);
    for (const other of [valid, lasting]) expect((await counts(other))[Failed]).toBeUndefined();
  });

  it('fails what is past its validity of a campaign that is paused', async () => {
    const id = await sendValid(60, numbers(RECIPIENTS));
    expect((await sms.post(`/v6/api/campaigns/${id}/pause`, owner, {})).status).toBe(200);
    await age(id);
    expect(await settled(id)).toBeLessThanOrEqual(MOST_MEANWHILE);
  });

  it('settles lanes of accounts beside those of one that has thousands, also of versions that stored no moment', async () => {
    await workers.pop()?.close();
    const many = await sendValid(259_200, numbers(LANES), 'overdue-19');
    const member = await sms.join(10);
    const few = await send(member, 'overdue-19', numbers(10));
    await sms.dataSource.query(
      'DELETE l FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id WHERE c.request_id = ?',
      [many],
    );
    await sms.dataSource.query(
      `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq, fence, wake_at)
       SELECT c.id, r.seq, c.channel, c.route_id, c.account_id, 0, r.seq, r.seq, r.seq + 1, 0, UTC_TIMESTAMP(3)
       FROM campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id WHERE c.request_id = ?`,
      [many],
    );
    await sms.dataSource.query('UPDATE campaigns SET open_lanes = ? WHERE request_id = ?', [LANES, many]);
    const runner = sms.dataSource.createQueryRunner();
    await new ValidityOfLanes1700000019310().up(runner).finally(() => runner.release());
    const stored = await sms.dataSource.query<{ lanes: string; seconds: string }[]>(
      `SELECT COUNT(*) AS lanes, TIMESTAMPDIFF(SECOND, c.created_at, l.settle_at) AS seconds
       FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id WHERE c.request_id = ? GROUP BY 2`,
      [many],
    );
    expect(stored.map(({ lanes, seconds }) => [Number(lanes), Number(seconds)])).toEqual([[LANES, 259_200]]);
    const [without] = await sms.dataSource.query<{ settle_at: Date | null }[]>(
      'SELECT l.settle_at FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id WHERE c.request_id = ?',
      [few],
    );
    expect(without).toEqual({ settle_at: null });
    await cancel(many);
    expect((await sms.post(`/v6/api/campaigns/${few}/cancel`, member, {})).status).toBe(200);
    workers.push(await startWorker(sms.environment));
    await settled(few);
    await settled(many);
    const [later] = await sms.dataSource.query<{ recipients: string }[]>(
      `SELECT COUNT(*) AS recipients FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id
       WHERE c.request_id = ? AND r.updated_at > (SELECT MAX(f.updated_at) FROM campaign_recipients f
         JOIN campaigns d ON d.id = f.campaign_id WHERE d.request_id = ?)`,
      [many, few],
    );
    expect(Number(later?.recipients)).toBeGreaterThan(LANES / 2);
    expect(await refunded(many)).toBe(LANES);
  });

  it('needs no Redis', async () => {
    await workers.pop()?.close();
    const id = await send(owner, 'crowded170', numbers(RECIPIENTS));
    await cancel(id);
    workers.push(await startWorker({ ...sms.environment, REDIS_URL: 'redis://127.0.0.1:1' }));
    expect(await settled(id)).toBeLessThanOrEqual(MOST_MEANWHILE);
    expect(await refunded(id)).toBe(RECIPIENTS);
  });
});
