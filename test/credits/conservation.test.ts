import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { openPagers, type Pagers } from '../support/pagers.js';
import type { SettlementMaker } from '../../src/modules/settlements/settlement-maker.js';
import { makerOf, newSeed } from '../settlements/support.js';
import type { Member } from '../support/sms.js';

const START = 1_000;
/** of a recipient without a price of its own */
const PRICE = 2;
const WAIT = { timeout: 60_000, interval: 100 };
const FINAL = ['completed', 'cancelled', 'failed'];

/** What becomes of a recipient's tries: receipts, or that the gateway refuses it. */
const fate = fc.constantFrom('delivered', 'failed', 'failed then delivered', 'refused');
type Fate = 'delivered' | 'failed' | 'failed then delivered' | 'refused';

interface Person {
  fate: Fate;
  own: { credits?: number; variables?: Record<string, string>; sender?: string; far?: true } | null;
}

const person: fc.Arbitrary<Person> = fc.record({
  fate,
  own: fc.option(
    fc.record(
      {
        credits: fc.integer({ min: 0, max: 9 }),
        variables: fc.constant({ name: 'Ada' }),
        sender: fc.constant('NIGHT'),
        far: fc.constant(true as const),
      },
      { requiredKeys: [] },
    ),
  ),
});

interface Plan {
  people: Person[];
  change: string;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  people: fc.array(person, { minLength: 1, maxLength: 12 }),
  change: fc.constantFrom('none', 'pause and resume', 'cancel', 'never begun'),
});

