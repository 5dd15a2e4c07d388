import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/platform/database/index.js';
import { CreditBook } from '../../src/modules/credits/index.js';
import { LedgerClosings } from '../../src/modules/credits/ledger.store.js';
import { type Campaigns, openCampaigns } from '../support/campaigns.js';
import { startOfMonth } from '../support/months.js';
import type { Member } from '../support/sms.js';

const GSM = 'gsm_credits';
const VOICE = 'voice_credits';
const KEPT_DAYS = 40;
const UNUSED = { charged: 0, refunded: 0, ledger_charged: 0, ledger_refunded: 0, ok: true };

interface Closing {
  month: string;
  moved: number;
  closing: number;
  ok: boolean;
}
interface Proof {
  balance: string;
  stored: number;
  ledger: number;
  usage: unknown;
  ok: boolean;
  closings?: Closing[];
}

/** Months of the ledger (reference/credits#closings). Entries are moved into the past by their dates. */
describe('closings', () => {
  let api: Campaigns;
  let staff: Member;
  let member: Member;
  let username: string;

  const closings = (days = 0): LedgerClosings => new LedgerClosings(api.dataSource, { RETENTION_DAYS: days });
  const monthName = (back: number): string => startOfMonth(back).toISOString().slice(0, 7);

  beforeAll(async () => {
    api = await openCampaigns();
    staff = await api.join(0, { userType: 'super' });
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    for (const table of ['credit_months', 'credit_closings', 'credit_ledger', 'credit_balances', 'usage_counters']) {
      await api.dataSource.query(`DELETE FROM ${table}`);
    }
    member = await api.join(0);
    username = member.account.username;
  });

  /** A movement of so many months ago, in the middle of the month. */
  const move = async (back: number, amount: number, balance: typeof GSM | typeof VOICE = GSM): Promise<void> => {
    const book = api.part(CreditBook);
    const { id } = member.account;
    const kind = amount > 0 ? 'grant' : 'take_back';
    const movement = { kind, accountId: id, balance, amount: Math.abs(amount) } as const;
    await inTransaction(api.dataSource, (tx) => book.move(tx, [movement]));
    const at = startOfMonth(back);
    await api.dataSource.query('UPDATE credit_ledger SET created_at = ? ORDER BY id DESC LIMIT 1', [
      back === 0 ? new Date() : new Date(at.getTime() + 14 * 86_400_000),
    ]);
  };
  const proof = async (balance = GSM, query = '?closings=true'): Promise<Proof> => {
    const answer = await api.get(`/v6/api/admin/accounts/${username}/credits/proof${query}`, staff);
    return (answer.body['data'] as Proof[]).find((entry) => entry.balance === balance)!;
  };
  const ledger = async (): Promise<{ total: number; opening: unknown[] }> => {
    const answer = await api.get('/v6/api/account/credits/ledger', member);
    return { total: Number(answer.body['total']), opening: answer.body['opening'] as unknown[] };
  };

  it('are the closing before and what moved, of every month that is over', async () => {
    await move(4, 100);
    await move(4, -30);
    await move(3, 5, VOICE);
    await move(2, -10);
    await move(0, -1);
    await closings().close();
    expect(await proof()).toEqual({
      balance: GSM,
      stored: 59,
      ledger: 59,
      usage: UNUSED,
      ok: true,
      closings: [
        { month: monthName(4), moved: 70, closing: 70, ok: true },
        { month: monthName(2), moved: -10, closing: 60, ok: true },
      ],
    });
    expect(await proof(VOICE)).toMatchObject({ ok: true, closings: [{ month: monthName(3), moved: 5, closing: 5 }] });
    expect(await proof(GSM, '')).toEqual({ balance: GSM, stored: 59, ledger: 59, usage: UNUSED, ok: true });
  });

  it('are made once, and go on from where they were broken off', async () => {
    await move(3, 100);
    await move(2, -10);
    let looks = 0;
    await closings().close(() => ++looks > 2); // cuts the first month, and closes it
    expect((await proof()).closings).toHaveLength(1);
    await Promise.all([closings().close(), closings().close()]);
    await closings().close();
    expect((await proof()).closings).toEqual([
      { month: monthName(3), moved: 100, closing: 100, ok: true },
      { month: monthName(2), moved: -10, closing: 90, ok: true },
    ]);
  });

  it('count what was written late into a month that was cut, with the month after it', async () => {
    await move(3, 100);
    await move(2, -10);
    await closings().close();
    await move(3, -5);
    await move(1, 1);
    await move(0, 1);
    let looks = 0;
    await closings().close(() => ++looks > 10);
    expect(looks).toBeLessThan(10);
    await api.dataSource.query('UPDATE credit_ledger SET created_at = UTC_TIMESTAMP(3) WHERE amount = 1');
    expect(await proof()).toMatchObject({ stored: 87, ledger: 87, ok: true });
  });

  it('prove a balance by what came since: what a closing holds is not read again', async () => {
    await move(2, 100);
    await closings().close();
    await move(0, -1);
    await api.dataSource.query('UPDATE credit_ledger SET amount = amount + 7 WHERE amount = 100');
    expect(await proof(GSM, '')).toMatchObject({ stored: 99, ledger: 99, ok: true });
    expect(await proof()).toMatchObject({ ok: false, closings: [{ ok: false }] });
  });

  it('are found wrong when one was changed, or an entry since', async () => {
    await move(3, 100);
    await move(2, 1);
    await closings().close();
    await api.dataSource.query('UPDATE credit_closings SET closing = closing + 1 WHERE moved = 100');
    expect((await proof()).closings).toMatchObject([{ ok: false }, { ok: false }]);
    await api.dataSource.query('UPDATE credit_closings SET closing = closing - 1 WHERE moved = 100');
    await move(0, 5);
    await api.dataSource.query('UPDATE credit_ledger SET amount = 6 WHERE amount = 5');
    expect(await proof(GSM, '')).toMatchObject({ stored: 106, ledger: 107, ok: false });
  });

  it('leave the sum of entries that are no longer kept, which the ledger says', async () => {
    await move(4, 100);
    await move(3, -30);
    await move(0, -1);
    expect(await ledger()).toEqual({ total: 3, opening: [] });
    await closings(KEPT_DAYS).removeOld(); // nothing is closed yet, so nothing goes
    expect((await ledger()).total).toBe(3);
    await closings().close();
    await closings(0).removeOld();
    expect((await ledger()).total).toBe(3);
    await closings(KEPT_DAYS).removeOld();
    const until = new Date(startOfMonth(2).getTime() - 86_400_000).toISOString().slice(0, 10);
    expect(await ledger()).toEqual({ total: 1, opening: [{ balance: GSM, available: 70, until }] });
    expect(await proof()).toMatchObject({ stored: 69, ledger: 69, ok: true, closings: [{ ok: true }, { ok: true }] });
  });

  it('keep what was charged and refunded of entries that have gone, so that usage is proved for ever', async () => {
    const shares = (credits: number) => [{ prefix: '91', sender: '', recipients: 1, credits }];
    const charge = (amount: number, kind: 'debit' | 'refund' = 'debit') => ({
      kind,
      accountId: member.account.id,
      balance: GSM as 'gsm_credits',
      requestId: 'USED',
      amount,
      usage: { channel: 'sms', shares: shares(amount) },
    });
    const book = api.part(CreditBook);
    await move(4, 100);
    await inTransaction(api.dataSource, async (tx) => {
      await book.move(tx, [charge(30)]);
      await book.move(tx, [charge(10, 'refund')]);
    });
    await api.dataSource.query("UPDATE credit_ledger SET created_at = ? WHERE request_id = 'USED'", [
      new Date(startOfMonth(3).getTime() + 86_400_000),
    ]);
    await inTransaction(api.dataSource, (tx) => book.move(tx, [charge(5)]));
    const used = { charged: 35, refunded: 10, ledger_charged: 35, ledger_refunded: 10, ok: true };
    expect(await proof()).toMatchObject({ stored: 75, usage: used, ok: true });
    await closings().close();
    await closings(KEPT_DAYS).removeOld();
    expect((await ledger()).total).toBe(1);
    expect(await proof()).toMatchObject({ stored: 75, ledger: 75, usage: used, ok: true });
    await api.dataSource.query('UPDATE usage_counters SET refunded_credits = refunded_credits + 1');
    expect(await proof()).toMatchObject({
      stored: 75,
      ledger: 75,
      usage: { ...used, refunded: 11, ok: false },
      ok: false,
    });
  });

  it('take no month of which a transaction may still be open', async () => {
    await move(1, 100);
    const ended = Date.now() - startOfMonth(0).getTime() > 86_400_000;
    await closings().close();
    expect((await proof()).closings).toHaveLength(ended ? 1 : 0);
    await move(0, 1);
    await closings().close();
    expect((await proof()).closings).toHaveLength(ended ? 1 : 0);
    expect(await proof()).toMatchObject({ stored: 101, ledger: 101, ok: true });
  });
});
