import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, type Answer } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const FORBIDDEN = [403, 'Forbidden'];

let api: RunningApi;
let accounts: Accounts;
let root: Account;

const path = (target: Account, rest = ''): string => `/v6/api/admin/accounts/${target.username}/credits${rest}`;
const adjust = (actor: Account, target: Account, body: unknown): Promise<Answer> =>
  accounts.call('POST', path(target), { token: accounts.token(actor), body });
const gsm = (amount: unknown, note?: unknown): object => ({ balance: 'gsm_credits', amount, note });
const get = async (target: Account, rest = ''): Promise<Record<string, unknown>> =>
  (await accounts.call('GET', path(target, rest), { token: accounts.token(root) })).body;
const available = async (target: Account): Promise<number | undefined> =>
  ((await get(target))['data'] as { balance: string; available: number }[]).find((row) => row.balance === 'gsm_credits')
    ?.available;

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
  root = await accounts.account({ username: 'root', userType: 'super' });
});
afterAll(() => api.stop());

describe('credits of an account', () => {
  it('are granted and taken back, with ledger, proof and audit', async () => {
    const target = await accounts.account({ timeZone: 'Asia/Kolkata' });
    const granted = await adjust(root, target, gsm(500, 'Invoice 4711'));
    expect([granted.status, granted.body]).toEqual([
      200,
      { success: true, data: { balance: 'gsm_credits', available: 500 } },
    ]);
    expect((await adjust(root, target, gsm(-120))).body['data']).toEqual({ balance: 'gsm_credits', available: 380 });
    expect(await get(target)).toEqual({
      success: true,
      data: [
        { balance: 'bulk_chat_credits', available: 0 },
        { balance: 'gsm_credits', available: 380 },
        { balance: 'voice_credits', available: 10 },
        { balance: 'chat_marketing_credits', available: 10 },
        { balance: 'chat_utility_credits', available: 10 },
        { balance: 'chat_auth_credits', available: 0 },
      ],
    });
    const ledger = await get(target, '/ledger?balance=gsm_credits');
    expect(ledger).toMatchObject({ success: true, page: 1, limit: 50, total: 2 });
    expect(ledger['data']).toEqual([
      {
        id: expect.any(Number) as number,
        balance: 'gsm_credits',
        amount: -120,
        available: 380,
        kind: 'take_back',
        request_id: null,
        note: null,
        created_by: { kind: 'staff', id: null, name: null },
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
      },
      expect.objectContaining({ amount: 500, available: 500, kind: 'grant', note: 'Invoice 4711' }) as object,
    ]);
    expect(await get(target, '/ledger?limit=2&page=3')).toMatchObject({ page: 3, limit: 2, total: 5 });
    const proof = (await get(target, '/proof'))['data'] as object[];
    expect(proof).toContainEqual({
      balance: 'gsm_credits',
      stored: 380,
      ledger: 380,
      usage: { charged: 0, refunded: 0, ledger_charged: 0, ledger_refunded: 0, ok: true },
      ok: true,
    });
    expect(proof).toHaveLength(6);
    const audit = await accounts.call('GET', '/v6/api/admin/audit?actor=root&limit=2', { token: accounts.token(root) });
    expect(audit.body['data']).toMatchObject([
      { action: 'credits.take_back', details: { amount: -120 } },
      { action: 'credits.grant', subject: target.username, details: { amount: 500, note: 'Invoice 4711' } },
    ]);
  });

  it('show in the proof when they were touched by hand', async () => {
    const target = await accounts.account();
    await api.database.dataSource.query(
      "UPDATE credit_balances SET available = 11 WHERE account_id = ? AND balance = 'voice_credits'",
      [target.id],
    );
    expect((await get(target, '/proof'))['data']).toContainEqual({
      balance: 'voice_credits',
      stored: 11,
      ledger: 10,
      usage: { charged: 0, refunded: 0, ledger_charged: 0, ledger_refunded: 0, ok: true },
      ok: false,
    });
  });

  it('are not taken back beyond what there is', async () => {
    const target = await accounts.account();
    await adjust(root, target, gsm(3));
    const { status, body } = await adjust(root, target, gsm(-5));
    expect([status, body.message]).toEqual([400, 'Insufficient credits. Available: 3, Required: 5']);
    expect(await available(target)).toBe(3);
    expect(await get(target, '/ledger?balance=gsm_credits')).toMatchObject({ total: 1 });
  });

  it('want a balance and an amount', async () => {
    const target = await accounts.account();
    const balances =
      'balance must be one of: bulk_chat_credits, gsm_credits, voice_credits, chat_marketing_credits, chat_utility_credits, chat_auth_credits';
    const amounts = 'amount must be a whole number between -1000000000 and 1000000000, other than 0';
    const faults: [unknown, string][] = [
      [{}, balances],
      [{ balance: 'gold', amount: 1 }, balances],
      [{ balance: {}, amount: 1 }, balances],
      [gsm(0), amounts],
      [gsm(1.5), amounts],
      [gsm('5'), amounts],
      [gsm(null), amounts],
      [gsm(1e10), amounts],
      [gsm([5]), amounts],
      [gsm(5, {}), 'note is invalid'],
      [gsm(5, 'x'.repeat(256)), 'note must be at most 255 characters'],
    ];
    for (const [body, text] of faults) {
      const answer = await adjust(root, target, body);
      expect([answer.status, answer.body.message]).toEqual([400, text]);
    }
    expect(await accounts.row('GET', path(target, '/ledger?balance=gold'), { token: accounts.token(root) })).toEqual([
      400,
      balances,
    ]);
    expect(await available(target)).toBe(0);
  });
});

