import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { RightsOfThePast1700000019630 } from '../../src/platform/database/migrations/1700000019630-rights-of-the-past.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/webhooks';
const URL = 'http://127.0.0.1:9/hook';

/** Alarms tell of the whole installation; a key acts on its own account only. */
describe('webhooks that hear of alarms', () => {
  let api: RunningApi;
  let accounts: Accounts;

  beforeAll(async () => {
    api = await startApi();
    accounts = accountsOf(api);
  });
  afterAll(() => api.stop());

  it.each(['super', 'admin'])('are for a login of %s, not for a key', async (userType) => {
    const token = accounts.token(await accounts.account({ userType }));
    const key = { name: 'key', current_password: PASSWORD };
    const made = await accounts.call('POST', '/v6/api/account/api-keys', { token, body: key });
    const headers = { 'x-api-key': (made.body['data'] as { key: string }).key };
    const byKey = (method: string, path: string, body?: unknown) => accounts.row(method, path, { headers, body });

    for (const events of [['alarm.raised'], ['gsm.status.update', 'alarm.cleared']]) {
      const [status, text] = await byKey('POST', PATH, { url: URL, events });
      expect([status, text]).toEqual([400, expect.stringMatching(/^events must be of: gsm\.status\.update, /)]);
      expect(text).not.toContain('alarm.');
    }
    const own = await accounts.call('POST', PATH, { headers, body: { url: URL, events: ['gsm.status.update'] } });
    expect(own.status).toBe(201);
    const ownPath = `${PATH}/${(own.body['data'] as { id: number }).id}`;
    expect((await byKey('PATCH', ownPath, { events: ['alarm.raised'] }))[0]).toBe(400);

    const events = ['alarm.raised', 'gsm.status.update'];
    const alarms = await accounts.call('POST', PATH, { token, body: { url: URL, events } });
    expect(alarms.status).toBe(201);
    const path = `${PATH}/${(alarms.body['data'] as { id: number }).id}`;
    expect(await byKey('PATCH', path, { url: 'http://127.0.0.1:9/other' })).toEqual([403, 'Forbidden']);
    expect(await byKey('PATCH', path, { status: 'disabled' })).toEqual([403, 'Forbidden']);
    expect(await byKey('POST', `${path}/rotate-secret`)).toEqual([403, 'Forbidden']);
    expect(await byKey('DELETE', path)).toEqual([403, 'Forbidden']);
    const shown = await accounts.call('GET', path, { token });
    expect(shown.body['data']).toMatchObject({ url: URL, events, status: 'active' });
    expect((await accounts.call('DELETE', path, { token })).status).toBe(200);
    expect(await byKey('DELETE', ownPath)).toEqual([200, 'Webhook deleted successfully']);
  });

  it('that a key subscribed before the rule lose the alarms', async () => {
    const admin = await accounts.account({ userType: 'admin' });
    const token = accounts.token(admin);
    const alarms = ['alarm.raised', 'alarm.cleared'];
    const made = async (events: string[]): Promise<number> => {
      const { body } = await accounts.call('POST', PATH, { token, body: { url: URL, events } });
      return (body['data'] as { id: number }).id;
    };
    const mixed = [...alarms, 'gsm.status.update'];
    const ids = [await made(alarms), await made(mixed), await made(mixed), await made(alarms)];
    const [only, both, changed, byLogin] = ids as [number, number, number, number];
    const database = api.app.get(DataSource);
    // as a key of 0.3.0 left it: the log alone says so; and as one of a later version did
    await database.query("UPDATE webhook_endpoints SET created_by = 'key:7:shop' WHERE id = ?", [only]);
    const byKey = (action: string, details: object) =>
      database.query(
        `INSERT INTO audit_log (actor_id, actor, api_key, action, subject, details, created_at)
         VALUES (?, ?, 'sk_12345', ?, ?, ?, UTC_TIMESTAMP(3))`,
        [admin.id, admin.username, action, admin.username, JSON.stringify(details)],
      );
    await byKey('webhook.create', { id: both, events: mixed });
    await byKey('webhook.change', { id: changed, fields: ['url'] });
    await byKey('webhook.change', { id: byLogin, fields: ['status'], status: 'active' });
    const runner = database.createQueryRunner();
    await new RightsOfThePast1700000019630().up(runner).finally(() => runner.release());
    const shown = async (id: number) => (await accounts.call('GET', `${PATH}/${id}`, { token })).body['data'];
    const reason = 'An API key subscribed it to alarms';
    expect(await shown(only)).toMatchObject({ status: 'disabled', disabled_reason: reason });
    for (const id of [both, changed])
      expect(await shown(id)).toMatchObject({ status: 'active', events: ['gsm.status.update'] });
    expect(await shown(byLogin)).toMatchObject({ status: 'active', events: alarms });
  });
});
