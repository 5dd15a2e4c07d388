import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Account } from '../../src/modules/accounts/index.js';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { numbers } from '../support/client.js';
import { Gateway } from '../support/gateway.js';
import { type Member, openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const PATH = '/v6/api/admin/routes';
const PATIENCE = { timeout: 60_000, interval: 50 };
const STOPPED = 'Route is stopped by staff';
/** Nothing leaves over a stopped route after so long. */
const STOP_MS = 2_000;

describe('what staff do with a route', () => {
  let sms: Sms;
  let accounts: Accounts;
  let staff: Account;
  let token: string;
  let workers: TestingModule[];
  let member: Member;
  const gateways: Record<string, Gateway> = {};

  const call = (method: string, path: string, body?: unknown) => accounts.call(method, path, { token, body });
  const row = (method: string, path: string, body?: unknown) => accounts.row(method, path, { token, body });
  const put = async (name: string, fields: Record<string, unknown> = {}): Promise<void> => {
    gateways[name] ??= await Gateway.open();
    const { config } = gateways[name];
    const saved = await call('PUT', `${PATH}/${name}`, { channel: 'sms', driver: 'http', config, ...fields });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  };
  const taken = (name: string) => (gateways[name] as Gateway).taken;
  const send = async (service: string, contacts: string[]): Promise<string> => {
    const body = { broadcast_name: 'n', brodcast_service: service, contacts, message: 'hello' };
    const answer = await sms.broadcast(member, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return String(answer.body['request_id']);
  };
  const counts = async (requestId: string): Promise<unknown> => {
    const { body } = await call('GET', `/v6/api/campaigns/${requestId}`);
    return (body['data'] as { status_counts: unknown }).status_counts;
  };
  const audited = async (name: string): Promise<{ action: string; details: unknown }[]> => {
    const rows: { action: string; details: string }[] = await sms.dataSource.query(
      "SELECT action, details FROM audit_log WHERE subject = ? AND action <> 'route.put' ORDER BY id",
      [name],
    );
    return rows.map(({ action, details }) => ({ action, details: JSON.parse(details) as unknown }));
  };

  beforeAll(async () => {
    sms = await openSms({ PUBLIC_URL: 'https://sms.example' }, { route: false });
    accounts = accountsOf(sms.api);
    staff = await accounts.account({ userType: 'super' });
    token = accounts.token(staff);
    member = await sms.join(100_000);
    workers = [await startWorker(sms.environment), await startWorker(sms.environment)];
  });
  afterAll(async () => {
    for (const worker of workers) await worker.close();
    await sms.stop();
    for (const gateway of Object.values(gateways)) await gateway.close();
  });

  it('stops it within 2 s on all workers, in the middle of a campaign, and lets it go on without loss', async () => {
    await put('paced', { messages_per_second: 100 });
    const contacts = numbers(600);
    const requestId = await send('paced', contacts);
    await vi.waitUntil(() => taken('paced').length > 100, PATIENCE);

    // A change of its settings at the same moment undoes nothing.
    const [stopped] = await Promise.all([
      call('POST', `${PATH}/paced/stop`, { reason: 'Carrier works on its side' }),
      put('paced', { messages_per_second: 100 }),
    ]);
    const stoppedAt = performance.now();
    const stop = { at: expect.any(String) as string, by: staff.username, reason: 'Carrier works on its side' };
    expect(stopped).toMatchObject({
      status: 200,
      body: { message: 'Route stopped successfully', data: { health: 'stopped', last_error: STOPPED, stopped: stop } },
    });
    await sleep(STOP_MS + 2_500);
    const last = taken('paced').at(-1)?.at ?? 0;
    expect(last - stoppedAt).toBeLessThan(STOP_MS);
    const left = taken('paced').length;
    expect(left).toBeLessThan(600);
    expect((await call('GET', `${PATH}/paced`)).body['data']).toMatchObject({ stopped: stop });

    // Another process, which has not heard of it, reads the same.
    const other = await startWorker(sms.environment);
    expect((await other.get(RouteDirectory, { strict: false }).byName('paced'))?.stopped?.by).toBe(staff.username);
    await other.close();

    expect((await row('POST', `${PATH}/paced/stop`))[1]).toBe('Route is already stopped');
    expect((await call('POST', `${PATH}/paced/start`)).body).toMatchObject({
      message: 'Route started successfully',
      data: { stopped: null },
    });
    await vi.waitUntil(() => taken('paced').length === 600, PATIENCE);
    expect(new Set(taken('paced').map(({ to }) => to)).size).toBe(600);
    await vi.waitFor(async () => expect(await counts(requestId)).toEqual({ SENT: 600 }), PATIENCE);
    expect(await row('POST', `${PATH}/paced/start`)).toEqual([409, 'Route is not stopped']);
    expect(await audited('paced')).toMatchObject([
      { action: 'route.stop', details: { reason: 'Carrier works on its side' } },
      { action: 'route.start' },
    ]);
  });

  it('hands what waits for a stopped route to the next one of its chain, and goes to none that is stopped', async () => {
    for (const name of ['first', 'second', 'third']) await put(name);
    const rules = [{ prefixes: ['91'], routes: ['first', 'second', 'third'] }];
    expect((await call('PUT', '/v6/api/admin/routing/chain', { channel: 'sms', rules })).status).toBe(200);
    await call('POST', `${PATH}/first/stop`);
    await call('POST', `${PATH}/second/stop`);
    await sleep(STOP_MS);
    const requestId = await send('any', numbers(20));
    const explained = await call(
      'GET',
      `/v6/api/admin/routing/explain?account=${member.account.username}&number=${numbers(1)[0]}`,
    );
    expect(explained.body['data']).toMatchObject({
      routes: [{ name: 'first', health: 'stopped', last_error: STOPPED }, {}, {}],
    });
    await vi.waitUntil(() => taken('third').length === 20, PATIENCE);
    expect([taken('first').length, taken('second').length]).toEqual([0, 0]);
    const { body } = await call('GET', `/v6/api/campaigns/${requestId}`);
    expect(body['data']).toMatchObject({ route_changes: [{ from: 'first', to: 'third', reason: STOPPED }] });
    await call('DELETE', '/v6/api/admin/routing/chain');
  });

  it('takes sends for a stopped default route, which wait for it', async () => {
    await put('standard', { is_default: true });
    await call('POST', `${PATH}/standard/stop`, {});
    await sleep(STOP_MS);
    const requestId = await send('whatever', numbers(3));
    await sleep(2_000);
    expect([taken('standard').length, await counts(requestId)]).toEqual([0, { PP1: 3 }]);
    await call('POST', `${PATH}/standard/start`);
    await vi.waitFor(async () => expect(await counts(requestId)).toEqual({ SENT: 3 }), PATIENCE);
  });

  it('moves what waits to another route, and never what has left', async () => {
    // so slow that some of the second campaign waits still, however long the calls take
    await put('from', { messages_per_second: 5 });
    await put('to');
    const before = await sms.credits(member);
    const [first, second] = [await send('from', numbers(200)), await send('from', numbers(30))];
    const paused = await send('from', numbers(10));
    await accounts.call('POST', `/v6/api/campaigns/${paused}/pause`, { token });
    await vi.waitUntil(() => taken('from').length > 5, PATIENCE);
    await call('POST', `${PATH}/from/stop`);
    await sleep(1_500);

    const some = await call('POST', `${PATH}/from/move`, { to_route: 'to', request_id: second });
    expect(some).toMatchObject({ status: 200, body: { message: 'Recipients moved successfully' } });
    const rest = await call('POST', `${PATH}/from/move`, { to_route: 'to' });
    const moved = [some, rest].map(({ body }) => (body['data'] as { moved_recipients: number }).moved_recipients);
    const left = taken('from').length;
    expect(moved[0]).toBeLessThanOrEqual(30);
    expect((moved[0] ?? 0) + (moved[1] ?? 0)).toBe(240 - left);
    expect(rest.body['data']).toMatchObject({ route: 'from', to_route: 'to', left_lanes: 0 });
    expect((await call('POST', `${PATH}/from/move`, { to_route: 'to' })).body['data']).toMatchObject({
      moved_recipients: 0,
      moved_lanes: 0,
    });

    await vi.waitFor(async () => expect(await counts(first)).toEqual({ SENT: 200 }), PATIENCE);
    await vi.waitFor(async () => expect(await counts(second)).toEqual({ SENT: 30 }), PATIENCE);
    expect(await counts(paused)).toEqual({ PP1: 10 });
    expect([taken('from').length, taken('to').length]).toEqual([left, 230 - left]);
    // What waits on it keeps a route from being removed, though no campaign names it.
    expect(await row('DELETE', `${PATH}/to`)).toEqual([409, 'Route is used by unfinished campaigns']);
    await accounts.call('POST', `/v6/api/campaigns/${paused}/resume`, { token });
    await vi.waitFor(async () => expect(await counts(paused)).toEqual({ SENT: 10 }), PATIENCE);
    expect(taken('to').length).toBe(240 - left);
    expect(before - (await sms.credits(member))).toBe(240);
    const messages: { route: string; messages: string }[] = await sms.dataSource.query(
      `SELECT r.name AS route, COUNT(*) AS messages FROM provider_messages p JOIN routes r ON r.id = p.route_id
       WHERE r.name IN ('from', 'to') GROUP BY r.name ORDER BY r.name`,
    );
    expect(messages.map(({ route, messages: n }) => [route, Number(n)])).toEqual([
      ['from', left],
      ['to', 240 - left],
    ]);
    const { body } = await call('GET', `/v6/api/campaigns/${first}`);
    expect(body['data']).toMatchObject({
      route_changes: [{ from: 'from', to: 'to', reason: `Moved by ${staff.username}` }],
    });
    // A move has an entry for each of its transactions: a lane that a worker still held goes with a later one.
    const [stop, ...moves] = await audited('from');
    expect(stop).toMatchObject({ action: 'route.stop' });
    const written = (requestId: string | null): number =>
      moves.reduce((sum, { action, details }) => {
        const entry = details as { to_route: string; request_id: string | null; recipients: number };
        expect([action, entry.to_route]).toEqual(['route.move', 'to']);
        return entry.request_id === requestId ? sum + entry.recipients : sum;
      }, 0);
    expect([written(second), written(null)]).toEqual(moved);
  });

  it('refuses moves that cannot be, each in its own words', async () => {
    await put('here');
    await put('there');
    await put('elsewhere', { channel: 'unofficial' });
    const move = (body: unknown, name = 'here') => row('POST', `${PATH}/${name}/move`, body);
    expect(await move({})).toEqual([400, 'to_route is required']);
    expect(await move({ to_route: 'nowhere' })).toEqual([400, 'to_route must name another route']);
    expect(await move({ to_route: 'here' })).toEqual([400, 'to_route must name another route']);
    expect(await move({ to_route: 'elsewhere' })).toEqual([400, 'Route elsewhere belongs to channel unofficial']);
    expect(await move({ to_route: 'there', request_id: 'é' })).toEqual([400, 'request_id is invalid']);
    expect(await move({ to_route: 'there', request_id: 'GSMCAMP_1' })).toEqual([404, 'Campaign not found']);
    expect(await move({ to_route: 'there' }, 'nowhere')).toEqual([404, 'Route not found']);
    await call('POST', `${PATH}/there/stop`);
    expect(await move({ to_route: 'there' })).toEqual([409, 'to_route is stopped']);
  });

  it('tests it with one message, and says what the carrier answered', async () => {
    await put('tested');
    const test = async (body: unknown): Promise<unknown> => {
      const answer = await call('POST', `${PATH}/tested/test`, body);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body['data'];
    };
    const requestId = expect.stringMatching(/^GSMCAMP_/) as string;
    expect(await test({ to: '+44 7700 900123' })).toMatchObject({
      route: 'tested',
      to: '447700900123',
      request_id: requestId,
      outcome: 'accepted',
      provider_message_id: 'm-1',
      reason: null,
    });
    expect(taken('tested')).toMatchObject([{ to: '447700900123', text: 'Test message over tested' }]);
    expect(await test({ to: '447700900603', text: 'Does this arrive?' })).toMatchObject({
      outcome: 'rejected',
      error_code: 17,
      reason: 'Blocked number',
    });
    await call('POST', `${PATH}/tested/stop`);
    expect(await test({ to: '447700900123' })).toMatchObject({
      request_id: null,
      outcome: 'not_sent',
      reason: STOPPED,
    });
    expect(taken('tested')).toHaveLength(1);
    const ledger = await sms.dataSource.query<unknown[]>(
      "SELECT 1 FROM credit_ledger WHERE account_id = ? AND kind <> 'grant'",
      [staff.id],
    );
    expect(ledger).toEqual([]);
    expect(await audited('tested')).toMatchObject([
      { action: 'route.test', details: { to: '447700900123', request_id: requestId } },
      { action: 'route.test', details: { to: '447700900603' } },
      { action: 'route.stop' },
      { action: 'route.test', details: { request_id: null } },
    ]);
  });

  it('tests a route for calls with one that speaks the text', async () => {
    const calls: URLSearchParams[] = [];
    const telephone = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        calls.push(new URLSearchParams(body));
        response.writeHead(201, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ sid: `CA${'0'.repeat(32)}`, status: 'queued' }));
      });
    });
    await new Promise<void>((resolve) => telephone.listen(0, '127.0.0.1', resolve));
    const { port } = telephone.address() as AddressInfo;
    const config = {
      account_sid: `AC${'0'.repeat(32)}`,
      auth_token: 'secret',
      from: '15551234567',
      base_url: `http://127.0.0.1:${port}`,
    };
    await put('phone', { channel: 'voice', driver: 'twilio', config });
    const answer = await call('POST', `${PATH}/phone/test`, { to: '447700900123', text: 'Hello, this is a test.' });
    expect(answer.body['data']).toMatchObject({ outcome: 'accepted', provider_message_id: `CA${'0'.repeat(32)}` });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.get('To')).toBe('+447700900123');
    expect(await row('POST', `${PATH}/phone/test`, { to: '447700900123', text: '...' })).toEqual([
      400,
      'message contains nothing that can be spoken',
    ]);
    telephone.closeAllConnections();
    await new Promise((resolve) => telephone.close(resolve));
  });

  it('cancels a test that a carrier out of reach did not take, at once, and says why', async () => {
    const closed = await Gateway.open();
    await put('gone', { config: closed.config });
    await closed.close();
    const answer = await call('POST', `${PATH}/gone/test`, { to: '447700900123' });
    expect(answer.body['data']).toMatchObject({
      outcome: 'not_sent',
      provider_message_id: null,
      reason: expect.stringContaining('Gateway is not reachable') as string,
    });
    const { request_id: requestId, seconds } = answer.body['data'] as { request_id: string; seconds: number };
    // not by its patience with a carrier that is silent
    expect(seconds).toBeLessThan(15);
    await vi.waitFor(async () => expect(await counts(requestId)).toEqual({ CANCELLED: 1 }), PATIENCE);
  });

  it('refuses odd bodies, clients, and routes that are not there', async () => {
    await put('odd');
    expect(await row('POST', `${PATH}/odd/test`, {})).toEqual([400, 'to is required']);
    expect(await row('POST', `${PATH}/odd/test`, { to: '12' })).toEqual([400, 'to is invalid']);
    const long = { to: '447700900123', text: 'x'.repeat(161) };
    expect(await row('POST', `${PATH}/odd/test`, long)).toEqual([400, 'text must be at most 160 characters']);
    expect(await row('POST', `${PATH}/odd/test`, { ...long, text: [] })).toEqual([400, 'text is invalid']);
    expect(await row('POST', `${PATH}/odd/stop`, { reason: {} })).toEqual([400, 'reason is invalid']);
    const reason = 'x'.repeat(256);
    expect(await row('POST', `${PATH}/odd/stop`, { reason })).toEqual([400, 'reason must be at most 255 characters']);
    for (const action of ['stop', 'start']) {
      expect(await row('POST', `${PATH}/nowhere/${action}`, {})).toEqual([404, 'Route not found']);
    }
    expect(await row('POST', `${PATH}/nowhere/test`, { to: '447700900123' })).toEqual([404, 'Route not found']);
    const client = accounts.token(await accounts.account());
    for (const action of ['stop', 'start', 'move', 'test']) {
      expect(await accounts.row('POST', `${PATH}/odd/${action}`, { token: client, body: {} })).toEqual([
        403,
        'Forbidden',
      ]);
    }
  });
});
