import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bulk, openBulk } from '../support/bulk.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { expectRefused, type Member } from '../support/sms.js';

const MOST = 100_000;
const LONGEST_CATEGORY = 'otp_'.repeat(8);
const SEND = { channel: 'sms', broadcast_name: 'Codes', message: 'Hello', schedule_time: '2099-01-01T00:00:00Z' };

/** What is accepted is what stands just within the limits. */
describe('a personalised send takes as much as the limits say', () => {
  let bulk: Bulk;
  let member: Member;

  beforeAll(async () => {
    bulk = await openBulk();
    member = await bulk.join({ gsm_credits: 2 * MOST + 10, bulk_chat_credits: 10 });
    await bulk.addRoute('chat', true, 'unofficial');
  });
  afterAll(() => bulk.stop());

  const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(919_812_000_000 + at));
  const find = async (sent: Json): Promise<Json> =>
    dataOf(await bulk.get(`/v6/api/campaigns/${String(sent['request_id'])}`, member));

  it('100,000 contacts', async () => {
    const contacts = numbers(MOST);
    const before = Number(await bulk.credits(member));
    const sent = await bulk.accepted(member, { ...SEND, contacts });
    expect(sent).toMatchObject({ recipients: MOST, credits: MOST, duplicates_count: 0 });
    expect(await find(sent)).toMatchObject({ total_rows: MOST, credits: MOST, status_counts: { PP1: MOST } });
    expect(await bulk.credits(member)).toBe(before - MOST);
    const over = await bulk.bulk(member, { ...SEND, contacts: numbers(MOST + 1) });
    expectRefused(over, 400, 'contacts cannot exceed 100,000');
    // numbers that come again count too
    const twice = await bulk.accepted(member, { ...SEND, contacts: [...contacts.slice(1), contacts.at(-1)] });
    expect(twice).toMatchObject({ recipients: MOST, credits: MOST, duplicates_count: 1 });
    expect(await bulk.credits(member)).toBe(before - 2 * MOST);
  }, 120_000);

  it.each([
    ['sms', 'default'],
    ['unofficial', 'chat'],
  ])('a category of 32 characters on %s', async (channel, route) => {
    const body = { ...SEND, channel, route, contacts: numbers(1) };
    expect(LONGEST_CATEGORY).toHaveLength(32);
    const sent = await bulk.accepted(member, { ...body, category: LONGEST_CATEGORY });
    expect(await find(sent)).toMatchObject({ category: LONGEST_CATEGORY });
    const over = await bulk.bulk(member, { ...body, category: `${LONGEST_CATEGORY}x` });
    expectRefused(over, 400, 'category is invalid');
  });
});
