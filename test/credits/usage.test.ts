import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/platform/database/index.js';
import type { Account } from '../../src/modules/accounts/index.js';
import { type BalanceName, CreditBook, type Movement } from '../../src/modules/credits/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const OWN = '/v6/api/account/usage';
const ALL = '/v6/api/admin/usage';
const DAY_MS = 86_400_000;
const dayOf = (back: number): string => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10);

interface Row {
  key: string;
  balance: string;
  recipients_charged: number;
  recipients_refunded: number;
  credits_charged: number;
  credits_refunded: number;
  credits_net: number;
}
interface Use {
  requestId: string;
  recipients: number;
  credits: number;
  prefix?: string;
  sender?: string;
  channel?: string;
  balance?: BalanceName;
}

let api: RunningApi;
let accounts: Accounts;
let dataSource: DataSource;
let root: Account;

beforeAll(async () => {
  api = await startApi({ USER_RATE_LIMIT: 0 });
  accounts = accountsOf(api);
  dataSource = api.app.get(DataSource);
  root = await accounts.account({ username: 'root', userType: 'super' });
});
afterAll(() => api.stop());

const chargeOf = (account: Account, use: Use): Movement => {
  const { requestId, recipients, credits, prefix = '91', sender = '', channel = 'sms', balance = 'gsm_credits' } = use;
  const usage = { channel, shares: [{ prefix, sender, recipients, credits }] };
  return { kind: 'debit', accountId: account.id, balance, requestId, amount: credits, usage };
};
const charge = (account: Account, ...uses: Use[]): Promise<void> =>
  inTransaction(dataSource, (tx) =>
    api.app.get(CreditBook, { strict: false }).move(
      tx,
      uses.map((use) => chargeOf(account, use)),
    ),
  );
const refund = (account: Account, use: Use): Promise<void> =>
  inTransaction(dataSource, (tx) =>
    api.app
      .get(CreditBook, { strict: false })
      .move(tx, [{ ...chargeOf(account, use), kind: 'refund', note: `${use.recipients} recipients` }]),
  );
/** Moves what an account has moved today to another day. */
const moveTo = async (account: Account, day: string): Promise<void> => {
  await dataSource.query('UPDATE usage_counters SET day = ? WHERE account_id = ? AND day = UTC_DATE()', [
    day,
    account.id,
  ]);
  await dataSource.query(
    "UPDATE credit_ledger SET created_at = CONCAT(?, ' 12:00:00') WHERE account_id = ? AND created_at >= UTC_DATE()",
    [day, account.id],
  );
};
const funded = (): Promise<Account> =>
  accounts.account({ startingCredits: { gsm_credits: 100_000, voice_credits: 100_000 } });
const get = async (path: string, actor: Account, headers = {}) =>
  accounts.call('GET', path, { token: accounts.token(actor), headers });
const rows = async (path: string, actor: Account): Promise<Row[]> => (await get(path, actor)).body['data'] as Row[];
const row = (
  key: string,
  charged: [number, number],
  refunded: [number, number] = [0, 0],
  balance = 'gsm_credits',
): Row => ({
  key,
  balance,
  recipients_charged: charged[0],
  recipients_refunded: refunded[0],
  credits_charged: charged[1],
  credits_refunded: refunded[1],
  credits_net: charged[1] - refunded[1],
});
const told = async (path: string, actor: Account): Promise<unknown[]> => {
  const { status, body } = await get(path, actor);
  return [status, body.message];
};

