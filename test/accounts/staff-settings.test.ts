import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import type { Account } from '../../src/modules/accounts/index.js';
import { RightsOfThePast1700000019630 } from '../../src/platform/database/migrations/1700000019630-rights-of-the-past.js';
import { StaffSettings1700000019500 } from '../../src/platform/database/migrations/1700000019500-staff-settings.js';
import { accountsOf, type Accounts, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const ACCOUNTS = '/v6/api/admin/accounts';
const UPDATED = [200, 'Account updated successfully'];
const CLOSED = [403, 'Account was closed by staff'];
const staffs = (field: string): [number, string] => [403, `${field} was set by staff`];
const staffOnly = (field: string): [number, string] => [403, `${field} is set by staff only`];

let api: RunningApi;
let accounts: Accounts;
let root: Account;
let admin: Account;
let seller: Account;

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
  root = await accounts.account({ username: 'rights.root', userType: 'super' });
  admin = await accounts.account({ username: 'rights.admin', userType: 'admin' });
  seller = await accounts.account({
    username: 'rights.seller',
    userType: 'reseller',
    startingCredits: { gsm_credits: 100 },
  });
});
afterAll(() => api.stop());

const own = (): Promise<Account> => accounts.account({ parentId: seller.id });
const path = ({ username }: Account, rest = ''): string => `${ACCOUNTS}/${username}${rest}`;
const patch = (by: Account, target: Account, body: unknown) =>
  accounts.row('PATCH', path(target), { token: accounts.token(by), body });
const shown = async (target: Account): Promise<Record<string, unknown>> =>
  (await accounts.call('GET', path(target), { token: accounts.token(root) })).body['data'] as Record<string, unknown>;

