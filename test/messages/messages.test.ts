import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { dataOf, type Json } from '../support/campaigns.js';
import type { Member } from '../support/sms.js';
import { type Messages, NUMBER, openMessages, PATH, SESSION, SMS, TEMPLATE } from './support.js';

let messages: Messages;
let webhooks: Messages['webhooks'];
let upstream: Messages['upstream'];

beforeAll(async () => {
  messages = await openMessages();
  ({ webhooks, upstream } = messages);
});
afterAll(() => messages.stop());

const send: Messages['send'] = (...call) => messages.send(...call);
const accepted: Messages['accepted'] = (...call) => messages.accepted(...call);
const read: Messages['read'] = (...call) => messages.read(...call);
const chatting: Messages['chatting'] = (...call) => messages.chatting(...call);
const requestIdOf: Messages['requestIdOf'] = (...call) => messages.requestIdOf(...call);
const balanceOf = (member: Member): Promise<number> => webhooks.credits(member);

describe('an SMS as a message', () => {
  it('is charged, queued, found by its id, and settled like any recipient', async () => {
    const member = await webhooks.join(10);
    const message = await accepted(member, { ...SMS, client_ref: 'order-1', metadata: { order: 1 } });
    expect(message).toEqual({
      id: expect.stringMatching(/^out_[0-9]+_1$/) as string,
      status: 'queued',
      credits: 1,
      segments: 1,
      test: false,
    });
    expect(await balanceOf(member)).toBe(9);
    const shown = {
      ...{ id: message['id'], direction: 'outbound', channel: 'sms', type: 'text', from: null, to: NUMBER },
      ...{
        text: SMS.text,
        credits: 1,
        refunded_credits: 0,
        segments: 1,
        client_ref: 'order-1',
        metadata: { order: 1 },
      },
      ...{ error_code: null, error_message: null, scheduled_at: null },
    };
    expect(await read(member, message['id'])).toMatchObject({ ...shown, status: 'queued' });
    const requestId = await requestIdOf(member, message['id']);
    await webhooks.begin(requestId);
    await webhooks.settle(requestId, [1], RecipientStatus.Submitted);
    expect(await read(member, message['id'])).toMatchObject({ ...shown, status: 'sent' });
    await webhooks.settle(requestId, [1], RecipientStatus.Failed, 'Unknown subscriber');
    expect(await read(member, message['id'])).toMatchObject({ status: 'failed', error_message: 'Unknown subscriber' });
  });

  it('counts the parts over the air beside the credits, and refunds what never left', async () => {
    const member = await webhooks.join(10);
    const long = await accepted(member, { ...SMS, text: 'ü€'.repeat(200).slice(0, 200) });
    expect(long).toMatchObject({ credits: 2, segments: 2 });
    const requestId = await requestIdOf(member, long['id']);
    await webhooks.begin(requestId);
    await webhooks.settle(requestId, [1], RecipientStatus.Cancelled, null, true);
    expect(await read(member, long['id'])).toMatchObject({ status: 'cancelled', credits: 2, refunded_credits: 2 });
    expect(await balanceOf(member)).toBe(10);
  });

  it('is scheduled', async () => {
    const member = await webhooks.join(10);
    const message = await accepted(member, { ...SMS, schedule_time: '2035-01-31T09:30:00Z' });
    expect(message).toMatchObject({ status: 'scheduled' });
    expect(await read(member, message['id'])).toMatchObject({
      status: 'scheduled',
      scheduled_at: expect.stringMatching(/^2035-01-31T/) as string,
    });
  });

  it('reads national numbers by the country of the account', async () => {
    const member = await webhooks.join(10);
    await webhooks.alter(member, 'country_code', 'IN');
    const message = await accepted(member, { ...SMS, to: '098123 45678' });
    expect(await read(member, message['id'])).toMatchObject({ to: NUMBER });
  });

  it('has hints in its answer', async () => {
    const member = await webhooks.join(10);
    const answer = await send(member, { ...SMS, to: '+15550001111', route: 'nowhere' });
    expect(answer.status).toBe(202);
    const codes = (answer.body['warnings'] as Json[]).map(({ code, field }) => [code, field]);
    expect(codes).toEqual([
      ['number_looks_wrong', 'to'],
      ['unknown_route', 'route'],
    ]);
  });
});

