import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bulk, openBulk } from '../support/bulk.js';
import { dataOf, type Json } from '../support/campaigns.js';
import type { Member } from '../support/sms.js';

const [ONE, TWO, THREE] = ['919812345671', '919812345672', '919812345673'] as const;
const CHANNELS = {
  /** unicode: 331 characters at the most */
  sms: { balance: 'gsm_credits', fallback: 'ж'.repeat(400) },
  unofficial: { balance: 'bulk_chat_credits', fallback: 'x'.repeat(1_600) },
} as const;
type Name = keyof typeof CHANNELS;
const NAMES = Object.keys(CHANNELS) as Name[];
const DOORS = ['recipients', 'upload_id', 'list_id'] as const;
type Door = (typeof DOORS)[number];

let bulk: Bulk;
let member: Member;
beforeAll(async () => {
  bulk = await openBulk();
  await bulk.addRoute('chat', true, 'unofficial');
  member = await bulk.join({ gsm_credits: 1_000, bulk_chat_credits: 1_000 });
});
afterAll(() => bulk.stop());

interface Row {
  to: string;
  d?: string;
}

/** The recipients through one of the doors of a send. */
async function through(door: Door, rows: readonly Row[]): Promise<Json> {
  const members = rows.map(({ to, d }) => ({ to, ...(d !== undefined && { variables: { d } }) }));
  if (door === 'recipients') return { recipients: members };
  if (door === 'list_id') {
    const { list_id } = dataOf(await bulk.post('/v6/api/lists', member, { name: 'Customers' }));
    expect((await bulk.post(`/v6/api/lists/${String(list_id)}/members`, member, { members })).status).toBe(200);
    return { list_id };
  }
  const csv = ['to,d', ...rows.map(({ to, d = '' }) => `${to},${d}`)].join('\n');
  const { upload_id } = dataOf(await bulk.post('/v6/api/uploads', member, csv, { 'content-type': 'text/csv' }));
  return { upload_id };
}

const bodyOf = (channel: Name): Json => ({
  channel,
  broadcast_name: 'Defaults',
  message: `Hi {{d|${CHANNELS[channel].fallback}}}`,
});
const CASES = NAMES.flatMap((channel) => DOORS.map((door) => [channel, door] as const));

describe('a default that is too long', () => {
  it.each(CASES)('%s by %s: is in nobody’s way who gives a value', async (channel, door) => {
    const rows = [ONE, TWO, THREE].map((to) => ({ to, d: 'Asha' }));
    const body = { ...bodyOf(channel), ...(await through(door, rows)) };
    const quoted = dataOf(await bulk.quote(member, body));
    expect(quoted).toMatchObject({ recipients: 3, credits: 3, refused: 0, balance: CHANNELS[channel].balance });
    expect((quoted['preview'] as Json[]).map(({ text, credits }) => [text, credits])).toEqual(
      rows.map(() => ['Hi Asha', 1]),
    );
    expect(await bulk.accepted(member, body)).toMatchObject({ recipients: 3, credits: 3 });
  });

  it.each(CASES)('%s by %s: refuses the one row that has no value', async (channel, door) => {
    const rows: Row[] = [{ to: ONE, d: 'Asha' }, { to: TWO }, { to: THREE, d: 'Ravi' }];
    const body = { ...bodyOf(channel), ...(await through(door, rows)) };
    const fault = {
      row: expect.any(Number) as number,
      value: TWO,
      reason: 'message_too_long',
      message: 'Message is too long',
    };
    expect(dataOf(await bulk.quote(member, body))).toMatchObject({ recipients: 2, refused: 1, invalid: [fault] });
    const refused = await bulk.bulk(member, body);
    expect(refused.body).toMatchObject({ statusCode: 400, message: 'Message is too long', errors: [fault] });
  });

  it('sms: a longer default costs more only for the row that reads it', async () => {
    const message = `Hi {{d|${'x'.repeat(200)}}}`;
    const body = { ...bodyOf('sms'), message, recipients: [{ to: ONE, variables: { d: 'A' } }, { to: TWO }] };
    expect(dataOf(await bulk.quote(member, body))).toMatchObject({ credits: 3, refused: 0 });
    expect(await bulk.accepted(member, body)).toMatchObject({ credits: 3 });
  });

  it.each(NAMES)('%s: a text that is too long around its placeholders is refused as a whole', async (channel) => {
    const message = `${CHANNELS[channel].fallback} {{d|x}}`;
    const refused = await bulk.bulk(member, {
      ...bodyOf(channel),
      message,
      recipients: [{ to: ONE, variables: { d: 'A' } }],
    });
    expect(refused.body).toMatchObject({ statusCode: 400, message: 'Message is too long' });
    expect(refused.body).not.toHaveProperty('errors');
  });
});
