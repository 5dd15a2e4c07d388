import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryBus } from '@nestjs/cqrs';
import { inTransaction } from '../../src/platform/database/index.js';
import type { Account } from '../../src/modules/accounts/index.js';
import {
  CreditBook,
  type CreditProofAnswer,
  isOverdrawn,
  type Movement,
  ProveCreditsQuery,
} from '../../src/modules/credits/index.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

let api: RunningApi;
let accounts: Accounts;
let dataSource: DataSource;
let book: CreditBook;

const GSM = 'gsm_credits' as const;
const account = (credits: number): Promise<Account> => accounts.account({ startingCredits: { [GSM]: credits } });
const charge = (accountId: number, amount: number, requestId: string, share = { prefix: '91', sender: '' }) => ({
  kind: 'debit' as const,
  accountId,
  balance: GSM,
  requestId,
  amount,
  usage: { channel: 'gsm', shares: [{ ...share, recipients: 1, credits: amount }] },
});
const available = (id: number): Promise<number> => book.available(id, GSM);
const move = (...movements: Movement[]): Promise<void> => inTransaction(dataSource, (tx) => book.move(tx, movements));
const debit = (id: number, ...amounts: number[]): Promise<void> =>
  move(...amounts.map((amount, i) => charge(id, amount, `R${i}`)));
/** Whether it was paid. */
const paid = (moving: Promise<void>): Promise<boolean> =>
  moving.then(
    () => true,
    (error: unknown) => {
      if (isOverdrawn(error)) return false;
      throw error;
    },
  );
const ledger = (id: number): Promise<Record<string, unknown>[]> =>
  dataSource.query<Record<string, unknown>[]>(
    'SELECT amount, available, kind, request_id, note FROM credit_ledger WHERE account_id = ? ORDER BY id',
    [id],
  );
const usage = (id: number): Promise<Record<string, unknown>[]> =>
  dataSource.query<Record<string, unknown>[]>(
    `SELECT channel, prefix, sender, charged_recipients AS charged, charged_credits AS cost,
       refunded_recipients AS refunded, refunded_credits AS back, day = UTC_DATE() AS today
     FROM usage_counters WHERE account_id = ? ORDER BY channel, prefix, sender`,
    [id],
  );
const proven = async (id: number): Promise<boolean> => {
  const proofs: CreditProofAnswer[] = await api.app.get(QueryBus).execute(new ProveCreditsQuery(id));
  return proofs.length === 6 && proofs.every(({ ok, stored }) => ok && stored >= 0);
};

beforeAll(async () => {
  api = await startApi();
  accounts = accountsOf(api);
  dataSource = api.app.get(DataSource);
  book = api.app.get(CreditBook, { strict: false });
});
afterAll(() => api.stop());