describe('a template as a message', () => {
  it('is charged from the balance of its category, and knows nothing of the metadata when it leaves', async () => {
    const member = await chatting();
    const message = await accepted(member, { ...TEMPLATE, client_ref: 'a', metadata: { secret: 'mine' } });
    expect(message).toMatchObject({ status: 'queued', credits: 1, segments: 1 });
    expect(await read(member, message['id'])).toMatchObject({
      ...{ channel: 'template', type: 'template', text: 'order_ready', metadata: { secret: 'mine' } },
    });
    const [{ content }] = await webhooks.dataSource.query<[{ content: string }]>(
      'SELECT content FROM campaigns WHERE account_id = ?',
      [member.account.id],
    );
    expect(content).not.toContain('mine');
    expect(await accepted(member, { ...TEMPLATE, client_ref: 'a', metadata: { secret: 'mine' } })).toEqual(message);
  });
});

describe('a session message as a message', () => {
  it('leaves at once, free', async () => {
    const member = await chatting(NUMBER);
    const message = await accepted(member, { ...SESSION, metadata: { a: 1 } });
    expect(message).toEqual({
      id: expect.stringMatching(/^ses_[0-9]+$/) as string,
      ...{ status: 'sent', credits: 0, segments: 1, test: false },
    });
    expect(upstream.last.body).toMatchObject({ to: NUMBER, type: 'text', text: { body: SESSION.text } });
    expect(JSON.stringify(upstream.last.body)).not.toContain('metadata');
    expect(await read(member, message['id'])).toMatchObject({
      ...{ channel: 'session', type: 'text', text: SESSION.text, status: 'sent', metadata: { a: 1 } },
    });
  });

  it('takes any content, and a schedule', async () => {
    const member = await chatting(NUMBER);
    const image = { type: 'image', image: { link: 'https://example.com/a.jpg', caption: 'A picture' } };
    const sent = await accepted(member, { channel: 'session', to: NUMBER, content: image });
    expect(upstream.last.body).toMatchObject(image);
    expect(await read(member, sent['id'])).toMatchObject({ type: 'image', text: 'A picture' });
    const later = await accepted(member, { ...SESSION, schedule_time: '2035-01-31T09:30:00Z' });
    expect(later).toMatchObject({ status: 'scheduled' });
    expect(await read(member, later['id'])).toMatchObject({ status: 'scheduled' });
  });

  it('400 outside the window, and nothing leaves', async () => {
    const member = await chatting();
    const before = upstream.calls.length;
    expect((await send(member, SESSION)).body).toMatchObject({ message: 'Ticket Expired' });
    expect(upstream.calls.length).toBe(before);
  });
});

