import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealedIn, Sealer } from '../../src/platform/security/index.js';
import {
  DRIVER_NAMES,
  DriverRegistry,
  type OperatorRouteKind,
  RouteDirectory,
} from '../../src/modules/providers/index.js';
import { Routing } from '../../src/modules/routing/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/admin/routes';
const SMPP = { host: '127.0.0.1', port: 2775, system_id: 'switchboard', password: 'very-secret' };
const HTTP = {
  url: 'http://127.0.0.1:9/send',
  headers: { Authorization: 'Bearer very-secret' },
  body: { to: '{{to}}' },
  receipt: {
    id_path: 'message.id',
    status_path: 'message.state',
    status_map: { ok: 'delivered', no: 'failed' },
    error_code_path: 'code',
  },
};

const TWILIO = {
  account_sid: 'AC0123456789abcdef0123456789abcdef',
  auth_token: 'very-secret',
  from: '+1 555 123 4567',
};

describe('routes', () => {
  let api: RunningApi;
  let accounts: Accounts;
  let token: string;

  beforeAll(async () => {
    api = await startApi({ PUBLIC_URL: 'https://sms.example/' });
    accounts = accountsOf(api);
    token = accounts.token(await accounts.account({ userType: 'super' }));
  });
  afterAll(async () => api.stop());

  const put = (name: string, body: unknown) => accounts.call('PUT', `${PATH}/${name}`, { token, body });
  const refusal = (name: string, body: unknown) => accounts.row('PUT', `${PATH}/${name}`, { token, body });

  it('are created, shown without secrets, changed and removed, with an entry in the audit log each', async () => {
    const created = await put('life', { channel: 'sms', driver: 'smpp', config: SMPP, messages_per_second: 50 });
    expect(created).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: 'Route saved successfully',
        data: {
          name: 'life',
          channel: 'sms',
          driver: 'smpp',
          config: { ...SMPP, password: '***', window: 100, tls: false },
          messages_per_second: 50,
          is_default: false,
          callback_url: null,
        },
      },
    });
    const kept = await put('life', {
      channel: 'sms',
      driver: 'smpp',
      config: { ...SMPP, password: '***', window: 20 },
    });
    expect(kept.body['data']).toMatchObject({ config: { window: 20, password: '***' }, messages_per_second: 50 });
    expect((await api.app.get(RouteDirectory, { strict: false }).byName('life'))?.config).toMatchObject({
      window: 20,
      password: 'very-secret',
    });

    const cleared = await put('life', { channel: 'sms', driver: 'smpp', config: SMPP, messages_per_second: null });
    expect(cleared.body['data']).toMatchObject({ messages_per_second: null });
    expect((await accounts.call('GET', `${PATH}/life`, { token })).body).toMatchObject({
      success: true,
      data: { name: 'life' },
    });

    const rows: { config: string }[] = await api.database.dataSource.query('SELECT config FROM routes WHERE name = ?', [
      'life',
    ]);
    expect(rows[0]?.config).not.toContain('secret');
    expect(
      JSON.parse(api.app.get(Sealer).open(rows[0]?.config ?? '', sealedIn('routes', 'config', 'life'))),
    ).toMatchObject({ password: 'very-secret' });

    expect(await accounts.row('DELETE', `${PATH}/life`, { token })).toEqual([200, 'Route deleted successfully']);
    expect(await accounts.row('GET', `${PATH}/life`, { token })).toEqual([404, 'Route not found']);
    expect(await accounts.row('DELETE', `${PATH}/life`, { token })).toEqual([404, 'Route not found']);

    const entries: { action: string; details: string }[] = await api.database.dataSource.query(
      "SELECT action, details FROM audit_log WHERE subject = 'life' ORDER BY id",
    );
    expect(entries.map((entry) => entry.action)).toEqual(['route.put', 'route.put', 'route.put', 'route.delete']);
    expect(entries.map((entry) => entry.details).join()).not.toContain('very-secret');
  });

  it('carry calls: calls per second, and a secret that stays', async () => {
    const body = { channel: 'voice', driver: 'twilio', config: TWILIO, messages_per_second: 5 };
    expect((await put('phone', body)).body['data']).toMatchObject({
      channel: 'voice',
      config: {
        account_sid: TWILIO.account_sid,
        auth_token: '***',
        base_url: 'https://api.twilio.com',
        from: '15551234567',
        ring_seconds: 30,
      },
      messages_per_second: 5,
      callback_url: null,
    });
    await put('phone', { ...body, config: { ...TWILIO, auth_token: '***', ring_seconds: 45 } });
    const route = await api.app.get(RouteDirectory, { strict: false }).byName('phone');
    expect(route?.config).toMatchObject({ auth_token: TWILIO.auth_token, ring_seconds: 45 });
    expect(await accounts.row('DELETE', `${PATH}/phone`, { token })).toEqual([200, 'Route deleted successfully']);
  });

  it('may say how many sessions all workers have together', async () => {
    const body = { channel: 'sms', driver: 'smpp', config: SMPP };
    expect((await put('counted', body)).body).toMatchObject({ data: { binds: null, held_binds: null } });
    expect((await put('counted', { ...body, binds: 2 })).body).toMatchObject({
      data: { binds: 2, held_binds: [], health: 'unknown' },
    });
    expect((await put('counted', body)).body).toMatchObject({ data: { binds: 2 } });
    await api.database.dataSource.query(
      `UPDATE route_binds SET holder = IF(place = 1, 'worker-1:7:ab', 'worker-2:9:cd'), bound = place = 1,
         lease_until = UTC_TIMESTAMP(3) + INTERVAL 9 SECOND, fault = IF(place = 1, NULL, 'Already bound')`,
    );
    expect((await accounts.call('GET', `${PATH}/counted`, { token })).body).toMatchObject({
      data: {
        health: 'degraded',
        last_error: 'Already bound',
        held_binds: [
          { place: 1, worker: 'worker-1:7:ab', bound: true, last_error: null },
          { place: 2, worker: 'worker-2:9:cd', bound: false, last_error: 'Already bound' },
        ],
      },
    });
    await api.database.dataSource.query('UPDATE route_binds SET bound = 0');
    expect((await accounts.call('GET', `${PATH}/counted`, { token })).body).toMatchObject({ data: { health: 'down' } });
    await api.database.dataSource.query('UPDATE route_binds SET bound = 1');
    expect((await accounts.call('GET', `${PATH}/counted`, { token })).body).toMatchObject({
      data: { health: 'up', last_error: null },
    });
    for (const binds of [0, 1_001, 1.5, '2', true]) {
      expect(await refusal('counted', { ...body, binds })).toEqual([
        400,
        'binds must be a whole number from 1 to 1000',
      ]);
    }
    expect(await refusal('gateway', { channel: 'sms', driver: 'http', config: HTTP, binds: 2 })).toEqual([
      400,
      'driver http has no sessions: binds must be null',
    ]);
    const gateway = await put('gateway', { channel: 'sms', driver: 'http', config: HTTP, binds: null });
    expect(gateway.body).toMatchObject({ data: { binds: null } });
    expect((await put('counted', { ...body, binds: null })).body).toMatchObject({ data: { binds: null } });
    for (const name of ['counted', 'gateway']) await accounts.call('DELETE', `${PATH}/${name}`, { token });
    expect(await api.database.dataSource.query('SELECT 1 FROM route_binds')).toEqual([]);
  });

  it('have one default a channel', async () => {
    const { id: accountId } = await accounts.account();
    const chosen = async (kind: OperatorRouteKind, service: string): Promise<string | null> => {
      const plan = await api.app.get(Routing, { strict: false }).planFor({ kind, accountId, service });
      const [first] = plan?.only ?? [];
      return first === undefined
        ? null
        : ((await api.app.get(RouteDirectory, { strict: false }).byId(first))?.name ?? null);
    };
    expect(await chosen('sms', 'anything')).toBeNull();
    await put('first', { channel: 'sms', driver: 'smpp', config: SMPP, is_default: true });
    await put('chat', { channel: 'unofficial', driver: 'http', config: HTTP, is_default: true });
    expect(await chosen('sms', 'anything')).toBe('first');
    await put('second', { channel: 'sms', driver: 'smpp', config: SMPP, is_default: true });
    expect(await chosen('sms', 'anything')).toBe('second');
    expect(await chosen('sms', 'first')).toBe('first');
    expect(await chosen('sms', 'FIRST')).toBe('second');
    expect(await chosen('sms', 'chat')).toBe('second');
    expect(await chosen('unofficial', 'x')).toBe('chat');
    await put('second', { channel: 'sms', driver: 'smpp', config: SMPP, is_default: false });
    expect(await chosen('sms', 'anything')).toBeNull();
    const list = await accounts.call('GET', `${PATH}?limit=2`, { token });
    expect(list.body).toMatchObject({ success: true, page: 1, limit: 2, total: 3 });
    expect((list.body['data'] as { name: string }[]).map((route) => route.name)).toEqual(['chat', 'first']);
  });

  it.each<[string, unknown, [number, string]]>([
    ['bad name!', { channel: 'sms', driver: 'smpp', config: SMPP }, [400, 'name is invalid']],
    ['r', {}, [400, 'channel must be one of: sms, unofficial, voice']],
    ['r', { channel: { a: 1 }, driver: 'smpp', config: SMPP }, [400, 'channel must be one of: sms, unofficial, voice']],
    ['r', { channel: 'sms', config: SMPP }, [400, 'driver is required']],
    ['r', { channel: 'sms', driver: 'pigeon', config: SMPP }, [400, 'driver must be one of: smpp, http, twilio']],
    ['r', { channel: 'voice', driver: 'smpp', config: SMPP }, [400, 'driver smpp carries sms, not voice']],
    ['r', { channel: 'sms', driver: 'twilio', config: TWILIO }, [400, 'driver twilio carries voice, not sms']],
    [
      'r',
      { channel: 'voice', driver: 'twilio', config: { ...TWILIO, auth_token: '***' } },
      [400, 'config.auth_token is required'],
    ],
    [
      'r',
      { channel: 'voice', driver: 'twilio', config: { ...TWILIO, account_sid: 'AC/../x' } },
      [400, 'config.account_sid: must be an account SID'],
    ],
    [
      'r',
      { channel: 'voice', driver: 'twilio', config: { ...TWILIO, from: '12345' } },
      [400, 'config.from: must be 10 to 16 digits'],
    ],
    ...['ftp://x', 'https://a:b@x', 'https://x/?a=1', 'https://x/#a', 5].map(
      (base_url): [string, unknown, [number, string]] => [
        'r',
        { channel: 'voice', driver: 'twilio', config: { ...TWILIO, base_url } },
        [
          400,
          base_url === 5
            ? 'config.base_url: Invalid input: expected string, received number'
            : 'config.base_url: must be an http or https URL without login, query or fragment',
        ],
      ],
    ),
    ['r', { channel: 'sms', driver: 'smpp' }, [400, 'config must be an object']],
    ['r', { channel: 'sms', driver: 'smpp', config: [] }, [400, 'config must be an object']],
    ['r', { channel: 'sms', driver: 'smpp', config: {} }, [400, 'config.host is required']],
    [
      'r',
      { channel: 'sms', driver: 'smpp', config: { ...SMPP, password: '***' } },
      [400, 'config.password is required'],
    ],
    [
      'r',
      { channel: 'sms', driver: 'smpp', config: { ...SMPP, port: 70000 } },
      [400, 'config.port: Too big: expected number to be <=65535'],
    ],
    [
      'r',
      { channel: 'sms', driver: 'smpp', config: SMPP, messages_per_second: 0 },
      [400, 'messages_per_second must be a whole number from 1 to 1000000'],
    ],
    [
      'r',
      { channel: 'sms', driver: 'smpp', config: SMPP, is_default: 'yes' },
      [400, 'is_default must be true or false'],
    ],
    [
      'r',
      { channel: 'sms', driver: 'http', config: { ...HTTP, url: 'ftp://x' } },
      [400, 'config.url: must be an http or https URL'],
    ],
    [
      'r',
      { channel: 'sms', driver: 'http', config: { ...HTTP, body: '{{password}}' } },
      [400, 'config.body: names an unknown placeholder {{password}}'],
    ],
    [
      'r',
      { channel: 'sms', driver: 'http', config: { ...HTTP, headers: { 'x-key': 'a\r\nb: c' } } },
      [400, 'config.headers.x-key: must be printable and Latin-1'],
    ],
    [
      'r',
      { channel: 'sms', driver: 'http', config: { ...HTTP, headers: { 'transfer-encoding': 'chunked' } } },
      [400, 'config.headers.transfer-encoding: Invalid key in record'],
    ],
    [
      'r',
      { channel: 'sms', driver: 'smpp', config: { ...SMPP, failure_kinds: { '0x22': 'permanent', 34: 'opt_out' } } },
      [400, 'config.failure_kinds: names a code twice'],
    ],
    [
      'r',
      { channel: 'sms', driver: 'http', config: { ...HTTP, failure_kinds: { DND: 'optout' } } },
      [400, 'config.failure_kinds.DND: Invalid option: expected one of "temporary"|"not_today"|"permanent"|"opt_out"'],
    ],
  ])('refuse %s %j', async (name, body, row) => {
    expect(await refusal(encodeURIComponent(name), body)).toEqual(row);
  });

  it.each([
    ['http', { ...HTTP, id_pth: 'id' }, 'id_pth'],
    ['http', { ...HTTP, receipt: { ...HTTP.receipt, status_pth: 'x' } }, 'receipt.status_pth'],
    ['http', { ...HTTP, dlt: { entity: '1' } }, 'dlt.entity'],
    [
      'http',
      { ...HTTP, receipt: { status_map: { no: { status: 'failed', code: 1, kode: 2 } } } },
      'receipt.status_map.no.kode',
    ],
    ['smpp', { ...SMPP, pasword: 'x' }, 'pasword'],
    ['smpp', { ...SMPP, dlt: { chain: { ids: ['1'], hsh: 'none' } } }, 'dlt.chain.hsh'],
    ['smpp', { ...SMPP, tlvs: [{ tag: 5000, type: 'int8', value: 1, size: 1 }] }, 'tlvs.0.size'],
    ['twilio', { ...TWILIO, ring: 3 }, 'ring'],
  ])('of driver %s take no word that it does not know', async (driver, config, name) => {
    const channel = driver === 'twilio' ? 'voice' : 'sms';
    const { status, body } = await put(`misspelt-${driver}`, { channel, driver, config });
    expect([status, body['message'], body['field']]).toEqual([
      400,
      `config.${name} is no setting of driver ${driver}`,
      `config.${name}`,
    ]);
  });

  it('from before go on with such a word, say so, and are saved without it only', async () => {
    await put('upgraded', { channel: 'sms', driver: 'http', config: HTTP });
    const sealer = api.app.get(Sealer, { strict: false });
    const config = { ...HTTP, id_pth: 'id', reciept: { id_path: 'x' } };
    await api.database.dataSource.query("UPDATE routes SET config = ? WHERE name = 'upgraded'", [
      sealer.seal(JSON.stringify(config), sealedIn('routes', 'config', 'upgraded')),
    ]);
    api.app.get(RouteDirectory, { strict: false }).forget();
    const shown = await accounts.call('GET', `${PATH}/upgraded`, { token });
    expect(shown.body['data']).toMatchObject({ unknown_settings: ['id_pth', 'reciept'] });
    const route = await api.app.get(RouteDirectory, { strict: false }).byName('upgraded');
    const nothing = (): Promise<void> => Promise.resolve();
    const open = api.app.get(DriverRegistry, { strict: false }).open(route as never, nothing, nothing);
    expect(open.ready).toBe(true);
    await open.close();
    expect(await refusal('upgraded', { channel: 'sms', driver: 'http', config })).toEqual([
      400,
      'config.id_pth is no setting of driver http',
    ]);
    const saved = await put('upgraded', { channel: 'sms', driver: 'http', config: HTTP });
    expect(saved.body['data']).toMatchObject({ unknown_settings: [] });
  });

  it('never change their channel', async () => {
    await put('fixed', { channel: 'sms', driver: 'http', config: HTTP });
    expect(await refusal('fixed', { channel: 'unofficial', driver: 'http', config: HTTP })).toEqual([
      409,
      'Route belongs to channel sms',
    ]);
  });

  it('stay while campaigns wait for them', async () => {
    await put('busy', { channel: 'sms', driver: 'smpp', config: SMPP });
    const route = await api.app.get(RouteDirectory, { strict: false }).byName('busy');
    await api.database.dataSource.query(
      `INSERT INTO campaigns SET id = 1, account_id = 1, request_id = 'R1', channel = 'sms', state = 'running', broadcast_name = 'x',
         service = 'busy', route_id = ?, content = '{}', balance = 'gsm_credits', unit_credits = 1, total_rows = 1, open_lanes = 1,
         refunded_credits = 0, created_at = NOW(3)`,
      [route?.id],
    );
    expect(await accounts.row('DELETE', `${PATH}/busy`, { token })).toEqual([
      409,
      'Route is used by unfinished campaigns',
    ]);
    await api.database.dataSource.query('UPDATE campaigns SET open_lanes = 0 WHERE id = 1');
    expect(await accounts.row('DELETE', `${PATH}/busy`, { token })).toEqual([200, 'Route deleted successfully']);
  });

  it('are for staff alone', async () => {
    const client = accounts.token(await accounts.account());
    const reseller = accounts.token(await accounts.account({ userType: 'reseller' }));
    expect(await accounts.row('GET', PATH, { token: client })).toEqual([403, 'Forbidden']);
    expect(await accounts.row('GET', PATH, { token: reseller })).toEqual([403, 'Forbidden']);
    expect(await accounts.row('GET', PATH)).toEqual([401, 'Invalid Authorization token']);
    expect(await accounts.row('POST', PATH, { token })).toEqual([405, 'Method not allowed']);
  });

  it('survive two operators who create the same one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => put('race', { channel: 'sms', driver: 'smpp', config: SMPP, is_default: true })),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    const rows: unknown[] = await api.database.dataSource.query(
      "SELECT id FROM routes WHERE name = 'race' AND default_for = 'sms'",
    );
    expect(rows).toHaveLength(1);
  });

  it('know their drivers', () => {
    const drivers = api.app.get(DriverRegistry, { strict: false });
    expect(DRIVER_NAMES.map((name) => drivers.get(name).name)).toEqual(['smpp', 'http', 'twilio']);
    expect(() => drivers.get('pigeon')).toThrow('No driver is named pigeon');
  });
});