describe('a debit', () => {
  it('takes the sum in one go and writes an entry for each request', async () => {
    const { id } = await account(100);
    await debit(id, 5, 0, 7);
    expect(await available(id)).toBe(88);
    expect((await ledger(id)).slice(1)).toEqual([
      { amount: -5, available: 95, kind: 'debit', request_id: 'R0', note: null },
      { amount: -7, available: 88, kind: 'debit', request_id: 'R2', note: null },
    ]);
    await debit(id, 88);
    expect(await available(id)).toBe(0);
    expect((await ledger(id)).at(-1)).toMatchObject({ amount: -88, available: 0 });
    expect(await proven(id)).toBe(true);
  });

  it('takes from many accounts at once, each with a running balance of its own', async () => {
    const [a, b] = [await account(100), await account(50)];
    const charges = [b, a, b, a].map(({ id }, i) => charge(id, i + 1, `M${i}`));
    await move(...charges);
    const lines = async (id: number) =>
      (await ledger(id)).slice(1).map((line) => [line['request_id'], line['available']]);
    expect([await lines(a.id), await lines(b.id)]).toEqual([
      [
        ['M1', 98],
        ['M3', 94],
      ],
      [
        ['M0', 49],
        ['M2', 46],
      ],
    ]);
    expect(await paid(move(...[a, b].map(({ id }) => charge(id, 60, 'P'))))).toBe(false);
    expect([await available(a.id), await available(b.id)]).toEqual([94, 46]);
    expect([await proven(a.id), await proven(b.id)]).toEqual([true, true]);
  });

  it('reads what many have at once', async () => {
    const [a, b] = [await account(100), await account(50)];
    const of = await book.availableIn([a, b].map(({ id }) => ({ accountId: id, balance: GSM })));
    expect([a.id, b.id, 999_999].map((accountId) => of({ accountId, balance: GSM }))).toEqual([100, 50, 0]);
  });

  it('changes nothing when the sum is more than there is', async () => {
    const { id } = await account(10);
    expect(await paid(debit(id, 5, 6))).toBe(false);
    expect(await paid(debit(id, 11))).toBe(false);
    expect(await available(id)).toBe(10);
    expect(await ledger(id)).toHaveLength(1);
    await debit(id, 0);
    expect(await ledger(id)).toHaveLength(1);
  });

  it('refuses what is no amount', async () => {
    const { id } = await account(10);
    for (const amount of [-1, 0.5, Number.NaN]) await expect(debit(id, amount)).rejects.toThrow(RangeError);
    expect(await available(id)).toBe(10);
  });

  it('never overdraws: of 60 at the same moment exactly balance / cost pass', async () => {
    const { id } = await account(100);
    const answers = await Promise.all(Array.from({ length: 60 }, () => paid(debit(id, 7))));
    expect(answers.filter(Boolean)).toHaveLength(14);
    expect(await available(id)).toBe(2);
    const running = (await ledger(id)).map((entry) => Number(entry['available']));
    expect(running).toEqual([100, ...Array.from({ length: 14 }, (_, i) => 100 - 7 * (i + 1))]);
    expect(await proven(id)).toBe(true);
  });

  it('is undone with its transaction', async () => {
    const { id } = await account(10);
    await expect(
      inTransaction(dataSource, async (tx) => {
        await book.move(tx, [charge(id, 4, 'X')]);
        throw new Error('afterwards');
      }),
    ).rejects.toThrow('afterwards');
    expect(await available(id)).toBe(10);
    expect(await usage(id)).toEqual([]);
    expect(await proven(id)).toBe(true);
  });
});

describe('usage', () => {
  it('is counted beside the ledger, by channel, calling code and sender', async () => {
    const [a, b] = [await account(100), await account(100)];
    const uk = { prefix: '44', sender: 'ACME' };
    await move(charge(a.id, 5, 'U0'), charge(b.id, 7, 'U1', uk), charge(a.id, 6, 'U2'), charge(a.id, 3, 'U3', uk));
    await move({ ...charge(a.id, 2, 'U3', uk), kind: 'refund' });
    const [none, today] = [
      { refunded: 0, back: 0 },
      { today: 1, channel: 'gsm' },
    ];
    expect(await usage(a.id)).toEqual([
      { ...today, ...uk, charged: 1, cost: 3, refunded: 1, back: 2 },
      { ...today, ...none, prefix: '91', sender: '', charged: 2, cost: 11 },
    ]);
    expect(await usage(b.id)).toEqual([{ ...today, ...none, ...uk, charged: 1, cost: 7 }]);
  });

  it('refuses shares that come to anything else than the amount', async () => {
    const { id } = await account(10);
    const wrong = (change: object) => {
      const { usage: given, ...rest } = charge(id, 4, 'W');
      return { ...rest, usage: { ...given, shares: given.shares.map((share) => ({ ...share, ...change })) } };
    };
    for (const change of [{ credits: 3 }, { credits: 5 }, { recipients: -1 }, { recipients: 0.5 }]) {
      await expect(move(wrong(change))).rejects.toThrow(RangeError);
      await expect(move({ ...wrong(change), kind: 'refund' })).rejects.toThrow(RangeError);
    }
    expect(await available(id)).toBe(10);
  });
});