describe('faults of a message', () => {
  let member: Member;
  beforeAll(async () => {
    member = await chatting(NUMBER);
  });

  const rows: [string, unknown, string][] = [
    ['no channel', { to: NUMBER, text: 'x' }, 'channel must be one of: sms, template, session'],
    ['voice', { ...SMS, channel: 'voice' }, 'channel must be one of: sms, template, session'],
    ['no to', { ...SMS, to: undefined }, 'to is missing'],
    ['letters in to', { ...SMS, to: 'call 9812345678 now' }, 'to has letters'],
    ['a decimal of a spreadsheet', { ...SMS, to: '919812345678.0' }, 'to looks like a decimal of a spreadsheet'],
    ['several numbers', { ...SMS, to: [NUMBER] }, 'to is neither a text nor a whole number'],
    ['no text', { ...SMS, text: ' ' }, 'text is required'],
    ['a text that is none', { ...SMS, text: {} }, 'text is invalid'],
    ['a long text', { ...SMS, text: 'a'.repeat(613) }, 'Message is too long'],
    ['content of another channel', { ...SMS, content: {} }, 'content does not go with channel sms'],
    ['a sender of another channel', { ...TEMPLATE, sender_id: 'ACME' }, 'sender_id does not go with channel template'],
    ['an unknown sender', { ...SMS, sender_id: 'ACME' }, 'sender_id is not approved'],
    ['a route that is no text', { ...SMS, route: {} }, 'route is invalid'],
    ['validity', { ...SMS, validity_s: 1 }, 'validity_s must be a whole number from 60 to 259200'],
    ['a dlt id', { ...SMS, dlt_template_id: 'x' }, 'dlt_template_id must be 1 to 30 digits'],
    ['no template', { ...TEMPLATE, template: undefined }, 'template must be an object'],
    ['an unknown template', { ...TEMPLATE, template: 'none' }, 'Template not found'],
    ['neither text nor content', { ...SESSION, text: undefined }, 'Exactly one of text, content is required'],
    ['both', { ...SESSION, content: { type: 'text' } }, 'Exactly one of text, content is required'],
    ['content that is no object', { ...SESSION, text: undefined, content: 'x' }, 'content is invalid'],
    ['content without type', { ...SESSION, text: undefined, content: {} }, 'type is required'],
    [
      'a template in content',
      { ...SESSION, text: undefined, content: { type: 'template', template: {} } },
      'content.type must be one of: text, image, audio, video, document, sticker, location, contacts, interactive, reaction',
    ],
    [
      'an image without source',
      { ...SESSION, text: undefined, content: { type: 'image', image: {} } },
      'image.id or image.link is required',
    ],
    ['a schedule', { ...SMS, schedule_time: 'tomorrow' }, 'schedule_time is invalid'],
    ['a past schedule', { ...SMS, schedule_time: '2020-01-01 00:00:00' }, 'schedule_time is invalid'],
    [
      'a long ref',
      { ...SMS, client_ref: 'x'.repeat(65) },
      'client_ref must have 1 to 64 characters, without control characters',
    ],
    [
      'a ref with a line break',
      { ...SMS, client_ref: 'a\nb' },
      'client_ref must have 1 to 64 characters, without control characters',
    ],
    ['metadata that is a list', { ...SMS, metadata: [1] }, 'metadata must be an object'],
    [
      'metadata with a rounded number',
      '{"channel":"sms","to":"+919812345678","text":"x","metadata":{"a":[12345678901234567890]}}',
      'metadata has a number that JSON rounds',
    ],
    ['large metadata', { ...SMS, metadata: { a: 'x'.repeat(1_017) } }, 'metadata must be at most 1 KB'],
  ];
  it.each(rows)('400 %s', async (_name, body, message) => {
    const before = await balanceOf(member);
    const answer = await send(member, body);
    expect(answer.body['message']).toBe(message);
    expect(answer.status).toBe(message === 'Template not found' ? 404 : 400);
    expect(await balanceOf(member)).toBe(before);
  });

  it('takes the longest ref and the largest metadata', async () => {
    const metadata = { a: 'ü'.repeat(508) };
    expect(Buffer.byteLength(JSON.stringify(metadata))).toBe(1_024);
    await accepted(member, { ...SMS, client_ref: 'x'.repeat(64), metadata });
  });

  it('422 for an Idempotency-Key of another message', async () => {
    const key = { 'idempotency-key': 'mine' };
    expect((await send(member, SMS, key)).status).toBe(202);
    expect((await send(member, { ...SMS, text: 'Other' }, key)).status).toBe(422);
  });

  it('502 with the words of the provider, and free to be sent again under its client_ref', async () => {
    const body = { ...SESSION, client_ref: 'refused' };
    upstream.answer({ status: 400, body: { error: { message: 'Not allowed', code: 131_030 } } });
    expect(await send(member, body)).toMatchObject({ status: 502, body: { message: 'Not allowed' } });
    upstream.answer('silence');
    const silent = await send(member, body);
    expect(silent).toMatchObject({ status: 502, body: { message: 'Provider did not answer' } });
    upstream.answer(null);
    const [, id] = /^The message (ses_\d+) may have left: /.exec(String(silent.body['hint'])) ?? [];
    const kept = dataOf(await webhooks.get(`${PATH}/${String(id)}`, member));
    expect(kept).toMatchObject({ id, client_ref: 'refused', channel: 'session', direction: 'outbound' });
    // it may have left: it is not sent a second time, and the answer is the same again
    const sent = upstream.calls.length;
    const again = await send(member, { ...body });
    expect([again.status, again.body]).toEqual([502, silent.body]);
    expect((await send(member, { ...body, text: 'Other' })).body).toMatchObject({ code: 'client_ref_taken' });
    expect(upstream.calls).toHaveLength(sent);
  });

  it('401 without a token; 404 without a chat account; 400 without credits', async () => {
    expect((await webhooks.post(PATH, null, SMS)).status).toBe(401);
    const poor = await webhooks.join(0);
    expect((await send(poor, SMS)).body['message']).toMatch(/^Insufficient credits/);
    expect((await send(poor, SESSION)).status).toBe(404);
  });
});