describe('usage of an account', () => {
  let account: Account;

  beforeAll(async () => {
    account = await funded();
    await charge(
      account,
      { requestId: 'C1', recipients: 3, credits: 6 },
      { requestId: 'C2', recipients: 1, credits: 4, prefix: '44', sender: 'ACME' },
    );
    await refund(account, { requestId: 'C1', recipients: 1, credits: 2 });
    await moveTo(account, dayOf(3));
    await charge(account, { requestId: 'C3', recipients: 2, credits: 2, channel: 'voice', balance: 'voice_credits' });
    await refund(account, { requestId: 'C2', recipients: 1, credits: 4, prefix: '44', sender: 'ACME' });
    await charge(await funded(), { requestId: 'OTHER', recipients: 9, credits: 9 });
  });

  it.each([
    [
      'day',
      [row(dayOf(3), [4, 10], [1, 2]), row(dayOf(0), [0, 0], [1, 4]), row(dayOf(0), [2, 2], [0, 0], 'voice_credits')],
    ],
    ['channel', [row('sms', [4, 10], [2, 6]), row('voice', [2, 2], [0, 0], 'voice_credits')]],
    ['prefix', [row('44', [1, 4], [1, 4]), row('91', [3, 6], [1, 2]), row('91', [2, 2], [0, 0], 'voice_credits')]],
    ['sender', [row('', [3, 6], [1, 2]), row('', [2, 2], [0, 0], 'voice_credits'), row('ACME', [1, 4], [1, 4])]],
    ['campaign', [row('C1', [0, 6], [1, 2]), row('C2', [0, 4], [1, 4]), row('C3', [0, 2], [0, 0], 'voice_credits')]],
  ])('is told by %s', async (group, expected) => {
    const answer = await get(`${OWN}?group=${group}`, account);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        success: true,
        data: expected,
        page: 1,
        limit: 50,
        total: expected.length,
        next_cursor: null,
        storage: { bytes: 0, limit: 1024 ** 3 },
        group,
        from: dayOf(29),
        to: dayOf(0),
      },
    ]);
  });

  it('is of the days that are asked for, both counted in', async () => {
    expect(await rows(`${OWN}?from=${dayOf(3)}&to=${dayOf(3)}&group=campaign`, account)).toEqual([
      row('C1', [0, 6], [1, 2]),
      row('C2', [0, 4]),
    ]);
    expect(await rows(`${OWN}?from=${dayOf(2)}&group=channel`, account)).toEqual([
      row('sms', [0, 0], [1, 4]),
      row('voice', [2, 2], [0, 0], 'voice_credits'),
    ]);
    expect(await rows(`${OWN}?to=${dayOf(4)}`, account)).toEqual([]);
    expect(await rows(`${OWN}?to=${dayOf(4)}&group=campaign`, account)).toEqual([]);
  });

  it('comes in parts, page by page and by cursor', async () => {
    for (const group of ['day', 'prefix', 'sender', 'campaign']) {
      const whole = await rows(`${OWN}?group=${group}`, account);
      const found: Row[] = [];
      for (let cursor = ''; ;) {
        const { body } = await get(`${OWN}?group=${group}&limit=1&cursor=${cursor}`, account);
        found.push(...(body['data'] as Row[]));
        if (body['next_cursor'] === null) break;
        cursor = body['next_cursor'] as string;
      }
      expect(found, group).toEqual(whole);
      expect(await rows(`${OWN}?group=${group}&limit=1&page=2`, account)).toEqual(whole.slice(1, 2));
    }
  });

  it('is a file, by its format or by what the client accepts', async () => {
    const file =
      'channel,balance,recipients_charged,recipients_refunded,credits_charged,credits_refunded,credits_net\r\n' +
      'sms,gsm_credits,4,2,10,6,4\r\nvoice,voice_credits,2,0,2,0,2\r\n';
    const ask = (query: string, accept?: string) =>
      fetch(`${api.url}${OWN}?group=channel${query}`, {
        headers: { authorization: `Bearer ${accounts.token(account)}`, ...(accept && { accept }) },
      });
    for (const response of [await ask('&format=csv'), await ask('', 'text/csv')]) {
      expect([response.headers.get('content-type'), await response.text()]).toEqual([
        'text/csv; charset=utf-8; header=present',
        file,
      ]);
    }
    for (const response of [await ask('&format=json', 'text/csv'), await ask('', 'text/csv;q=0.5, */*')])
      expect(response.headers.get('content-type')).toContain('application/json');
  });

  it('is refused for what cannot be meant', async () => {
    const refused: [string, string][] = [
      ['group=hour', 'group must be one of: day, channel, prefix, campaign, sender'],
      ['group=account', 'group must be one of: day, channel, prefix, campaign, sender'],
      ['from=yesterday', 'from is invalid'],
      ['from=2026-02-30', 'from is invalid'],
      ['from=2026-02-01%2010:00:00', 'from is invalid'],
      ['to=2026-13-01', 'to is invalid'],
      ['from=9999-12-31&to=9999-12-31&group=campaign', 'from is invalid'],
      ['to=9999-12-31&group=campaign', 'to is invalid'],
      ['to=0000-01-01', 'to is invalid'],
      ['from=2026-02-02&to=2026-02-01', 'from must not be after to'],
      ['from=2025-01-01&to=2026-01-02', 'At most 366 days are allowed'],
      ['format=xml', 'format must be one of: json, csv'],
      ['cursor=x', 'cursor is invalid'],
    ];
    for (const [query, message] of refused) expect(await told(`${OWN}?${query}`, account)).toEqual([400, message]);
    expect((await get(`${OWN}?from=2025-01-01&to=2026-01-01`, account)).status).toBe(200);
    expect((await get(`${OWN}?from=2026-01-01&to=2026-01-01`, account)).status).toBe(200);
  });
});