describe('refunds, grants and take-backs', () => {
  it('stand in the ledger with their kind', async () => {
    const { id } = await account(10);
    await debit(id, 6);
    const own = { accountId: id, balance: GSM };
    await move(
      { ...charge(id, 2, 'R0'), kind: 'refund', note: 'Cancelled' },
      { ...own, kind: 'grant', amount: 5, note: 'Invoice 1' },
      { ...own, kind: 'take_back', amount: 3 },
    );
    expect(await paid(move({ ...own, kind: 'take_back', amount: 9 }))).toBe(false);
    expect((await ledger(id)).slice(2)).toEqual([
      { amount: 2, available: 6, kind: 'refund', request_id: 'R0', note: 'Cancelled' },
      { amount: 5, available: 11, kind: 'grant', request_id: null, note: 'Invoice 1' },
      { amount: -3, available: 8, kind: 'take_back', request_id: null, note: null },
    ]);
    expect(await proven(id)).toBe(true);
  });

  it('fail for an account that has no balances', async () => {
    for (const kind of ['grant', 'take_back'] as const) {
      for (const many of [1, 6]) {
        const movements = Array.from({ length: many }, () => ({ kind, accountId: 999_999, balance: GSM, amount: 5 }));
        await expect(move(...movements)).rejects.toSatisfy(isOverdrawn);
      }
    }
    expect(await book.available(999_999, GSM)).toBe(0);
  });
});

describe('a transfer', () => {
  const transfer = (from: number, to: number, amount: number): Promise<boolean> =>
    paid(
      move(
        { kind: 'take_back', accountId: from, balance: GSM, amount },
        { kind: 'grant', accountId: to, balance: GSM, amount },
      ),
    );

  it('moves all or nothing', async () => {
    const [a, b] = [await account(10), await account(0)];
    expect(await transfer(a.id, b.id, 11)).toBe(false);
    expect([await available(a.id), await available(b.id)]).toEqual([10, 0]);
    expect(await transfer(a.id, b.id, 10)).toBe(true);
    expect([await available(a.id), await available(b.id)]).toEqual([0, 10]);
    expect(await transfer(b.id, 999_999, 5)).toBe(false);
    expect(await available(b.id)).toBe(10);
  });

  it('keeps the sum when both sides give at the same moment, beside debits', async () => {
    const [a, b] = [await account(50), await account(50)];
    const debits = Array.from({ length: 10 }, () => paid(debit(a.id, 1)));
    const moves = Array.from({ length: 40 }, (_, i) => (i % 2 ? transfer(a.id, b.id, 9) : transfer(b.id, a.id, 9)));
    const [spent] = await Promise.all([Promise.all(debits), Promise.all(moves)]);
    const sum = (await available(a.id)) + (await available(b.id));
    expect(sum).toBe(100 - spent.filter(Boolean).length);
    expect(await proven(a.id)).toBe(true);
    expect(await proven(b.id)).toBe(true);
  });
});

describe('lists of any size', () => {
  const CALLS = 120;
  it('leave each balance at the sum of its entries, in their order, or change nothing', async () => {
    const ids = (await Promise.all(Array.from({ length: 4 }, () => account(500)))).map(({ id }) => id);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;
    const model = new Map(ids.map((id) => [id, [500]]));
    for (let call = 0; call < CALLS; call++) {
      const movements = Array.from({ length: pick([1, 2, 4, 5, 9, 40]) }, (_, place): Movement => {
        const amount = pick([1, 2, 7, 60]);
        const kind = pick(['debit', 'debit', 'refund', 'grant', 'take_back'] as const);
        const moved = charge(
          pick(ids),
          amount,
          `${call}-${place}`,
          pick([
            { prefix: '91', sender: '' },
            { prefix: '44', sender: 'A' },
          ]),
        );
        const { usage, ...plain } = moved;
        return kind === 'debit' || kind === 'refund' ? { ...moved, kind } : { ...plain, kind };
      });
      const after = new Map([...model].map(([id, entries]) => [id, [...entries]]));
      for (const { accountId, kind, amount } of movements) {
        const entries = after.get(accountId) as number[];
        entries.push((entries.at(-1) ?? 0) + (kind === 'debit' || kind === 'take_back' ? -amount : amount));
      }
      const isPayable = [...after.values()].every((entries) => (entries.at(-1) ?? 0) >= 0);
      expect(await paid(move(...movements))).toBe(isPayable);
      if (isPayable) for (const [id, entries] of after) model.set(id, entries);
    }
    for (const [id, entries] of model) {
      expect((await ledger(id)).map((entry) => Number(entry['available']))).toEqual(entries);
      expect(await available(id)).toBe(entries.at(-1));
      expect(await proven(id)).toBe(true);
    }
  });
});