describe('a reseller', () => {
  it('grants out of its own balance to its own clients', async () => {
    const reseller = await accounts.account({ userType: 'reseller' });
    const own = await accounts.account({ parentId: reseller.id });
    const other = await accounts.account();
    await adjust(root, reseller, gsm(100));
    expect((await adjust(reseller, own, gsm(60))).body['data']).toEqual({ balance: 'gsm_credits', available: 60 });
    expect([await available(reseller), await available(own)]).toEqual([40, 60]);
    const refused = await adjust(reseller, own, gsm(41));
    expect([refused.status, refused.body.message]).toEqual([400, 'Insufficient credits. Available: 40, Required: 41']);
    expect((await adjust(reseller, own, gsm(-10))).status).toBe(200);
    expect([await available(reseller), await available(own)]).toEqual([50, 50]);
    const tooMuch = await adjust(reseller, own, gsm(-51));
    expect(tooMuch.body.message).toBe('Insufficient credits. Available: 50, Required: 51');
    for (const target of [other, reseller]) expect((await adjust(reseller, target, gsm(1))).status).toBe(404);
    const many = await Promise.all(Array.from({ length: 20 }, () => adjust(reseller, own, gsm(7))));
    expect(many.filter(({ status }) => status === 200)).toHaveLength(7);
    expect([await available(reseller), await available(own)]).toEqual([1, 99]);
    for (const account of [reseller, own]) {
      const proof = (await get(account, '/proof'))['data'] as { ok: boolean }[];
      expect(proof.every(({ ok }) => ok)).toBe(true);
    }
  });
});

