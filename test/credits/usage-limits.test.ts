import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type Campaigns, listOf, openCampaigns } from '../support/campaigns.js';
import { giveRatePlan } from '../support/rate-plan.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const MOST_ENTRIES = 200_000;
const MOST_ROWS = 100_000;
const TOO_MANY_ENTRIES = 'Too many ledger entries: choose a shorter range';
const TOO_MANY_ROWS = 'Too many rows: choose a shorter range';
const DAY_MS = 86_400_000;
const dayOf = (back: number): string => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10);
/** Days: what is one too many stands on the first of them, and everything else on the second. */
const [EARLIER, LATER] = [dayOf(6), dayOf(3)] as const;
const EXACTLY = `from=${LATER}`;
const ONE_MORE = `from=${EARLIER}`;

let campaigns: Campaigns;
let staff: Member;

beforeAll(async () => {
  campaigns = await openCampaigns();
  staff = await campaigns.join({}, { userType: 'super' });
});
afterAll(() => campaigns.stop());

/** 0 to `count` - 1 as `n`, by joining digits. */
function numbersBelow(count: number): string {
  const digits = `(${Array.from({ length: 10 }, (_, d) => `SELECT ${d} AS d`).join(' UNION ALL ')})`;
  const names = Array.from(String(count - 1), (_, index) => `p${index}`);
  const sum = names.map((name, index) => `${name}.d * ${10 ** index}`).join(' + ');
  const joined = names.map((name) => `${digits} ${name}`).join(' CROSS JOIN ');
  return `(SELECT ${sum} AS n FROM ${joined} HAVING n < ${count})`;
}

/** Debits of one credit each. @param requestId SQL of their request id, of the number `n` of each */
const debit = (member: Member, count: number, day: string, balance: string, requestId: string): Promise<unknown> =>
  campaigns.dataSource.query(
    `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, note, created_at)
     SELECT ?, ?, -1, 0, 'debit', ${requestId}, NULL, ? FROM ${numbersBelow(count)} e ORDER BY n`,
    [member.account.id, balance, `${day} 12:00:00`],
  );

/** Counters of one recipient and one credit each, of a sender of its own. */
const count = (member: Member, rows: number, day: string, sender: string): Promise<unknown> =>
  campaigns.dataSource.query(
    `INSERT INTO usage_counters (account_id, day, balance, channel, prefix, sender,
       charged_recipients, charged_credits, refunded_recipients, refunded_credits)
     SELECT ?, ?, 'gsm_credits', 'sms', '91', CONCAT(?, n), 1, 1, 0, 0 FROM ${numbersBelow(rows)} e`,
    [member.account.id, day, sender],
  );

const own = (member: Member, query: string): Promise<Answer> => campaigns.get(`/v6/api/account/usage?${query}`, member);
const ofStaff = (member: Member, query: string): Promise<Answer> =>
  campaigns.get(`/v6/api/admin/usage?account=${member.account.username}&${query}`, staff);
/** Lines of a file below its head. */
async function linesOf(member: Member, query: string): Promise<string[]> {
  const response = await fetch(`${campaigns.url}/v6/api/account/usage?format=csv&${query}`, {
    headers: { authorization: `Bearer ${member.token}` },
  });
  expect(response.status).toBe(200);
  return (await response.text()).trimEnd().split('\r\n').slice(1);
}

