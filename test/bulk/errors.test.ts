import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bulk, openBulk } from '../support/bulk.js';
import type { Json } from '../support/campaigns.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const NUMBER = '919812345678';
const ONE_FIELD = 'Exactly one of recipients, contacts, upload_id, list_id is required';
const ROWS = 'Some recipients are invalid';
const MISSING = 'Some recipients have no value for a placeholder';
const TOO_LONG = 'Message is too long';
const GOOD = { channel: 'sms', broadcast_name: 'Codes', message: 'Hi {{name}}', recipients: [recipient('Asha')] };
const CHAT = { channel: 'unofficial', broadcast_name: 'Codes', message: 'Hi', contacts: [NUMBER] };
const TEMPLATE = { channel: 'template', broadcast_name: 'Codes', template: 'order', recipients: [recipient('x')] };

function recipient(name: unknown, to: unknown = NUMBER): Json {
  return { to, variables: { name } };
}

let bulk: Bulk;
let member: Member;

beforeAll(async () => {
  bulk = await openBulk();
  await bulk.addRoute('chat', true, 'unofficial');
  member = await bulk.join({ gsm_credits: 200_000, bulk_chat_credits: 100, chat_marketing_credits: 100 });
  await bulk.template(member, 'order', { body: 'Hi {{1}}' });
  await bulk.template(member, 'media', { headerAreaType: 'media', headerMediaType: 'Image' });
  await bulk.template(member, 'pending', { status: 3 });
});
afterAll(() => bulk.stop());