describe('usage of all accounts', () => {
  it('is told to staff, of one account or all', async () => {
    const [a, b] = [await funded(), await funded()];
    for (const [account, credits] of [
      [a, 5],
      [b, 7],
    ] as const) {
      await charge(account, { requestId: `S${credits}`, recipients: 1, credits });
      await moveTo(account, '2026-03-01');
    }
    const march = 'from=2026-03-01&to=2026-03-31';
    expect(await rows(`${ALL}?${march}`, root)).toEqual([row('2026-03-01', [2, 12])]);
    expect(await rows(`${ALL}?${march}&group=account`, root)).toEqual([
      row(a.username, [1, 5]),
      row(b.username, [1, 7]),
    ]);
    expect(await rows(`${ALL}?${march}&group=account&account=${b.username}`, root)).toEqual([row(b.username, [1, 7])]);
    const today = await funded();
    await charge(today, { requestId: 'S9', recipients: 1, credits: 9 });
    expect(await rows(`${ALL}?group=campaign&account=${today.username}`, root)).toEqual([row('S9', [0, 9])]);
    const first = await get(`${ALL}?${march}&group=account&limit=1`, root);
    const next = String(first.body['next_cursor']);
    expect(await rows(`${ALL}?${march}&group=account&limit=1&cursor=${next}`, root)).toEqual([row(b.username, [1, 7])]);
    const file = await fetch(`${api.url}${ALL}?${march}&group=account&format=csv`, {
      headers: { authorization: `Bearer ${accounts.token(root)}` },
    });
    expect((await file.text()).split('\r\n').slice(0, 2)).toEqual([
      'account,balance,recipients_charged,recipients_refunded,credits_charged,credits_refunded,credits_net',
      `${a.username},gsm_credits,1,0,5,0,5`,
    ]);
  });

  it('is refused to others, and where no account is named by campaign', async () => {
    const words = 'group must be one of: day, channel, prefix, campaign, sender, account';
    expect(await told(`${ALL}?group=hour`, root)).toEqual([400, words]);
    expect(await told(`${ALL}?group=campaign`, root)).toEqual([400, 'account is required']);
    expect(await told(`${ALL}?account=nobody.there`, root)).toEqual([404, 'Account not found']);
    for (const userType of ['client', 'reseller'])
      expect(await told(ALL, await accounts.account({ userType }))).toEqual([403, 'Forbidden']);
  });
});