describe('usage by campaign', () => {
  let member: Member;

  beforeAll(async () => {
    member = await campaigns.join({});
    await debit(member, 1, EARLIER, 'voice_credits', "'EARLIER'");
    await debit(member, MOST_ENTRIES, LATER, 'gsm_credits', `CONCAT('C', LPAD(n DIV 2, 5, '0'))`);
  }, 120_000);

  it('is of 200,000 ledger entries, and no more', async () => {
    const row = { key: 'C00000', balance: 'gsm_credits', credits_charged: 2, credits_refunded: 0, credits_net: 2 };
    for (const ask of [own, ofStaff]) {
      const answer = await ask(member, `group=campaign&limit=2&${EXACTLY}`);
      expect(answer.body).toMatchObject({ total: 10_000, data: [row, { ...row, key: 'C00001' }] });
      for (const more of ['', '&format=csv'])
        expectRefused(await ask(member, `group=campaign&${ONE_MORE}${more}`), 400, TOO_MANY_ENTRIES);
    }
    // by what it is not the sum of ledger entries for
    expect((await own(member, `group=day&${ONE_MORE}`)).status).toBe(200);
  }, 120_000);

  it('is a file of 100,000 rows', async () => {
    const lines = await linesOf(member, `group=campaign&${EXACTLY}`);
    expect(lines).toHaveLength(MOST_ROWS);
    expect([lines[0], lines.at(-1)]).toEqual(['C00000,gsm_credits,0,0,2,0,2', 'C99999,gsm_credits,0,0,2,0,2']);
    // the same entries, one of them for a campaign more
    await campaigns.dataSource.query(
      "UPDATE credit_ledger SET request_id = 'MORE' WHERE account_id = ? AND request_id = 'C00000' LIMIT 1",
      [member.account.id],
    );
    expectRefused(await own(member, `group=campaign&format=csv&${EXACTLY}`), 400, TOO_MANY_ROWS);
    expect((await own(member, `group=campaign&limit=1&${EXACTLY}`)).status).toBe(200);
  }, 120_000);
});

describe('usage as a file', () => {
  it('has 100,000 rows, and no more', async () => {
    const member = await campaigns.join({});
    await count(member, 1, EARLIER, 'EARLIER');
    await count(member, MOST_ROWS, LATER, 'S');
    const lines = await linesOf(member, `group=sender&${EXACTLY}`);
    expect(lines).toHaveLength(MOST_ROWS);
    expect(lines[0]).toBe('S0,gsm_credits,1,0,1,0,1');
    for (const ask of [own, ofStaff]) {
      expectRefused(await ask(member, `group=sender&format=csv&${ONE_MORE}`), 400, TOO_MANY_ROWS);
      const page = await ask(member, `group=sender&limit=1&${ONE_MORE}`);
      expect(page.body).toMatchObject({ total: 10_000, data: [{ key: 'EARLIER0', credits_charged: 1 }] });
    }
    expect(await linesOf(member, `group=prefix&${ONE_MORE}`)).toEqual(['91,gsm_credits,100001,0,100001,0,100001']);
  }, 120_000);
});

describe('recipients_charged of a campaign', () => {
  const usageOf = async (member: Member, requestId: string): Promise<unknown> =>
    listOf(await own(member, 'group=campaign')).find(({ key }) => key === requestId);
  const row = (key: string, recipients: [number, number], credits: [number, number]) => ({
    key,
    balance: 'gsm_credits',
    recipients_charged: recipients[0],
    recipients_refunded: recipients[1],
    credits_charged: credits[0],
    credits_refunded: credits[1],
    credits_net: credits[0] - credits[1],
  });

  it('are all of the campaign, whatever each costs and gets back', async () => {
    const member = await campaigns.join(100);
    const contacts = ['919812345671', '919812345672', '447400123456'];
    await giveRatePlan(campaigns, member, [{ channel: 'sms', prefix: '44', credits_per_segment: 7 }]);
    const id = await campaigns.send(member, contacts);
    expect(await usageOf(member, id)).toEqual(row(id, [3, 0], [9, 0]));
    await campaigns.begin(id);
    await campaigns.settle(id, [3], RecipientStatus.Failed, 'No route', true);
    expect(await usageOf(member, id)).toEqual(row(id, [3, 1], [9, 7]));
    const other = await campaigns.send(member, contacts.slice(0, 2));
    expect(await usageOf(member, other)).toEqual(row(other, [2, 0], [2, 0]));
    expect(await linesOf(member, 'group=campaign')).toEqual(
      [`${id},gsm_credits,3,1,9,7,2`, `${other},gsm_credits,2,0,2,0,2`].sort(),
    );
    expect(listOf(await ofStaff(member, 'group=campaign'))).toHaveLength(2);
  });

  it('is none where it is gone', async () => {
    const member = await campaigns.join(100);
    const id = await campaigns.send(member, ['919812345671']);
    await campaigns.dataSource.query('DELETE FROM campaigns WHERE request_id = ?', [id]);
    expect(await usageOf(member, id)).toEqual(row(id, [0, 0], [1, 0]));
  });
});