describe('what a reseller takes back', () => {
  const voice = (amount: number): object => ({ balance: 'voice_credits', amount });
  const outcome = async (actor: Account, target: Account, amount: number): Promise<[number, string | undefined]> => {
    const { status, body } = await adjust(actor, target, voice(amount));
    return [status, body.message];
  };
  const short = (available: number, required: number): [number, string] => [
    400,
    `Insufficient credits. Available: ${available}, Required: ${required}`,
  ];
  const OK = [200, undefined];

  it('is no more than it has granted: starting credits and grants of the house stay', async () => {
    const seller = await accounts.account({ userType: 'reseller' });
    const own = await accounts.account({ parentId: seller.id });
    expect(await outcome(seller, own, -1)).toEqual(short(0, 1));
    expect(await outcome(root, own, 100)).toEqual(OK);
    expect(await outcome(seller, own, 5)).toEqual(OK);
    expect(await outcome(seller, own, -6)).toEqual(short(5, 6));
    expect(await outcome(seller, own, -2)).toEqual(OK);
    expect(await outcome(seller, own, -3)).toEqual(OK);
    expect(await outcome(seller, own, -1)).toEqual(short(0, 1));
    expect((await get(own))['data']).toContainEqual({ balance: 'voice_credits', available: 110 });
    expect((await get(seller))['data']).toContainEqual({ balance: 'voice_credits', available: 10 });
  });

  it('is no more than the client still has, and staff may take anything', async () => {
    const seller = await accounts.account({ userType: 'reseller' });
    const own = await accounts.account({ parentId: seller.id });
    expect(await outcome(seller, own, 8)).toEqual(OK);
    expect(await outcome(root, own, -15)).toEqual(OK);
    expect(await outcome(seller, own, -4)).toEqual(short(3, 4));
    expect(await outcome(seller, own, -3)).toEqual(OK);
    expect((await get(own))['data']).toContainEqual({ balance: 'voice_credits', available: 0 });
  });

  it('is not for the next reseller of the client', async () => {
    const [first, second] = [
      await accounts.account({ userType: 'reseller' }),
      await accounts.account({ userType: 'reseller' }),
    ];
    const own = await accounts.account({ parentId: first.id });
    expect(await outcome(first, own, 5)).toEqual(OK);
    await api.database.dataSource.query('UPDATE accounts SET parent_id = ? WHERE id = ?', [second.id, own.id]);
    expect(await outcome(second, own, -1)).toEqual(short(0, 1));
    expect(await outcome(first, own, -1)).toEqual([404, 'Account not found']);
  });

  it('is the same sum when many take and grant at the same moment', async () => {
    const seller = await accounts.account({ userType: 'reseller' });
    const own = await accounts.account({ parentId: seller.id });
    expect(await outcome(seller, own, 10)).toEqual(OK);
    const answers = await Promise.all(Array.from({ length: 16 }, () => outcome(seller, own, -3)));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(3);
    await Promise.all(Array.from({ length: 20 }, (_, i) => outcome(seller, own, i % 2 ? 1 : -1)));
    for (const account of [seller, own]) {
      const proof = (await get(account, '/proof'))['data'] as { ok: boolean }[];
      expect(proof.every(({ ok }) => ok)).toBe(true);
    }
    const rows = await api.database.dataSource.query<{ amount: number }[]>(
      'SELECT amount FROM reseller_grants WHERE reseller_id = ? AND account_id = ?',
      [seller.id, own.id],
    );
    expect((await get(own))['data']).toContainEqual({ balance: 'voice_credits', available: 10 + rows[0]!.amount });
  });
});

describe('others', () => {
  it('are kept out', async () => {
    const admin = await accounts.account({ userType: 'admin' });
    const reseller = await accounts.account({ userType: 'reseller' });
    const client = await accounts.account();
    expect((await adjust(admin, client, gsm(5))).status).toBe(200);
    for (const [actor, target] of [
      [admin, reseller],
      [admin, admin],
      [client, client],
    ] as const) {
      const { status, body } = await adjust(actor, target, gsm(5));
      expect([status, body.message]).toEqual(FORBIDDEN);
    }
    for (const rest of ['', '/ledger', '/proof']) {
      expect(await accounts.row('GET', path(client, rest), { token: accounts.token(client) })).toEqual(FORBIDDEN);
      expect((await accounts.call('GET', path(client, rest), { token: accounts.token(reseller) })).status).toBe(404);
      expect((await accounts.call('GET', path(client, rest), { token: accounts.token(admin) })).status).toBe(200);
    }
  });
});
