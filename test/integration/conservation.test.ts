import { QueryBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ProveCreditsQuery } from '../../src/modules/credits/index.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { callingCodeOf } from '../../src/modules/numbers/index.js';
import { openPagers, type Pagers } from '../support/pagers.js';
import type { Member } from '../support/sms.js';

const SEED = 20_261_122;
const RUNS = 15;
const START = 100_000;
const WAIT = { timeout: 60_000, interval: 150 };
const FINAL = ['completed', 'cancelled', 'failed'];
/** Numbers of several countries, of one whose code has three digits, and of none. */
const PREFIXES = ['9198', '9170', '1202', '4420', '9715', '9990'];

/** What becomes of a recipient: of receipts, or that a gateway refuses it; `elsewhere` is refused by the first route alone. */
type Fate = 'delivered' | 'failed' | 'refused' | 'elsewhere' | 'stopped';

interface Person {
  prefix: string;
  fate: Fate;
  own: { credits?: number; name?: string; sender?: string; far?: boolean; chain?: boolean } | null;
}

const person: fc.Arbitrary<Person> = fc.record({
  prefix: fc.constantFrom(...PREFIXES),
  fate: fc.constantFrom<Fate>('delivered', 'delivered', 'failed', 'refused', 'elsewhere', 'stopped'),
  own: fc.option(
    fc.record(
      {
        credits: fc.integer({ min: 0, max: 9 }),
        name: fc.string({ maxLength: 12 }),
        sender: fc.constantFrom('ACME', 'NIGHT'),
        far: fc.boolean(),
        chain: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  ),
});

interface Campaign {
  kind: 'page' | 'sms' | 'bulk';
  people: Person[];
  change: 'none' | 'pause and resume' | 'cancel' | 'never begun';
}

const campaign: fc.Arbitrary<Campaign> = fc.record({
  kind: fc.constantFrom('page', 'sms', 'bulk'),
  people: fc.array(person, { minLength: 1, maxLength: 10 }),
  change: fc.constantFrom('none', 'none', 'pause and resume', 'cancel', 'never begun'),
});

interface Rate {
  channel: string;
  prefix: string;
  credits_per_segment: number;
}

/** A plan of rates, or none. */
const rates: fc.Arbitrary<Rate[] | null> = fc.option(
  fc.uniqueArray(
    fc.record({
      channel: fc.constantFrom('sms', 'unofficial'),
      prefix: fc.constantFrom('', '9', '91', '9198', '1', '44', '971'),
      credits_per_segment: fc.integer({ min: 0, max: 20 }),
    }),
    { selector: ({ channel, prefix }) => `${channel} ${prefix}`, maxLength: 8 },
  ),
);

interface Story {
  campaigns: Campaign[];
  rates: Rate[] | null;
  refundsFailures: boolean;
  retries: boolean;
}

const story: fc.Arbitrary<Story> = fc.record({
  campaigns: fc.array(campaign, { minLength: 1, maxLength: 4 }),
  rates,
  refundsFailures: fc.boolean(),
  retries: fc.boolean(),
});

/** Balance = ledger = usage, after every step of whatever happens to campaigns whose recipients differ in everything. */
describe('conservation', () => {
  let pagers: Pagers;
  let staff: Member;
  let far: number;
  let near: number;
  let serial = 0;
  /** by number */
  const fates = new Map<unknown, Fate>();
  /** what is filled in of those that have a name, by number */
  const names = new Map<string, string>();
  const received: { number: unknown }[] = [];
  let answered = 0;

  beforeAll(async () => {
    pagers = await openPagers();
    staff = await pagers.join(0, { userType: 'super' });
    near = await pagers.addGateway('near', true, { failover_codes: [422] });
    far = await pagers.addGateway('far', false);
    const take = pagers.server.answering;
    pagers.server.answering = (delivery, response) => {
      const { to } = delivery.body;
      const fate = fates.get(to);
      if (fate === 'refused' || (fate === 'elsewhere' && delivery.path === '/near')) return 422;
      const answer = take(delivery, response);
      received.push({ number: to });
      return answer;
    };
  });
  afterAll(() => pagers.stop());

  async function answerAll(): Promise<void> {
    for (; answered < received.length; answered++) {
      const fate = fates.get(received[answered]?.number);
      const status = fate === 'failed' ? 'failed' : 'delivered';
      for (const gateway of ['near', 'far']) await pagers.receipt(gateway, `page-${answered + 1}`, status);
    }
  }

  /** One consistent look at all six balances. */
  async function expectProved(owner: Member): Promise<void> {
    const proofs = await pagers.part(QueryBus).execute(new ProveCreditsQuery(owner.account.id, true));
    for (const proof of proofs) expect(proof).toMatchObject({ ok: true, usage: { ok: true } });
    for (const { stored } of proofs) expect(stored).toBeGreaterThanOrEqual(0);
  }

  /** A text of its own for each, as long as the name that is filled in, under a sender id of the account. */
  async function bulk(
    owner: Member,
    numbers: readonly string[],
    people: readonly Person[],
    later: object,
  ): Promise<string> {
    const recipients = numbers.map((to, at) => {
      const name = 'a'.repeat(20 * (people[at]?.own?.name?.length ?? 0));
      if (name) names.set(to, name);
      return { to, ...(name && { variables: { name } }) };
    });
    const body = {
      channel: 'sms',
      broadcast_name: 'Bulk',
      message: 'Hi {{name|you}}',
      recipients,
      sender_id: 'ACME',
      ...later,
    };
    const answer = await pagers.post('/v6/api/campaigns', owner, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    return String((answer.body['data'] as { request_id: string }).request_id);
  }

  async function run({ kind, people, change }: Campaign, owner: Member): Promise<string> {
    const numbers = people.map(({ prefix, fate }) => {
      const number = `${prefix}${String(++serial).padStart(8, '0')}`;
      fates.set(number, fate);
      return number;
    });
    const stopped = numbers.filter((number) => fates.get(number) === 'stopped');
    if (stopped.length > 0) await pagers.act('/v6/api/suppressions', owner, { numbers: stopped });
    const later = change === 'never begun' ? { schedule_time: '2099-01-01T00:00:00Z' } : {};
    const terms = people.map(({ own }) => {
      if (!own) return null;
      const { far: isFar, chain, name, ...rest } = own;
      const variables = name === undefined ? {} : { variables: { name } };
      const route = isFar ? { routeId: far, ...(chain && { fallbacks: [near] }) } : chain ? { fallbacks: [far] } : {};
      return { ...rest, ...variables, ...route };
    });
    const id =
      kind === 'bulk'
        ? await bulk(owner, numbers, people, later)
        : kind === 'sms'
          ? await pagers.send(owner, numbers, {
              brodcast_service: 'near',
              message: 'x'.repeat(1 + (serial % 400)),
              ...later,
            })
          : await pagers.page(owner, 'Hi {{name}}', numbers, { terms, ...later });
    await expectProved(owner);
    const act = (what: string) => pagers.act(`/v6/api/campaigns/${id}/${what}`, owner);
    if (change === 'pause and resume') for (const what of ['pause', 'resume']) await act(what);
    if (change === 'cancel' || change === 'never begun') await act('cancel');
    await expectProved(owner);
    return id;
  }

  async function settled(ids: readonly string[], owner: Member): Promise<void> {
    await vi.waitFor(async () => {
      await expectProved(owner);
      await answerAll();
      const rows = await pagers.dataSource.query<{ request_id: string }[]>(
        `SELECT c.request_id FROM campaigns c WHERE c.request_id IN (?) AND (c.state NOT IN (?) OR EXISTS (
           SELECT 1 FROM campaign_recipients r WHERE r.campaign_id = c.id AND r.status IN (?)))`,
        [ids, FINAL, [RecipientStatus.Pending, RecipientStatus.Submitted, RecipientStatus.Retrying]],
      );
      expect(rows.map(({ request_id }) => request_id)).toEqual([]);
    }, WAIT);
  }

  interface Told {
    key: string;
    credits_charged: number;
    credits_refunded: number;
    credits_net: number;
  }
  const usage = async (owner: Member, group: string): Promise<Told[]> =>
    (await pagers.get(`/v6/api/account/usage?group=${group}&limit=1000`, owner)).body['data'] as Told[];

  /** Charged and refunded by what the recipients themselves say. */
  async function ofRecipients(owner: Member, key: string): Promise<Map<string, [charged: number, refunded: number]>> {
    const price = 'COALESCE(t.credits, c.unit_credits)';
    const rows = await pagers.dataSource.query<{ name: string; digits: string; charged: string; refunded: string }[]>(
      `SELECT ${key} AS name, LEFT(r.receiver, 3) AS digits, SUM(${price}) AS charged,
         SUM(IF(r.refunded = 1 OR r.status = ?, ${price}, 0)) AS refunded
       FROM campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id
         LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
       WHERE c.account_id = ? GROUP BY 1, 2`,
      [RecipientStatus.Cancelled, owner.account.id],
    );
    const sums = new Map<string, [number, number]>();
    for (const { name, digits, charged, refunded } of rows) {
      const of = key === "''" ? callingCodeOf(digits) : name;
      const [before, back] = sums.get(of) ?? [0, 0];
      sums.set(of, [before + Number(charged), back + Number(refunded)]);
    }
    return new Map([...sums].filter(([, [charged]]) => charged > 0));
  }

  async function expectTold(owner: Member, group: string, key: string): Promise<void> {
    const told = await usage(owner, group);
    const byKey = new Map(
      told.map((row): [string, [number, number]] => [row.key, [row.credits_charged, row.credits_refunded]]),
    );
    const truth = await ofRecipients(owner, key);
    expect([...byKey].sort(), group).toEqual([...truth].sort());
  }

  async function expectCampaigns(owner: Member): Promise<void> {
    const rows = await pagers.dataSource.query<{ id: string; charged: number; refunded: number }[]>(
      'SELECT request_id AS id, charged_credits AS charged, refunded_credits AS refunded FROM campaigns WHERE account_id = ?',
      [owner.account.id],
    );
    const told = new Map((await usage(owner, 'campaign')).map((row) => [row.key, row]));
    let spent = 0;
    for (const { id, charged, refunded } of rows) {
      const row = told.get(id);
      expect([row?.credits_charged ?? 0, row?.credits_refunded ?? 0, row?.credits_net ?? 0], id).toEqual([
        charged,
        refunded,
        charged - refunded,
      ]);
      spent += charged - refunded;
    }
    expect(await pagers.credits(owner)).toBe(START - spent);
  }

  /** What the plan has a row for is paid by the plan: credits a segment, by the longest prefix. */
  async function expectPriced(owner: Member, rows: readonly Rate[]): Promise<void> {
    const sent = await pagers.dataSource.query<{ receiver: string; credits: number; content: string }[]>(
      `SELECT r.receiver, COALESCE(t.credits, c.unit_credits) AS credits, c.content
       FROM campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id
         LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
       WHERE c.account_id = ? AND c.channel = 'sms'`,
      [owner.account.id],
    );
    const own = rows.filter(({ channel }) => channel === 'sms');
    for (const { receiver, credits, content } of sent) {
      const { length } = (JSON.parse(content) as { message: string }).message.replace(
        '{{name|you}}',
        names.get(receiver) ?? 'you',
      );
      const [longest] = own
        .filter(({ prefix }) => receiver.startsWith(prefix))
        .toSorted((a, b) => b.prefix.length - a.prefix.length);
      const segments = length <= 160 ? 1 : Math.ceil(length / 153);
      if (longest) expect(credits, `${receiver}, ${length}`).toBe(longest.credits_per_segment * segments);
      else expect(credits).toBeGreaterThan(0);
    }
  }

  async function give(owner: Member, rows: readonly Rate[]): Promise<void> {
    const plan = `plan-${owner.account.id}`;
    expect((await pagers.request(`/v6/api/admin/rates/${plan}`, bodyOf(staff, 'PUT', rows))).status).toBe(200);
    const patch = bodyOf(staff, 'PATCH', { rate_plan: plan });
    expect((await pagers.request(`/v6/api/admin/accounts/${owner.account.username}`, patch)).status).toBe(200);
  }

  const holds = async ({ campaigns, rates: rows, refundsFailures, retries }: Story): Promise<void> => {
    const owner = await pagers.join(START);
    await pagers.alter(owner, 'refund_failed', Number(refundsFailures));
    if (rows) await give(owner, rows);
    await pagers.dataSource.query(
      `INSERT INTO sender_ids (account_id, sender_id, channel, status, revision, created_at, updated_at)
       VALUES (?, 'ACME', 'sms', 'approved', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
      [owner.account.id],
    );
    const ids = await Promise.all(campaigns.map((each) => run(each, owner)));
    await settled(ids, owner);
    if (retries) {
      for (const id of [...ids]) {
        const answer = await pagers.act(`/v6/api/campaigns/${id}/retry-failed`, owner);
        await expectProved(owner);
        if (answer.status === 200) ids.push(String((answer.body['data'] as { request_id: string }).request_id));
      }
      await settled(ids, owner);
    }
    await expectTold(owner, 'channel', 'c.channel');
    await expectTold(owner, 'prefix', "''");
    await expectTold(owner, 'sender', "COALESCE(t.sender, c.sender, '')");
    await expectTold(owner, 'campaign', 'c.request_id');
    await expectCampaigns(owner);
    await expectPriced(owner, rows ?? []);
    await expectProved(owner);
  };

  it('of credits: balance, ledger and usage are the same, and each recipient pays and gets back its own price', async () => {
    await fc.assert(fc.asyncProperty(story, holds), { seed: SEED, numRuns: RUNS, endOnFailure: true });
  });
});

const bodyOf = (member: Member, method: string, body: unknown): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${member.token}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