/** Credits are neither made nor lost, whatever happens to campaigns whose recipients differ in everything. */
describe('credits', () => {
  let pagers: Pagers;
  let maker: SettlementMaker;
  let far: number;
  let serial = 0;
  /** by number */
  const fates = new Map<unknown, Fate>();
  const tries = new Map<unknown, number>();

  beforeAll(async () => {
    pagers = await openPagers();
    maker = makerOf(pagers, newSeed());
    await pagers.addGateway('near', true);
    far = await pagers.addGateway('far', false);
    const take = pagers.server.answering;
    pagers.server.answering = (delivery, response) => {
      const { to } = delivery.body;
      if (fates.get(to) === 'refused') return 422;
      const answer = take(delivery, response);
      received.push(to);
      return answer;
    };
  });
  afterAll(() => pagers.stop());

  /** numbers of the messages that were taken, in the order of their ids */
  const received: unknown[] = [];
  let answered = 0;

  /** A receipt for every message that has been taken since. */
  async function answerAll(): Promise<void> {
    for (; answered < received.length; answered++) {
      const number = received[answered];
      const attempt = (tries.get(number) ?? 0) + 1;
      tries.set(number, attempt);
      const fateOf = fates.get(number);
      const status =
        fateOf === 'delivered' || (fateOf === 'failed then delivered' && attempt > 1) ? 'delivered' : 'failed';
      // both gateways count on: the id says which message it is, whichever of them tells
      for (const gateway of ['near', 'far']) await pagers.receipt(gateway, `page-${answered + 1}`, status);
    }
  }

  /** @returns its request id */
  async function run({ people, change }: Plan, owner: Member): Promise<string> {
    const numbers = people.map(({ fate: own }) => {
      const number = `9198${String(++serial).padStart(8, '0')}`;
      fates.set(number, own);
      return number;
    });
    const terms = people.map(({ own }) => {
      if (!own) return null;
      const { far: isFar, ...rest } = own;
      return { ...rest, ...(isFar && { routeId: far }) };
    });
    const later = change === 'never begun' ? { schedule_time: '2099-01-01T00:00:00Z' } : {};
    const id = await pagers.page(owner, 'Hi {{name}}', numbers, { terms, ...later });
    const act = (what: string) => pagers.act(`/v6/api/campaigns/${id}/${what}`, owner);
    if (change === 'pause and resume') for (const what of ['pause', 'resume']) await act(what);
    if (change === 'cancel' || change === 'never begun') await act('cancel');
    return id;
  }

  async function settledTotals(requestId: string): Promise<unknown> {
    const [row] = await pagers.dataSource.query<{ statement: string }[]>(
      'SELECT s.statement FROM settlements s JOIN campaigns c ON c.id = s.campaign_id WHERE c.request_id = ?',
      [requestId],
    );
    return row && (JSON.parse(row.statement) as { totals: unknown }).totals;
  }

  /** Usage of the account, which statistics and margin read. */
  async function usageOf(owner: Member): Promise<number> {
    const [row] = await pagers.dataSource.query<{ net: string | null }[]>(
      'SELECT SUM(charged_credits) - SUM(refunded_credits) AS net FROM usage_counters WHERE account_id = ?',
      [owner.account.id],
    );
    return Number(row?.net ?? 0);
  }

  /** One consistent look: the balance is its ledger at every commit. */
  async function expectBooked(owner: Member): Promise<void> {
    const [row] = await pagers.dataSource.query<{ available: string; booked: string }[]>(
      `SELECT b.available, (SELECT SUM(amount) FROM credit_ledger l WHERE l.account_id = b.account_id AND l.balance = b.balance) AS booked
       FROM credit_balances b WHERE b.account_id = ? AND b.balance = 'gsm_credits'`,
      [owner.account.id],
    );
    expect(Number(row?.booked)).toBe(Number(row?.available));
  }

  interface Sums {
    charged: number;
    refunded: number;
    total: number;
    ledgerCharged: number;
    ledgerRefunded: number;
    counted: number;
    prices: number;
    returned: number;
  }

  /** Campaign, ledger, recipients and counters, each by itself. */
  async function sumsOf(requestId: string): Promise<Sums> {
    const price = 'COALESCE(t.credits, c.unit_credits)';
    const recipients = `FROM campaign_recipients r LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
       WHERE r.campaign_id = c.id`;
    const ledger = 'FROM credit_ledger l WHERE l.request_id = c.request_id AND l.kind =';
    const [row] = await pagers.dataSource.query<Record<keyof Sums, string>[]>(
      `SELECT c.charged_credits AS charged, c.refunded_credits AS refunded, c.total_rows AS total,
         (SELECT -COALESCE(SUM(l.amount), 0) ${ledger} 'debit') AS ledgerCharged,
         (SELECT COALESCE(SUM(l.amount), 0) ${ledger} 'refund') AS ledgerRefunded,
         (SELECT SUM(k.recipients) FROM campaign_counters k WHERE k.campaign_id = c.id AND k.status <= ?) AS counted,
         (SELECT SUM(${price}) ${recipients}) AS prices,
         (SELECT COALESCE(SUM(${price}), 0) ${recipients} AND (r.refunded = 1 OR r.status = ?)) AS returned
       FROM campaigns c WHERE c.request_id = ?`,
      [RecipientStatus.Retrying, RecipientStatus.Cancelled, requestId],
    );
    return Object.fromEntries(
      Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]),
    ) as unknown as Sums;
  }

  async function isOver(requestId: string, owner: Member): Promise<boolean> {
    const { state, status_counts: counts } = await pagers.view(requestId, owner);
    const open = ['WAITING', 'PAGED'].some((label) => label in (counts as object));
    return FINAL.includes(String(state)) && !open;
  }

  const holds = async (plans: Plan[], refundsFailures: boolean): Promise<void> => {
    const owner = await pagers.join(START);
    await pagers.alter(owner, 'refund_failed', Number(refundsFailures));
    const ids = await Promise.all(plans.map((each) => run(each, owner)));
    await vi.waitFor(async () => {
      await expectBooked(owner);
      await answerAll();
      for (const id of ids) expect(await isOver(id, owner), id).toBe(true);
    }, WAIT);
    await maker.settleDue();
    let spent = 0;
    for (const [index, id] of ids.entries()) {
      const sums = await sumsOf(id);
      expect(sums.charged, id).toBe(plans[index]?.people.reduce((sum, { own }) => sum + (own?.credits ?? PRICE), 0));
      expect([sums.prices, sums.ledgerCharged], id).toEqual([sums.charged, sums.charged]);
      expect([sums.returned, sums.ledgerRefunded], id).toEqual([sums.refunded, sums.refunded]);
      expect(sums.counted, id).toBe(sums.total);
      const { total: recipients, charged, refunded } = sums;
      expect(await settledTotals(id), id).toMatchObject({ recipients, charged, refunded, net: charged - refunded });
      spent += sums.charged - sums.refunded;
    }
    expect(await usageOf(owner)).toBe(spent);
    expect(await pagers.credits(owner)).toBe(START - spent);
    await expectBooked(owner);
  };

  it('are what the ledger says, and each recipient pays and gets back its own', async () => {
    await fc.assert(fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 5 }), fc.boolean(), holds), {
      numRuns: 8,
      endOnFailure: true,
    });
  });
});
