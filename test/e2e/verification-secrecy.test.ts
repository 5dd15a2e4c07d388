import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { carrierLedger } from '../support/sandbox.js';
import { type Service, startService, until } from '../support/processes.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const DIGITS = 10;
const spaced = (code: string): string => code.split('').join(', ');

/** Where the code of a verification could be read afterwards, looked at with real processes that log all they can. */
describe('the code of a verification', () => {
  let service: Service;
  let client: Client;
  let receiver: WebhookReceiver;
  let code = '';
  let id = '';
  let messageId = '';

  beforeAll(async () => {
    receiver = await WebhookReceiver.open();
    service = await startService(1, { LOG_LEVEL: 'debug', USER_RATE_LIMIT: '0' });
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
    const events = ['gsm.status.update', 'campaign.completed', 'verification.approved', 'verification.failed'];
    await client.call('POST', '/v6/api/webhooks', { url: receiver.url(), events });
    const body = { to: '+919812345678', length: DIGITS, app: 'ACME', channels: ['sms', 'voice'] };
    const made = await client.call<{ data: Record<string, string> }>('POST', '/v6/api/verifications', body);
    ({ id = '', message_id: messageId = '' } = made.body.data);
    await until('its message', async () => (await carrierLedger(service)).length === 1);
    const [message] = await carrierLedger(service);
    code = /^\d{10}/.exec(message?.text ?? '')?.[0] ?? '';
  }, 180_000);
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  it('reaches the carrier in the text', () => {
    expect(code).toHaveLength(DIGITS);
  });

  it('is in no answer of the API', async () => {
    const campaignId = messageId.split('_')[1];
    const message = await client.call<{ data: { request_id: string } }>('GET', `/v6/api/messages/${messageId}`);
    const { request_id: requestId } = message.body.data;
    const admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    const own = [
      `/v6/api/verifications/${id}`,
      '/v6/api/verifications',
      `/v6/api/messages/${messageId}`,
      '/v6/api/messages',
      `/v6/api/campaigns/${requestId}`,
      `/v6/api/campaigns/${requestId}/contacts`,
      `/v6/api/campaigns/${requestId}/contacts/1/timeline`,
      `/v6/api/campaigns/${requestId}/export.csv`,
      `/webhook/api/getGSMreport.php?request_id=${requestId}`,
      '/v6/api/account/credits/ledger',
      '/v6/api/account/log',
      '/v6/api/recipients?number=919812345678',
    ];
    const staff = [`/v6/api/admin/campaigns/${requestId}`, '/v6/api/admin/campaigns', '/v6/api/admin/audit'];
    expect(campaignId).toMatch(/^\d+$/);
    for (const [who, paths] of [
      [client, own],
      [admin, staff],
    ] as const)
      for (const path of paths) {
        const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${who.token}` } });
        const text = await response.text();
        expect([path, response.status]).toEqual([path, 200]);
        expect(text, path).not.toContain(code);
      }
    const timeline = await fetch(`${service.url}/v6/api/messages/${messageId}`, {
      headers: { authorization: `Bearer ${client.token}` },
    });
    expect(await timeline.text()).toContain('********** is your ACME code');
  });

  it('is in no row of the database, pending and approved', async () => {
    await expectNowhereInDatabase();
    await client.call('POST', `/v6/api/verifications/${id}/next`, {});
    await until('the second message', async () => (await carrierLedger(service)).length === 2);
    const heard = async (): Promise<string | undefined> =>
      ((await carrierLedger(service))[1] as { call?: { heard: string[] } } | undefined)?.call?.heard[0];
    await until('the call', async () => (await heard()) !== undefined);
    expect(await heard()).toContain(spaced(code));
    const approved = await client.call('POST', `/v6/api/verifications/${id}/check`, { code });
    expect(approved.body).toMatchObject({ data: { status: 'approved' } });
    await until('the events', () => Promise.resolve(receiver.deliveries.length >= 5));
    await expectNowhereInDatabase();
  });

  it('is in no event', () => {
    const told = receiver.deliveries.map(({ text }) => text).join('\n');
    expect(told).toContain('verification.approved');
    expect(told).toContain('gsm.status.update');
    expect(told).not.toContain(code);
  });

  it('is in no key of Redis', async () => {
    const redis = new Redis(String(service.environment['REDIS_URL']));
    const keys = await redis.keys(`*${String(service.environment['REDIS_PREFIX'])}*`);
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      expect(key).not.toContain(code);
      expect((await redis.dumpBuffer(key)).toString('latin1')).not.toContain(code);
    }
    await redis.quit();
  });

  it('is in no line of a log, and in no file', () => {
    for (const { output } of [service.api, ...service.workers]) {
      expect(output).toContain('{');
      expect(output).not.toContain(code);
      expect(output).not.toContain(spaced(code));
    }
    const directory = String(service.environment['DATA_DIR']);
    for (const path of readdirSync(directory, { recursive: true, withFileTypes: true }))
      if (path.isFile()) expect(readFileSync(join(path.parentPath, path.name), 'latin1')).not.toContain(code);
  });

  async function expectNowhereInDatabase(): Promise<void> {
    const { dataSource } = service.database;
    const tables: { name: string }[] = await dataSource.query(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
    );
    expect(tables.length).toBeGreaterThan(40);
    for (const { name } of tables) {
      const rows: Record<string, unknown>[] = await dataSource.query(`SELECT * FROM ${name}`);
      for (const row of rows)
        for (const [column, value] of Object.entries(row)) {
          const text = Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
          expect(text, `${name}.${column}`).not.toContain(code);
          expect(text, `${name}.${column}`).not.toContain(spaced(code));
        }
    }
  }
});
