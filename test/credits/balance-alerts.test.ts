import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { execute, inTransaction } from '../../src/platform/database/index.js';
import type { Account } from '../../src/modules/accounts/index.js';
import { BALANCES, type BalanceName, CreditBook, isLow, isOverdrawn } from '../../src/modules/credits/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const PATH = '/v6/api/account/balance-alerts';
const GSM = 'gsm_credits';

let api: RunningApi;
let accounts: Accounts;
let dataSource: DataSource;
let book: CreditBook;

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
  dataSource = api.app.get(DataSource);
  book = api.app.get(CreditBook, { strict: false });
});
afterAll(() => api.stop());

const call = (method: string, path: string, account: Account, body?: unknown) =>
  accounts.call(method, path, { token: accounts.token(account), ...(body !== undefined && { body }) });
const put = async (account: Account, body: unknown): Promise<unknown[]> => {
  const answer = await call('PUT', PATH, account, body);
  return [answer.status, answer.body.message];
};
const six = (given: Partial<Record<BalanceName, number>>) =>
  Object.fromEntries(BALANCES.map((name) => [name, given[name] ?? null]));
const chargesOf = (accountIds: readonly number[], amount: number, balance: BalanceName = GSM) =>
  accountIds.map((accountId) => ({
    kind: 'debit' as const,
    accountId,
    balance,
    requestId: 'LOW',
    amount,
    usage: { channel: 'sms', shares: [{ prefix: '91', sender: '', recipients: 1, credits: amount }] },
  }));
const debit = (amount: number, ...accountIds: number[]): Promise<void> =>
  inTransaction(dataSource, (tx) => book.move(tx, chargesOf(accountIds, amount)));
/** An account with an endpoint that takes these events. */
const member = async (events: string[] | null, credits = 100): Promise<Account> => {
  const account = await accounts.account({ startingCredits: { [GSM]: credits } });
  if (events) await call('POST', '/v6/api/webhooks', account, { url: 'https://shop.example/hook', events });
  return account;
};
const told = async ({ id }: Account): Promise<unknown[]> => {
  const rows = await dataSource.query<{ body: string }[]>(
    "SELECT body FROM webhook_events WHERE account_id = ? AND type = 'account.balance.low' ORDER BY id",
    [id],
  );
  return rows.map(({ body }) => JSON.parse(body) as unknown);
};
const low = (available: number, threshold: number) => ({
  event: 'account.balance.low',
  balance: GSM,
  available,
  threshold,
});

it('are chosen by balance; what is not named is off', async () => {
  const account = await member(null);
  expect((await call('GET', PATH, account)).body).toEqual({ success: true, data: six({}) });
  const saved = await call('PUT', PATH, account, { gsm_credits: 1_000, voice_credits: null, unknown: 1 });
  expect([saved.status, saved.body]).toEqual([
    200,
    { success: true, message: 'Balance alerts saved successfully', data: six({ gsm_credits: 1_000 }) },
  ]);
  expect((await call('GET', PATH, account)).body['data']).toEqual(six({ gsm_credits: 1_000 }));
  await put(account, { voice_credits: 1, gsm_credits: 1_000_000_000_000 });
  expect((await call('GET', PATH, account)).body['data']).toEqual(
    six({ voice_credits: 1, gsm_credits: 1_000_000_000_000 }),
  );
  await put(account, {});
  expect((await call('GET', PATH, account)).body['data']).toEqual(six({}));
});

it('are refused where they are no whole numbers', async () => {
  const account = await member(null);
  for (const odd of [0, -1, 0.5, '5', true, [], 1_000_000_000_001]) {
    const message = 'gsm_credits must be a whole number from 1 to 1000000000000';
    expect(await put(account, { gsm_credits: odd })).toEqual([400, message]);
  }
  expect((await accounts.call('GET', PATH)).status).toBe(401);
});