describe('client_ref', () => {
  it('sends once, whatever comes again, also at the same moment', async () => {
    const member = await webhooks.join(10);
    const body = { ...SMS, client_ref: 'order-7' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(member, body)));
    const taken = answers.filter(({ status }) => status === 202).map(dataOf);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(1);
    for (const { status, body: said } of answers.filter(({ status }) => status !== 202)) {
      expect([status, said['message']]).toEqual([409, 'A message with this client_ref is still being accepted']);
    }
    expect(await accepted(member, body)).toEqual(taken[0]);
    expect(await balanceOf(member)).toBe(9);
    expect(await send(member, { ...body, text: 'Other' })).toMatchObject({
      status: 409,
      body: { message: 'client_ref was used with another message', code: 'client_ref_taken', field: 'client_ref' },
    });
    const other = await webhooks.join(10);
    expect((await accepted(other, body))['id']).not.toBe(taken[0]?.['id']);
  });

  it('is one for all channels', async () => {
    const member = await chatting(NUMBER);
    const bodies = [SMS, SESSION, TEMPLATE].map((body) => ({ ...body, client_ref: 'of-all' }));
    const answers = await Promise.all(bodies.map((body) => send(member, body)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
  });

  it('is kept for 48 hours, an Idempotency-Key for 24', async () => {
    const member = await webhooks.join(10);
    const body = { ...SMS, client_ref: 'order-8' };
    const first = await accepted(member, body);
    const keyed = dataOf(await send(member, SMS, { 'idempotency-key': 'k' }));
    const age = (hours: number): Promise<unknown> =>
      webhooks.dataSource.query(
        'UPDATE idempotency_keys SET created_at = UTC_TIMESTAMP(3) - INTERVAL ? HOUR WHERE account_id = ?',
        [hours, member.account.id],
      );
    await age(47);
    expect(await accepted(member, body)).toEqual(first);
    expect(dataOf(await send(member, SMS, { 'idempotency-key': 'k' }))['id']).not.toBe(keyed['id']);
    await age(49);
    expect((await accepted(member, body))['id']).not.toBe(first['id']);
  });
});

describe('events of a message', () => {
  it('carry its id, client_ref and metadata; those of campaigns do not', async () => {
    const member = await webhooks.join(10);
    await webhooks.hook(member, ['gsm.status.update', 'campaign.completed']);
    const message = await accepted(member, { ...SMS, client_ref: 'order-9', metadata: { order: 9 } });
    const requestId = await requestIdOf(member, message['id']);
    await webhooks.begin(requestId);
    await webhooks.settle(requestId, [1], RecipientStatus.Submitted);
    await webhooks.settle(requestId, [1], RecipientStatus.Delivered);
    const plain = await webhooks.sent(member);
    const said = { message_id: message['id'], client_ref: 'order-9', metadata: { order: 9 } };
    const events = await webhooks.recorded(member);
    const of = (id: unknown): Json[] =>
      events.filter((event) => event['request_id'] === id || event['providerMessageId'] === id);
    const own = of(requestId);
    expect(own.map(({ event, status }) => [event, status])).toEqual([
      ['gsm.status.update', 'SENT'],
      ['gsm.status.update', 'DELIVERED'],
      ['campaign.completed', undefined],
    ]);
    for (const event of own) expect(event).toMatchObject(said);
    const other = of(plain);
    expect(other.length).toBeGreaterThan(0);
    for (const event of other) expect(Object.keys(event)).not.toContain('message_id');
  });

  it('of a session message too', async () => {
    const member = await chatting(NUMBER);
    await webhooks.hook(member, ['chat.status.update']);
    const message = await accepted(member, { ...SESSION, client_ref: 's', metadata: { a: 1 } });
    const events = await webhooks.recorded(member);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ status: 'SENT', message_id: message['id'], client_ref: 's', metadata: { a: 1 } });
  });
});