/** What staff set on a client is staff's (reference/accounts#set-by-staff). */
describe('what staff set on a client of a reseller', () => {
  it('a closing stays, by every endpoint that the reseller has', async () => {
    const client = await own();
    const key = await accounts.call('POST', '/v6/api/account/api-keys', { token: accounts.token(client), body: {} });
    const { id } = key.body['data'] as { id: number };
    expect(await patch(admin, client, { is_active: false })).toEqual(UPDATED);
    const changes = [
      { is_active: true },
      { is_active: false },
      { expires_at: null },
      { password: 'Rainy-Day-8' },
      { user_type: 'client' },
      { parent_username: seller.username },
      { permissions: { gsm: true } },
      { public_lookup: false },
      { time_zone: 'UTC' },
    ];
    for (const change of changes) expect(await patch(seller, client, change)).toEqual(CLOSED);
    const bearer = { token: accounts.token(seller) };
    const credits = { ...bearer, body: { balance: 'gsm_credits', amount: 1 } };
    expect(await accounts.row('POST', path(client, '/credits'), credits)).toEqual(CLOSED);
    const numbers = { ...bearer, body: { numbers: ['919812345678'] } };
    expect(await accounts.row('POST', path(client, '/suppressions'), numbers)).toEqual(CLOSED);
    expect(await accounts.row('DELETE', path(client, '/suppressions'), numbers)).toEqual(CLOSED);
    expect(await accounts.row('DELETE', path(client, `/api-keys/${id}`), bearer)).toEqual(CLOSED);
    expect(await shown(client)).toMatchObject({ is_active: false, set_by_staff: ['is_active'] });
    expect(await patch(admin, client, { is_active: true })).toEqual(UPDATED);
    expect(await shown(client)).toMatchObject({ is_active: true, set_by_staff: [] });
    expect(await patch(seller, client, { is_active: false })).toEqual(UPDATED);
    expect(await patch(seller, client, { is_active: true })).toEqual(UPDATED);
  });

  it('an expiry may come earlier, and never later', async () => {
    const client = await own();
    expect(await patch(seller, client, { expires_at: '2040-01-01' })).toEqual(UPDATED);
    expect(await patch(admin, client, { expires_at: '2030-06-30 12:00:00' })).toEqual(UPDATED);
    for (const expires_at of [null, '', '2030-06-30', '2030-06-30 12:00:01', '2041-01-01'])
      expect(await patch(seller, client, { expires_at })).toEqual(staffs('expires_at'));
    expect(await patch(seller, client, { expires_at: '2029-01-01' })).toEqual(UPDATED);
    expect(await patch(seller, client, { expires_at: '2030-06-30 12:00:00' })).toEqual(UPDATED);
    expect(await shown(client)).toMatchObject({ expires_at: '2030-06-30 12:00:00', set_by_staff: ['expires_at'] });
    expect(await patch(admin, client, { expires_at: null })).toEqual(UPDATED);
    expect(await patch(seller, client, { expires_at: '2041-01-01' })).toEqual(UPDATED);
  });

  it('a reseller sets no require_* and no refund_*, whatever they are now', async () => {
    const client = await own();
    for (const field of ['require_token', 'require_sender', 'refund_failed'])
      for (const value of [true, false])
        expect(await patch(seller, client, { [field]: value })).toEqual(staffOnly(field));
    expect(await patch(admin, client, { require_token: true, require_sender: true })).toEqual(UPDATED);
    expect(await patch(seller, client, { public_lookup: false, require_token: false })).toEqual(
      staffOnly('require_token'),
    );
    expect(await shown(client)).toMatchObject({ require_token: true, require_sender: true, public_lookup: true });
  });

  it('other fields stay staff’s one by one, until staff give them back', async () => {
    const client = await own();
    expect(await patch(seller, client, { time_zone: 'Asia/Kolkata', permissions: { gsm: true, rcs: true } })).toEqual(
      UPDATED,
    );
    const set = {
      time_zone: 'UTC',
      public_lookup: false,
      number_check: 'refuse',
      permissions: { gsm: false },
      password: 'Rainy-Day-8',
    };
    expect(await patch(root, client, set)).toEqual(UPDATED);
    for (const [field, value] of Object.entries({ ...set, public_lookup: true, password: 'Cloudy-Day-9' })) {
      const named = field === 'permissions' ? 'permissions.gsm' : field;
      expect(await patch(seller, client, { [field]: value })).toEqual(staffs(named));
    }
    expect(await patch(seller, client, { permissions: { rcs: false } })).toEqual(UPDATED);
    const login = { email_or_username: client.username, password: 'Rainy-Day-8' };
    const { body } = await accounts.call('POST', '/v1/auth/login', { body: login });
    const check = { token: String(body['token']), body: { number_check: 'off' } };
    expect(await accounts.row('PUT', '/v6/api/account/number-check', check)).toEqual(staffs('number_check'));
    const zone = { token: check.token, body: { time_zone: 'Asia/Kolkata' } };
    expect(await accounts.row('PUT', '/v6/api/account/time-zone', zone)).toEqual(staffs('time_zone'));
    expect(await patch(seller, client, { released_fields: ['time_zone'] })).toEqual([403, 'Forbidden']);
    expect(await patch(admin, client, { released_fields: ['time_zone', 'permissions.odd'] })).toEqual([
      400,
      'released_fields must be one of: is_active, expires_at, public_lookup, time_zone, number_check, country, strict_numbers, password, user_type, permissions.<name>',
    ]);
    expect(await patch(admin, client, { released_fields: ['time_zone', 'password'] })).toEqual(UPDATED);
    expect((await shown(client))['set_by_staff']).toEqual(['number_check', 'permissions.gsm', 'public_lookup']);
    expect(await patch(seller, client, { time_zone: 'Asia/Kolkata', password: 'Cloudy-Day-9' })).toEqual(UPDATED);
  });

  it('what staff chose when they made it is theirs too', async () => {
    const body = {
      username: 'rights.made',
      password: PASSWORD,
      firstname: 'Made',
      lastname: 'Staff',
      parent_username: seller.username,
      expires_at: '2030-01-01',
      is_active: false,
    };
    const made = await accounts.call('POST', ACCOUNTS, { token: accounts.token(admin), body });
    expect(made.body['data']).toMatchObject({ set_by_staff: ['expires_at', 'is_active'] });
    const client = { username: 'rights.made' } as Account;
    expect(await patch(seller, client, { is_active: true })).toEqual(CLOSED);
    expect(await patch(admin, client, { is_active: true })).toEqual(UPDATED);
    expect(await patch(seller, client, { expires_at: '2031-01-01' })).toEqual(staffs('expires_at'));
  });

  it('of two changes at one moment the staff’s closing wins', async () => {
    for (let round = 0; round < 5; round++) {
      const client = await own();
      expect(await patch(seller, client, { is_active: false })).toEqual(UPDATED);
      await Promise.all([patch(seller, client, { is_active: true }), patch(admin, client, { is_active: false })]);
      expect(await shown(client)).toMatchObject({ is_active: false, set_by_staff: ['is_active'] });
    }
  });

  it('of the past is read from the audit log; what differs and has no author counts as staff’s', async () => {
    const [byStaff, bySeller, unknown] = [await own(), await own(), await own()];
    expect(await patch(admin, byStaff, { is_active: false, permissions: { gsm: true } })).toEqual(UPDATED);
    expect(await patch(seller, bySeller, { is_active: false, public_lookup: false })).toEqual(UPDATED);
    const database = api.app.get(DataSource);
    await database.query("UPDATE accounts SET is_active = 0, expires_at = '2030-01-01' WHERE id = ?", [unknown.id]);
    // at 0.3.0 checks were off by default
    await database.query("UPDATE accounts SET set_by_staff = NULL, staff_expires_at = NULL, number_check = 'off'");
    const runner = database.createQueryRunner();
    await new StaffSettings1700000019500().up(runner).finally(() => runner.release());
    expect((await shown(byStaff))['set_by_staff']).toEqual(['is_active', 'permissions.gsm']);
    expect((await shown(bySeller))['set_by_staff']).toEqual([]);
    expect((await shown(unknown))['set_by_staff']).toEqual(['expires_at', 'is_active']);
    expect(await patch(seller, unknown, { is_active: true })).toEqual(CLOSED);
  });

  it('of a client of the house stay when it is moved to a reseller', async () => {
    const database = api.app.get(DataSource);
    const [closed, ending, open] = [await accounts.account(), await accounts.account(), await accounts.account()];
    const sellers = await own();
    await database.query('UPDATE accounts SET is_active = 0 WHERE id IN (?)', [[closed.id, sellers.id]]);
    await database.query("UPDATE accounts SET expires_at = '2030-01-01' WHERE id = ?", [ending.id]);
    const migrate = async (): Promise<void> => {
      const runner = database.createQueryRunner();
      await new RightsOfThePast1700000019630().up(runner).finally(() => runner.release());
    };
    await migrate();
    await migrate();
    for (const client of [closed, ending, open])
      expect(await patch(admin, client, { parent_username: seller.username })).toEqual(UPDATED);
    expect(await patch(seller, closed, { is_active: true })).toEqual(CLOSED);
    expect(await patch(seller, ending, { expires_at: null })).toEqual(staffs('expires_at'));
    expect(await patch(seller, ending, { expires_at: '2029-01-01' })).toEqual(UPDATED);
    expect((await shown(open))['set_by_staff']).toEqual([]);
    expect((await shown(sellers))['set_by_staff']).toEqual([]);
    expect(await patch(seller, sellers, { is_active: true })).toEqual(UPDATED);
    expect(await patch(admin, closed, { is_active: true })).toEqual(UPDATED);
    expect((await shown(closed))['set_by_staff']).toEqual([]);
  });
});
