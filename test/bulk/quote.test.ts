import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bulk, openBulk } from '../support/bulk.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { giveRatePlan, type RateRow } from '../support/rate-plan.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const NUMBER = '919812345678';
const SMS = { channel: 'sms', broadcast_name: 'Codes', message: 'Hi {{name|there}}, {{code}}' };
const named = (to: unknown, name: string, code?: string): Json => ({
  to,
  variables: { name, ...(code !== undefined && { code }) },
});

let bulk: Bulk;
let member: Member;

beforeAll(async () => {
  bulk = await openBulk();
  await bulk.addRoute('chat', true, 'unofficial');
  member = await bulk.join({ gsm_credits: 1_000_000, bulk_chat_credits: 100_000, chat_marketing_credits: 100_000 });
  await bulk.connect(member, 'official');
  await bulk.template(member, 'order', { body: 'Hi {{1}}' });
});
afterAll(() => bulk.stop());

/** A member that pays by a rate plan. */
async function onPlan(rates: RateRow[]): Promise<Member> {
  const planned = await bulk.join({ gsm_credits: 1_000_000, bulk_chat_credits: 100_000 });
  await giveRatePlan(bulk, planned, rates);
  return planned;
}

describe('a quote of a personalised send', () => {
  it('answers exactly the fields of reference/bulk#quote, and leaves nothing behind', async () => {
    const recipients = [
      named(NUMBER, 'Asha', 'A1'),
      named(`+${NUMBER}`, 'я'.repeat(70), 'x'),
      named('919812345679', 'Bo'),
      named('12', 'Bo', 'x'),
      named('919812345670', 'x'.repeat(700), 'x'),
    ];
    const before = await bulk.credits(member);
    const answer = await bulk.quote(member, { ...SMS, recipients });
    expect(answer.body).toEqual({
      success: true,
      data: {
        channel: 'sms',
        recipients: 2,
        credits: 3,
        total_credits: 3,
        balance: 'gsm_credits',
        available: before,
        segments_histogram: [
          { segments: 1, recipients: 1, credits: 1 },
          { segments: 2, recipients: 1, credits: 2 },
        ],
        preview: [
          {
            row: 1,
            to: NUMBER,
            country: 'IN',
            type: 'mobile',
            text: 'Hi Asha, A1',
            variables: { name: 'Asha', code: 'A1' },
            segments: 1,
            credits: 1,
          },
          {
            row: 2,
            to: NUMBER,
            country: 'IN',
            type: 'mobile',
            text: `Hi ${'я'.repeat(70)}, x`,
            variables: { name: 'я'.repeat(70), code: 'x' },
            segments: 2,
            credits: 2,
          },
        ],
        placeholders: ['name', 'code'],
        missing: [
          {
            row: 3,
            value: '919812345679',
            reason: 'variables_missing',
            message: 'no value for code',
            missing: ['code'],
          },
        ],
        invalid: [
          { row: 4, value: '12', reason: 'number_invalid', message: 'number has fewer than 8 digits' },
          { row: 5, value: '919812345670', reason: 'message_too_long', message: 'Message is too long' },
        ],
        refused: 3,
        duplicates: [NUMBER],
        duplicates_count: 1,
        warned: 0,
      },
    });
    expect(answer.status).toBe(200);
    expect(await bulk.credits(member)).toBe(before);
    expect(await bulk.dataSource.query('SELECT 1 FROM campaigns WHERE account_id = ?', [member.account.id])).toEqual(
      [],
    );
  });

  it('shows ten recipients at the most, those of templates by their values', async () => {
    const recipients = Array.from({ length: 12 }, (_, index) => ({
      to: `9198123456${index + 10}`,
      variables: { '1': `Name ${index}` },
    }));
    const body = { channel: 'template', broadcast_name: 'Orders', template: 'order', recipients };
    const preview = dataOf(await bulk.quote(member, body))['preview'] as Json[];
    expect(preview).toHaveLength(10);
    expect(preview[9]).toEqual({
      row: 10,
      to: '919812345619',
      country: 'IN',
      type: 'mobile',
      text: '',
      variables: { '1': 'Name 9' },
      segments: 1,
      credits: 1,
    });
  });

  it('refuses the templates that a send would refuse', async () => {
    await bulk.template(member, 'pending', { status: 3 });
    const quoted = (template: unknown): Promise<Answer> =>
      bulk.quote(member, { channel: 'template', broadcast_name: 'Codes', template, contacts: [NUMBER] });
    expectRefused(await quoted('none'), 404, 'Template not found');
    expectRefused(await quoted('pending'), 409, 'Template is pending platform approval');
    const other = { name: 'order', language: { code: 'en' } };
    expectRefused(await quoted(other), 422, 'Template language does not match the approved template');
  });

  it('is bounded, whatever is wrong', async () => {
    const many = (entry: unknown): unknown[] => Array.from({ length: 300 }, () => entry);
    const data = dataOf(await bulk.quote(member, { ...SMS, recipients: many({ to: NUMBER }) }));
    expect(data).toMatchObject({ recipients: 0, total_credits: 0, refused: 300, segments_histogram: [] });
    expect((data['missing'] as unknown[]).length).toBe(100);
    const bad = dataOf(await bulk.quote(member, { ...SMS, recipients: many(named('1', 'x')) }));
    expect(bad).toMatchObject({ recipients: 0, refused: 300, missing: [] });
    expect((bad['invalid'] as unknown[]).length).toBe(100);
  });

  it('of chat is 1 a recipient, from the balance that pays', async () => {
    const recipients = [named(NUMBER, 'Asha', 'x')];
    expect(dataOf(await bulk.quote(member, { ...SMS, channel: 'unofficial', recipients }))).toMatchObject({
      total_credits: 1,
      balance: 'bulk_chat_credits',
      segments_histogram: [{ segments: 1, recipients: 1, credits: 1 }],
    });
    const template = { channel: 'template', broadcast_name: 'Orders', template: 'order' };
    const filled = [{ to: NUMBER, variables: { 1: 'Asha' } }, { to: NUMBER }];
    expect(dataOf(await bulk.quote(member, { ...template, recipients: filled }))).toMatchObject({
      total_credits: 1,
      balance: 'chat_marketing_credits',
      placeholders: ['1'],
      missing: [{ row: 2, missing: ['1'] }],
    });
  });

  it('answers what is not about single recipients as the send does', async () => {
    expectRefused(await bulk.quote(null, SMS), 401, 'Invalid Authorization token');
    expectRefused(
      await bulk.quote(member, SMS),
      400,
      'Exactly one of recipients, contacts, upload_id, list_id is required',
    );
    const unclosed = { ...SMS, message: 'Hi {{name', contacts: [NUMBER] };
    expectRefused(await bulk.quote(member, unclosed), 400, 'message has no valid placeholder at character 4');
    expectRefused(
      await bulk.quote(member, { channel: 'template', broadcast_name: 'x', template: 'none', contacts: [NUMBER] }),
      404,
      'Template not found',
    );
    const today = { channel: 'sms', message: 'Hi {{name', contacts: [NUMBER] };
    expect(dataOf(await bulk.quote(member, today))).toMatchObject({ length: 11, total_credits: 1 });
  });

  it('is what the send charges, to the credit, whatever the body', async () => {
    const part = fc.constantFrom('{{a}}', '{{b|x}}', '{{c|}}', '\\{{a}}', 'я', '€', 'hello ', '😀', '{{a|default}}');
    const value = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.integer(),
      fc.boolean(),
      fc.constantFrom('', 'я'.repeat(90)),
    );
    const entry = fc.record({
      to: fc.constantFrom(NUMBER, '919812345679', '14155550100', '4915112345678'),
      variables: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value),
    });
    const body = fc.record({
      channel: fc.constantFrom('sms', 'unofficial'),
      broadcast_name: fc.constant('Any'),
      message: fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
      recipients: fc.array(entry, { minLength: 1, maxLength: 20 }),
    });
    const planned = await onPlan([
      { channel: 'sms', prefix: '91', credits_per_segment: 3 },
      { channel: 'sms', prefix: '9198123456', credits_per_segment: 7 },
      { channel: 'sms', prefix: '1', credits_per_segment: 0 },
      { channel: 'unofficial', prefix: '', credits_per_segment: 2 },
    ]);
    let charged = 0;
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async (any, hasPlan) => {
        const who = hasPlan ? planned : member;
        const quote = await bulk.quote(who, any);
        const sent = await bulk.bulk(who, any);
        if (quote.status !== 200) {
          expect([sent.status, sent.body['message']]).toEqual([quote.status, quote.body['message']]);
          return;
        }
        const data = dataOf(quote);
        if (data['refused'] !== 0) {
          expect(sent.status).toBe(400);
          return;
        }
        charged += 1;
        expect(sent.body).toMatchObject({
          data: { credits: data['total_credits'], recipients: data['recipients'], balance: data['balance'] },
        });
        const shares = data['segments_histogram'] as Record<'recipients' | 'credits', number>[];
        expect(shares.reduce((sum, { credits }) => sum + credits, 0)).toBe(data['total_credits']);
        expect(shares.reduce((sum, { recipients }) => sum + recipients, 0)).toBe(any.recipients.length);
      }),
      { numRuns: 60 },
    );
    expect(charged).toBeGreaterThan(5);
  }, 120_000);
});
