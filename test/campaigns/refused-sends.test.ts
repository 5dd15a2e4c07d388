import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { TrafficWriter } from '../../src/modules/statistics/traffic-writer.js';
import { Gateway } from '../support/gateway.js';
import { type Member, openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const PATIENCE = { timeout: 60_000, interval: 50 };
const [TAKEN, REFUSED] = ['4915112345678', '4915112345603'];

/** A gateway that answers 200 to what it refuses, all the way from the send to what its owner and staff see. */
describe('what a gateway refuses in its answer', () => {
  let sms: Sms;
  let accounts: Accounts;
  let token: string;
  let worker: TestingModule;
  let gateway: Gateway;

  const get = async (path: string, as = token): Promise<Record<string, unknown>> => {
    const { status, body } = await accounts.call('GET', path, { token: as });
    expect(status, JSON.stringify(body)).toBe(200);
    return body['data'] as Record<string, unknown>;
  };
  const send = async (member: Member): Promise<string> => {
    const body = { broadcast_name: 'n', brodcast_service: 'gateway', contacts: [TAKEN, REFUSED], message: 'hello' };
    const requestId = String((await sms.broadcast(member, body)).body['request_id']);
    const counts = async () => (await get(`/v6/api/campaigns/${requestId}`))['status_counts'];
    await vi.waitUntil(async () => JSON.stringify(await counts()) === '{"SENT":1,"FAILED":1}', PATIENCE);
    return requestId;
  };

  beforeAll(async () => {
    sms = await openSms({}, { route: false });
    accounts = accountsOf(sms.api);
    token = accounts.token(await accounts.account({ userType: 'super' }));
    gateway = await Gateway.open();
    gateway.refusal = { status: 200, body: '{"status":"error","code":"EC001"}' };
    const body = { channel: 'sms', driver: 'http', config: { ...gateway.config, error_code_path: 'code' } };
    expect((await accounts.call('PUT', '/v6/api/admin/routes/gateway', { token, body })).status).toBe(200);
    const costs = { currency: 'EUR', rows: [{ prefix: '', cost: '0.5' }] };
    await accounts.call('PUT', '/v6/api/admin/routes/gateway/costs', { token, body: costs });
    worker = await startWorker(sms.environment);
  });
  afterAll(async () => {
    await worker.close();
    await sms.stop();
    await gateway.close();
  });

  it('is refunded, costs nothing, and is told apart', async () => {
    const member = await sms.join(10);
    const requestId = await send(member);
    expect(await sms.credits(member)).toBe(9);
    const [taken, refused] = (await get(`/v6/api/campaigns/${requestId}/contacts`)) as unknown as object[];
    expect(taken).not.toHaveProperty('refused');
    expect(refused).toMatchObject({
      ...{ status: 'FAILED', error_code: null, errorMessage: 'Refused by the gateway' },
      ...{ carrier_code: 'EC001', refused: true },
    });
    const timeline = await get(`/v6/api/campaigns/${requestId}/contacts/2/timeline`);
    expect(timeline['decisions']).toMatchObject({ refunded: true });
    const events = timeline['events'] as { event: string; details: object }[];
    expect(events.find(({ event }) => event === 'status')?.details).toMatchObject({
      carrier_code: 'EC001',
      refused: true,
    });
    expect((await get(`/v6/api/campaigns/${requestId}`))['failure_reasons']).toEqual([
      {
        error_code: null,
        message: 'Refused by the gateway',
        count: 1,
        carrier_code: 'EC001',
        refused: true,
        reason: 'temporary',
        reason_text: 'The carrier refused the message',
        remedy: 'Ask the operator of this service.',
      },
    ]);
    const csv = await fetch(`${sms.url}/v6/api/campaigns/${requestId}/export.csv`, {
      headers: { authorization: `Bearer ${member.token}` },
    });
    expect((await csv.text()).split('\r\n')[2]).toMatch(/,EC001,true$/);
    await worker.get(TrafficWriter, { strict: false }).write();
    const statistics = await accounts.call('GET', '/v6/api/account/statistics', { token: member.token });
    expect((statistics.body['data'] as { series: unknown[] }).series[0]).toMatchObject({
      totals: { sent: 1, refused: 1 },
    });
    const report = await sms.request(`/webhook/api/getGSMreport.php?request_id=${requestId}`);
    expect(JSON.stringify(report.body)).not.toMatch(/refused"|carrier_code/);
    await vi.waitUntil(async () => {
      const { body } = await accounts.call('GET', '/v6/api/admin/margin?group=route', { token });
      return JSON.stringify(body).includes('"messages":1,"segments":1,"cost":"0.5');
    }, PATIENCE);
  });

  it('is charged where staff turn the refund off, and its owner cannot', async () => {
    const member = await sms.join(10);
    const path = `/v6/api/admin/accounts/${member.account.username}`;
    const saved = await accounts.call('PATCH', path, { token, body: { refund_refused: false } });
    expect([saved.status, (await get(path))['refund_refused']]).toEqual([200, false]);
    const requestId = await send(member);
    expect(await sms.credits(member)).toBe(8);
    const [, refused] = (await get(`/v6/api/campaigns/${requestId}/contacts`)) as unknown as object[];
    expect(refused).toMatchObject({ refused: true });
    const ofReseller = accounts.token(await accounts.account({ userType: 'reseller' }));
    const other = await accounts.call('PATCH', path, { token: ofReseller, body: { refund_refused: true } });
    expect(other.status).toBeGreaterThanOrEqual(403);
  });
});