it('tell of a debit that crosses the threshold, once, and again after the balance has risen', async () => {
  const account = await member(['account.balance.low']);
  await put(account, { gsm_credits: 50 });
  await debit(50, account.id); // to the threshold itself
  expect(await told(account)).toEqual([]);
  await debit(1, account.id);
  expect(await told(account)).toEqual([low(49, 50)]);
  await debit(9, account.id);
  expect(await told(account)).toHaveLength(1);
  await inTransaction(dataSource, (tx) =>
    book.move(tx, [{ kind: 'grant', accountId: account.id, balance: GSM, amount: 9 }]),
  );
  await debit(5, account.id); // 49 was still below
  expect(await told(account)).toHaveLength(1);
  await inTransaction(dataSource, (tx) =>
    book.move(tx, [{ ...chargesOf([account.id], 6)[0]!, kind: 'refund', note: '1 recipients' }]),
  );
  await debit(20, account.id);
  expect(await told(account)).toEqual([low(49, 50), low(30, 50)]);
});

it('tell of every account of a group, and of none beside them', async () => {
  const [first, second, far, silent] = [
    await member(['account.balance.low']),
    await member(['account.balance.low'], 80),
    await member(['account.balance.low'], 1_000),
    await member(['campaign.completed']),
  ];
  for (const account of [first, second, far, silent]) await put(account, { gsm_credits: 75 });
  await debit(30, second.id, far.id, first.id, silent.id);
  expect(await Promise.all([first, second, far, silent].map(told))).toEqual([[low(70, 75)], [low(50, 75)], [], []]);
});

it('tell of credits that a reseller moves to a client or back', async () => {
  const [reseller, client] = [await member(['account.balance.low']), await member(['account.balance.low'], 0)];
  for (const account of [reseller, client]) await put(account, { gsm_credits: 50 });
  const move = (from: Account, to: Account, amount: number): Promise<void> =>
    inTransaction(dataSource, (tx) =>
      book.move(tx, [
        { kind: 'take_back', accountId: from.id, balance: GSM, amount },
        { kind: 'grant', accountId: to.id, balance: GSM, amount },
      ]),
    );
  await move(reseller, client, 50);
  expect(await Promise.all([reseller, client].map(told))).toEqual([[], []]);
  await move(reseller, client, 1);
  expect(await Promise.all([reseller, client].map(told))).toEqual([[low(49, 50)], []]);
  await move(client, reseller, 2);
  expect(await Promise.all([reseller, client].map(told))).toEqual([[low(49, 50)], [low(49, 50)]]);
  await expect(move(client, reseller, 50)).rejects.toSatisfy(isOverdrawn);
  expect(await told(client)).toHaveLength(1);
});

it('tell nothing of a debit that does not come about', async () => {
  const account = await member(['account.balance.low']);
  await put(account, { gsm_credits: 50 });
  await expect(debit(101, account.id)).rejects.toSatisfy(isOverdrawn);
  const broken = inTransaction(dataSource, async (tx) => {
    await book.move(tx, chargesOf([account.id], 60));
    throw new Error('afterwards');
  });
  await expect(broken).rejects.toThrow('afterwards');
  expect(await told(account)).toEqual([]);
  expect(await book.available(account.id, GSM)).toBe(100);
});

it('are refused to a packet, which cannot tell of them, and changes nothing', async () => {
  const account = await member(['account.balance.low']);
  await put(account, { gsm_credits: 50 });
  for (const others of [[], await Promise.all(Array.from({ length: 5 }, () => member(null)))]) {
    const packet = (amount: number): Promise<void> =>
      inTransaction(dataSource, (tx) =>
        execute(
          tx,
          book.packet(
            chargesOf(
              [account, ...others].map(({ id }) => id),
              amount,
            ),
          ),
        ),
      );
    await packet(5);
    await expect(packet(46)).rejects.toSatisfy(isLow);
    await expect(packet(101)).rejects.toSatisfy(isOverdrawn);
  }
  expect(await told(account)).toEqual([]);
  expect(await book.available(account.id, GSM)).toBe(90);
});