const send = (change: Json, base: Json = GOOD): Promise<Answer> => bulk.bulk(member, { ...base, ...change });
const rowsOf = (answer: Answer): unknown => answer.body['errors'];
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('the error table of personalised sends, from top to bottom', () => {
  it('405, 401, malformed JSON once the token is known', async () => {
    expectRefused(await bulk.request('/v6/api/campaigns', { method: 'PUT' }), 405, 'Method not allowed');
    expectRefused(await bulk.bulk(null, GOOD), 401, 'Invalid Authorization token');
    expectRefused(await bulk.bulk(null, '{'), 401, 'Invalid Authorization token');
    expectRefused(await bulk.bulk(member, '{'), 400, 'Malformed JSON body');
  });

  it('415 for a charset that JSON cannot have, however it is written', async () => {
    const unsupported = 'Unsupported charset or encoding';
    for (const charset of ['iso-8859-1', '"latin1"', ' klingon']) {
      const type = { 'content-type': `application/json; charset=${charset}` };
      expectRefused(await bulk.bulk(member, '{}', type), 415, unsupported);
    }
    for (const charset of ['utf-8', '"UTF-8"', ' utf-8', '"utf-8"; x=1']) {
      const type = { 'content-type': `application/json; charset=${charset}` };
      expectRefused(await bulk.bulk(member, '{', type), 400, 'Malformed JSON body');
    }
  });

  it('a body is read by its charset, with and without a byte order mark', async () => {
    const body = JSON.stringify({ ...GOOD, broadcast_name: '' });
    for (const [charset, bytes] of [
      ['utf-8', Buffer.from(`\ufeff${body}`)],
      ['"UTF-8"', Buffer.from(body)],
      ['utf-16le', Buffer.from(body, 'utf16le')],
      ['utf-16', Buffer.from(`\ufeff${body}`, 'utf16le')],
    ] as const) {
      const headers = {
        'content-type': `application/json; charset=${charset}`,
        authorization: `Bearer ${member.token}`,
      };
      const answer = await bulk.request('/v6/api/campaigns', { method: 'POST', body: bytes, headers });
      expectRefused(answer, 400, 'broadcast_name is required');
    }
  });

  it('a long list is refused as a short one is', async () => {
    const others = many(3_000, (index) => recipient(`Person ${index}`, String(919_000_000_000 + index)));
    for (const [row, to, message] of [
      [{ to: '12', variables: {} }, '12', 'number has fewer than 8 digits'],
      [recipient({ a: 1 }), NUMBER, 'name must be a text, a number, true or false'],
      [[NUMBER], undefined, 'recipient must be an object'],
    ] as const) {
      const answer = await send({ recipients: [...others, row] });
      expectRefused(answer, 400, ROWS);
      expect(rowsOf(answer)).toMatchObject([{ row: 3_001, ...(to !== undefined && { value: to }), message }]);
    }
    const deep = JSON.stringify({ ...GOOD, recipients: others }).replace('"Person 7"', `${'['.repeat(40)}${']'.repeat(40)}`); // prettier-ignore
    expectRefused(await bulk.bulk(member, deep), 400, 'Malformed JSON body');
    const cut = JSON.stringify({ ...GOOD, recipients: others }).replace('"Person 7"', '"Person 7');
    expectRefused(await bulk.bulk(member, cut), 400, 'Malformed JSON body');
    const most = many(100_001, () => 0);
    expectRefused(await send({ recipients: most }), 400, 'recipients cannot exceed 100,000');
  });

  it.each([undefined, null, '', 'voice', 'SMS', 1, {}])('channel %j', async (channel) => {
    expectRefused(await send({ channel }), 400, 'channel must be one of: sms, unofficial, template, branded');
  });

  it.each([
    ['template', 'x', GOOD],
    ['img1', 'https://f.example/1.jpg', GOOD],
    ['media_with_caption', false, GOOD],
    ['sender_id', 'ACME', CHAT],
    ['dlt_template_id', '1', CHAT],
    ['validity_s', 60, CHAT],
    ['message', 'x', TEMPLATE],
    ['route', 'x', TEMPLATE],
    ['category', 'otp', TEMPLATE],
  ])('%s of another channel', async (field, value, base) => {
    const text = `${field} does not go with channel ${String(base.channel)}`;
    expectRefused(await send({ [field]: value }, base), 400, text);
  });

  it.each([undefined, null, '', ' ', true, {}, []])('broadcast_name %j', async (broadcast_name) => {
    expectRefused(await send({ broadcast_name }), 400, 'broadcast_name is required');
  });

  it('exactly one of the fields of recipients', async () => {
    expectRefused(await send({ recipients: undefined }), 400, ONE_FIELD);
    expectRefused(await send({ recipients: null, contacts: '' }), 400, ONE_FIELD);
    for (const more of [{ contacts: [NUMBER] }, { upload_id: 1 }, { list_id: 1 }])
      expectRefused(await send(more), 400, ONE_FIELD);
  });

  it.each([undefined, null, '', ' ', true, {}, []])('message %j', async (message) => {
    expectRefused(await send({ message }), 400, 'message is required');
  });

  it('message: its length and its placeholders', async () => {
    expectRefused(await send({ message: 'x'.repeat(5_001) }), 400, 'message must be at most 5000 characters');
    const long = await send({ message: `{{name|${'x'.repeat(4_991)}}}`, recipients: [{ to: NUMBER }] });
    expectRefused(long, 400, TOO_LONG);
    expectRefused(await send({ message: `{{name|x}}${'x'.repeat(4_990)}` }), 400, TOO_LONG);
    for (const message of ['Hi {{name', 'Hi {{first name}}', 'Hi {{}}', 'Hi {{{name}}}'])
      expectRefused(await send({ message }), 400, 'message has no valid placeholder at character 4');
    expectRefused(await send({ message: '{{name}}'.repeat(51) }), 400, 'message must have at most 50 placeholders');
    expect((await send({ message: '{{name}}'.repeat(50) })).status).toBe(202);
  });

  it.each([
    [{ template: 7 }, 400, 'template must be an object'],
    [{ template: {} }, 400, 'template.name is required'],
    [{ template: { name: 'order', language: { code: 'xx' } } }, 400, 'template.language.code is required'],
    [{ template: { name: 'order', components: 'x' } }, 400, 'template.components must be an array'],
    [
      { template: { name: 'order', components: [{ a: 'x'.repeat(65_536) }] } },
      400,
      'template.components must be at most 64 KB',
    ],
    [{ template: 'none' }, 404, 'Template not found'],
    [{ template: 'pending' }, 409, 'Template is pending platform approval'],
    [
      { template: { name: 'order', language: { code: 'en' } } },
      422,
      'Template language does not match the approved template',
    ],
    [
      { template: { name: 'order', components: [{ type: 'body', parameters: [] }] } },
      422,
      'Template body parameter count does not match the approved template',
    ],
    [{ template: 'media' }, 422, 'Template header parameter count does not match the approved template'],
    [
      { template: { name: 'order', components: [{ type: 'body', parameters: [{ type: 'text', text: '{{!}}' }] }] } },
      400,
      'template.components has no valid placeholder at character 1',
    ],
    [
      { template: 'order', recipients: [{ to: NUMBER, variables: { 1: 'x' } }] },
      404,
      'No chat account found for this username',
    ],
  ])('template %j', async (change, status, text) => {
    expectRefused(await send(change, TEMPLATE), status, text);
    if (status !== 422) return;
    const body = { ...TEMPLATE, ...change, skip_invalid: true };
    expectRefused(await bulk.post('/v6/api/campaigns/skipped.csv', member, body), status, text);
  });

  it('attachments, route, category, sender options, schedule_time', async () => {
    for (const field of ['img1', 'img2', 'document'])
      expectRefused(await send({ [field]: 'x' }, CHAT), 400, `${field} must be a valid URL`);
    for (const value of [true, {}, []]) expectRefused(await send({ route: value }), 400, 'route is invalid');
    for (const value of [true, 'Otp', 'a b', 'x'.repeat(33)])
      expectRefused(await send({ category: value }), 400, 'category is invalid');
    expectRefused(await send({ dlt_template_id: 'x' }), 400, 'dlt_template_id must be 1 to 30 digits');
    expectRefused(await send({ validity_s: 59 }), 400, 'validity_s must be a whole number from 60 to 259200');
    expectRefused(await send({ sender_id: 'NOBODY' }), 400, 'sender_id is not approved');
    for (const schedule_time of ['x', '2001-01-01 00:00:00', true])
      expectRefused(await send({ schedule_time }), 400, 'schedule_time is invalid');
  });

  it('lists: their kind, ids', async () => {
    for (const value of ['x', 7, true, {}, []]) {
      expectRefused(await send({ recipients: value }), 400, 'recipients must be a non-empty array');
      expectRefused(await send({ recipients: undefined, contacts: value }), 400, 'contacts must be a non-empty array');
    }
    for (const field of ['upload_id', 'list_id']) {
      for (const value of ['x', -1, 0, 1.5, true, {}, []])
        expectRefused(await send({ recipients: undefined, [field]: value }), 400, `${field} is invalid`);
    }
    expectRefused(await send({ recipients: undefined, upload_id: 4711 }), 404, 'Upload not found');
    expectRefused(await send({ recipients: undefined, list_id: '4711' }), 404, 'List not found');
  });

  it('rows: numbers and variables, the first hundred named', async () => {
    const bad: [entry: unknown, fault: Json][] = [
      [NUMBER, { message: 'recipient must be an object' }],
      [null, { message: 'recipient must be an object' }],
      [{}, { message: 'to is required' }],
      [recipient('x', '12'), { value: '12', message: 'number has fewer than 8 digits' }],
      [recipient('x', ['x']), { value: '[array]', message: 'number is neither a text nor a whole number' }],
      // JSON would round it, so no field takes it
      [
        recipient('x', 2 ** 60),
        { value: String(2 ** 60), message: 'number is a number that JSON has rounded: write numbers as texts' },
      ],
      [
        { to: NUMBER, variables: [] },
        { value: NUMBER, message: 'variables must be an object' },
      ],
      [recipient({}), { value: NUMBER, message: 'name must be a text, a number, true or false' }],
      [recipient('x'.repeat(1_001)), { value: NUMBER, message: 'name is longer than 1000 characters' }],
      [
        { to: NUMBER, variables: { 'a b': 'x' } },
        { value: NUMBER, message: "a variable's name has letters, digits, _ and -, at most 64" },
      ],
      [
        { to: NUMBER, variables: Object.fromEntries(many(51, (index) => [`v${index}`, 'x'])) },
        { value: NUMBER, message: 'at most 50 variables are allowed' },
      ],
    ];
    const answer = await send({ recipients: [recipient('Asha'), ...bad.map(([entry]) => entry)] });
    expect(answer.status).toBe(400);
    expect(answer.body['message']).toBe(ROWS);
    expect(rowsOf(answer)).toMatchObject(bad.map(([, fault], index) => ({ row: index + 2, ...fault })));
    const refused = await send({ recipients: undefined, contacts: many(150, () => 'x') });
    expect(refused.body['message']).toBe(ROWS);
    expect(rowsOf(refused)).toEqual(
      many(100, (index) => ({ row: index + 1, value: 'x', reason: 'number_invalid', message: 'number has letters' })),
    );
    // branded too, whose own route drops such numbers
    const branded = await send({ channel: 'branded', recipients: [recipient('x', '1')] }, TEMPLATE);
    expect(branded.body['message']).toBe(ROWS);
  });

  it('gaps of the text: rows and placeholders, the first hundred', async () => {
    const recipients = [recipient('Asha'), recipient(' '), { to: NUMBER }, { to: NUMBER, variables: { Name: 'x' } }];
    const answer = await send({ message: '{{name}} {{code|}} {{day}}', recipients });
    expect(answer.status).toBe(400);
    expect(answer.body['message']).toBe(MISSING);
    expect(rowsOf(answer)).toEqual([
      { row: 1, value: NUMBER, reason: 'variables_missing', message: 'no value for day', missing: ['day'] },
      ...[2, 3, 4].map((row) => ({
        row,
        value: NUMBER,
        reason: 'variables_missing',
        message: 'no value for name, day',
        missing: ['name', 'day'],
      })),
    ]);
    const all = await send({ recipients: many(150, () => ({ to: NUMBER })) });
    expect(all.body['message']).toBe(MISSING);
    expect(rowsOf(all)).toHaveLength(100);
  });

  it('texts that are too long for some, and several faults at once', async () => {
    const long = await send({ recipients: [recipient('x'), recipient('x'.repeat(610))] });
    expect(long.body).toMatchObject({
      statusCode: 400,
      message: TOO_LONG,
      errors: [{ row: 2, value: NUMBER, message: TOO_LONG }],
    });
    const both = await send({ recipients: [{ to: NUMBER }, recipient('x'.repeat(610))] });
    expect(both.body).toMatchObject({
      message: 'Some recipients cannot be sent to',
      errors: [
        { row: 1, missing: ['name'] },
        { row: 2, message: TOO_LONG },
      ],
    });
    const chat = { ...CHAT, message: '{{name}}!'.repeat(2), contacts: undefined };
    expect((await send({ recipients: [recipient('x'.repeat(749))] }, chat)).status).toBe(202);
    const over = await send({ recipients: [recipient('x'.repeat(750))] }, chat);
    expect(over.body).toMatchObject({ message: TOO_LONG, errors: [{ row: 1 }] });
    expectRefused(await send({ message: 'x'.repeat(1_501) }, CHAT), 400, TOO_LONG);
    expectRefused(await send({ message: 'x'.repeat(613) }), 400, TOO_LONG);
  });

  it('texts that come to nothing, and variables beyond what a recipient may have', async () => {
    const empty = await send({ message: '{{name|}} ', recipients: [recipient('x'), recipient('')] });
    expect(empty.body).toMatchObject({
      statusCode: 400,
      message: 'Message is empty',
      errors: [{ row: 2, value: NUMBER, message: 'Message is empty' }],
    });
    const chat = await send({ message: '{{name|}}', contacts: undefined, recipients: [{ to: NUMBER }] }, CHAT);
    expect(chat.body).toMatchObject({ statusCode: 400, message: 'Message is empty' });
    const names = Array.from({ length: 31 }, (_, index) => `v${index}`);
    const large = await send({
      message: names.map((name) => `{{${name}}}`).join(''),
      recipients: [{ to: NUMBER, variables: Object.fromEntries(names.map((name) => [name, 'x'.repeat(1_000)])) }],
    });
    expect(large.body).toMatchObject({ statusCode: 400, errors: [{ row: 1, message: 'variables are too long' }] });
    expect(large.body).toMatchObject({ message: 'variables are too long' });
  });

  it('no route, then credits', async () => {
    const poor = await bulk.join({ gsm_credits: 2 });
    const recipients = [recipient('x'), recipient('x'.repeat(160))];
    expectRefused(
      await bulk.bulk(poor, { ...GOOD, recipients }),
      400,
      'Insufficient credits. Available: 2, Required: 3',
    );
    expect(await bulk.credits(poor)).toBe(2);
  });

  it('no route that the account may use', async () => {
    const held = await bulk.join({ gsm_credits: 10 });
    await bulk.alter(held, 'allowed_routes', '[]');
    expectRefused(await bulk.bulk(held, GOOD), 503, 'No route available for this channel');
    expect(await bulk.credits(held)).toBe(10);
  });

  it('100,000 recipients, and no more', async () => {
    const entry = recipient('Asha');
    const answer = await send({ recipients: many(100_000, () => entry) });
    expect(answer.body).toMatchObject({ data: { recipients: 100_000, credits: 100_000, duplicates_count: 99_999 } });
    expectRefused(await send({ recipients: many(100_001, () => entry) }), 400, 'recipients cannot exceed 100,000');
    expectRefused(
      await send({ recipients: undefined, contacts: many(100_001, () => NUMBER) }),
      400,
      'contacts cannot exceed 100,000',
    );
  }, 120_000);

  it('a body up to 64 MB, whatever others are limited to', async () => {
    const value = 'x'.repeat(1_000);
    const padded = { to: NUMBER, variables: Object.fromEntries(many(45, (index) => [`v${index}`, value])) };
    const recipients = many(400, () => ({ ...padded, variables: { ...padded.variables, name: 'Asha' } }));
    expect((await send({ recipients })).status).toBe(202); // 18 MB
    expectRefused(await send({ padding: 'x'.repeat(64 * 1024 * 1024) }), 413, 'Request body is too large');
  }, 120_000);

  it('as many objects and lists as memory is for, however short they are', async () => {
    for (const change of [{ contacts: many(500_001, () => []) }, { recipients: many(500_001, () => 1) }]) {
      expectRefused(await send(change), 413, 'Request body is too large');
    }
  });
});
