import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openChat, type Chat } from '../support/chat.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const ROUTES = { template: 'chatTemplate', branded: 'chatBranded' } as const;
type Kind = keyof typeof ROUTES;
const KINDS: Kind[] = ['template', 'branded'];

const TOKEN = 'Invalid Authorization token';
const PATH = 'Route username does not match authenticated user';
const PRODUCT = 'messaging_product must be chat';
const TO = { template: 'to is required', branded: 'to is required and must contain at least one valid recipient' };
const NONE_VALID = 'No valid recipient phone numbers provided';
const TOO_MANY = 'to array cannot exceed 30,000 contacts';
const TYPE = 'type must be template';
const TEMPLATE = 'template must be an object';
const NAME = 'template.name is required';
const LANGUAGE = 'template.language.code is required';
const COMPONENTS = 'template.components must be an array';
const INVALID = 'Recipient phone number is invalid';
const LENGTH = 'Recipient phone number must be between 8 and 20 digits';
const NOT_FOUND = 'Template not found';
const OTHER_LANGUAGE = 'Template language does not match the approved template';
const BODY = 'Template body parameter count does not match the approved template';
const HEADER = 'Template header parameter count does not match the approved template';
const SCHEDULE = 'schedule_time is invalid';
const NO_ACCOUNT = 'No chat account found for this username';
const NO_NUMBER_ID = 'Missing phone-number ID for this chat account';
const NO_TOKEN = 'Missing account token for this chat account';
const NO_ENDPOINT = 'Unable to resolve provider endpoint';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NUMBER = '919812345678';

let chat: Chat;
let member: Member;

const named = (name: string, more: Record<string, unknown> = {}) => ({ name, language: { code: 'en_US' }, ...more });
const good = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  messaging_product: 'chat',
  to: [NUMBER],
  type: 'template',
  template: named('plain'),
  ...change,
});
const text = (value: string) => ({ type: 'text', text: value });
const component = (type: string, ...parameters: unknown[]) => ({ type, parameters });

function send(kind: Kind, who: Member, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return chat.post(`/v6/api/${ROUTES[kind]}/24/${who.account.username}/messages`, who, body, headers);
}

const wealthy = (): Promise<Member> =>
  chat.join({ chat_marketing_credits: 100_000, chat_utility_credits: 100, chat_auth_credits: 100 });

beforeAll(async () => {
  chat = await openChat({ BODY_LIMIT: 64 * 1024 * 1024 });
  member = await wealthy();
  await chat.connect(member, 'official');
  await chat.template(member, 'plain');
  await chat.template(member, 'utility', { category: 2, languageId: 13 });
  await chat.template(member, 'auth', { category: 3 });
  await chat.template(member, 'full', {
    headerAreaType: 'text',
    headerText: 'Hello {{1}}',
    body: '{{2}} and {{1}}, {{1}} again',
  });
  await chat.template(member, 'media', { headerAreaType: 'media', headerMediaType: 'Image' });
  for (const [status, name] of ['draft', '', 'rejected', 'pending', 'paused', 'disabled'].entries()) {
    if (name) await chat.template(member, name, { status });
  }
});
afterAll(() => chat.stop());

describe('accepted template sends', () => {
  it('one number as a text: 201 without contacts, a UUID, one credit of the category', async () => {
    const before = await chat.credits(member, 'chat_utility_credits');
    const to = '+91 98123-45678';
    const answer = await send('template', member, good({ to, template: named('utility', { language: { code: 13 } }) }));
    expect(answer.body).toEqual({
      success: true,
      message: 'Template message queued successfully',
      request_id: expect.stringMatching(UUID) as unknown,
      username: member.account.username,
      template_name: 'utility',
      category: 'utility',
    });
    expect(answer.status).toBe(201);
    expect(await chat.receivers(answer)).toEqual([NUMBER]);
    expect(await chat.credits(member, 'chat_utility_credits')).toBe(before - 1);
  });

  it('an array: a campaign with contacts, also of one; duplicates are kept and charged', async () => {
    const before = await chat.credits(member, 'chat_auth_credits');
    const answer = await send(
      'template',
      member,
      good({ to: [NUMBER, NUMBER, 919812345679], template: named('auth') }),
    );
    expect(answer.body).toEqual({
      success: true,
      message: 'Template campaign queued successfully',
      request_id: expect.stringMatching(UUID) as unknown,
      username: member.account.username,
      template_name: 'auth',
      category: 'auth',
      contacts: 3,
    });
    expect(await chat.receivers(answer)).toEqual([NUMBER, NUMBER, '919812345679']);
    expect(await chat.credits(member, 'chat_auth_credits')).toBe(before - 3);
    expect((await send('template', member, good())).body).toMatchObject({ contacts: 1 });
  });

  it('branded: 202, a WCAMP id, and what is no number is left out, which the answer says', async () => {
    const to = [NUMBER, 'abc', '1234567', null, {}, '1'.repeat(21), '12345678', '1'.repeat(20)];
    const answer = await send('branded', member, good({ to }));
    expect(answer.body).toEqual({
      success: true,
      message: 'Template campaign queued successfully',
      request_id: expect.stringMatching(/^WCAMP_\d{8}_[A-Z0-9]{8}$/) as unknown,
      username: member.account.username,
      template_name: 'plain',
      category: 'marketing',
      contacts: 3,
    });
    // the last one has too many digits for the strict reader
    expect(answer.headers.get('switchboard-warnings')).toBe(
      '[{"code":"contacts_left_out","field":"to","count":5},{"code":"numbers_look_wrong","field":"to","count":1}]',
    );
    expect(answer.status).toBe(202);
    expect(await chat.receivers(answer)).toEqual([NUMBER, '12345678', '1'.repeat(20)]);
  });

  it("keeps the upstream's request: language as approved, components as given", async () => {
    const components = [
      component('header', text('Ann')),
      component('BODY', text('one'), text('two')),
      { type: 'button', sub_type: 'url', index: '0', parameters: [text('x')] },
    ];
    const answer = await send('template', member, good({ template: named('full', { components, extra: 1 }) }));
    const stored = await chat.campaign(answer);
    expect(JSON.parse(String(stored['content']))).toEqual({
      type: 'template',
      template: { name: 'full', language: { code: 'en_US' }, components },
    });
    expect(stored).toMatchObject({ channel: 'template', service: 'official', unit_credits: 1, broadcast_name: 'full' });
    const view = await chat.request(`/v6/api/campaigns/${String(answer.body['request_id'])}`, {
      headers: { authorization: `Bearer ${member.token}` },
    });
    expect(view.body['data']).toMatchObject({ status: 'queued', status_counts: { PENDING: 1 } });
  });

  it.each([1, '1', 'en_US', 'EN-us', 'enus', 'English (US)', 'english (us)'])('language %j', async (code) => {
    expect((await send('template', member, good({ template: named('plain', { language: { code } }) }))).status).toBe(
      201,
    );
  });

  it('branded goes over the branded connection, else the official one; template never over the branded', async () => {
    const sender = await wealthy();
    await chat.template(sender, 'plain');
    const branded = await chat.connect(sender, 'branded');
    expectRefused(await send('template', sender, good()), 404, NO_ACCOUNT);
    const official = await chat.connect(sender, 'official');
    const routeOf = async (kind: Kind) => (await chat.campaign(await send(kind, sender, good())))['route_id'];
    expect(await routeOf('branded')).toBe(branded);
    expect(await routeOf('template')).toBe(official);
    await chat.disconnect(branded);
    expect(await routeOf('branded')).toBe(official);
  });

  it('30,000 numbers, and not one more; branded has no ceiling', async () => {
    const to = Array.from({ length: 30_001 }, (_, index) => String(919_800_000_000 + index));
    const answer = await send('template', member, good({ to: to.slice(1) }));
    expect([answer.status, answer.body['contacts']]).toEqual([201, 30_000]);
    expect(await chat.receivers(answer)).toEqual(to.slice(1));
    expectRefused(await send('template', member, good({ to, type: 'x' })), 400, TOO_MANY);
    expect((await send('branded', member, good({ to }))).body['contacts']).toBe(30_001);
  });

  it('schedule_time', async () => {
    for (const kind of KINDS) {
      const answer = await send(kind, member, good({ schedule_time: '2099-05-02 09:30:00' }));
      expect((await chat.campaign(answer))['scheduled_at']).toEqual(new Date('2099-05-02T09:30:00Z'));
    }
  });
});

describe('who may send', () => {
  it('chatTemplate: header or cookie, 400; chatBranded: header only, 401', async () => {
    const paths = KINDS.map((kind) => `/v6/api/${ROUTES[kind]}/24/${member.account.username}/messages`);
    const [template, branded] = paths as [string, string];
    const cookie = { cookie: `auth_token=${member.token}` };
    expectRefused(await chat.post(template, null, {}), 400, TOKEN);
    expectRefused(await chat.post(template, null, {}, { authorization: 'Bearer nonsense' }), 400, TOKEN);
    expect((await chat.post(template, null, good(), cookie)).status).toBe(201);
    expectRefused(await chat.post(branded, null, {}), 401, TOKEN);
    expectRefused(await chat.post(branded, null, good(), cookie), 401, TOKEN);
    for (const path of paths) expectRefused(await chat.request(path), 405, 'Method not allowed');
  });

  it.each(KINDS)('%s: the path username, byte for byte, before the body', async (kind) => {
    for (const name of ['someone', member.account.username.toUpperCase()]) {
      const path = `/v6/api/${ROUTES[kind]}/24/${name}/messages`;
      expectRefused(await chat.post(path, member, {}), 401, PATH);
    }
  });

  it('malformed JSON', async () => {
    expectRefused(await send('template', member, '{"to":'), 400, 'Malformed JSON body');
  });
});

describe.each(KINDS)('the error table of %s', (kind) => {
  const expectRow = async (change: Record<string, unknown>, status: number, message: string): Promise<void> =>
    expectRefused(await send(kind, member, good(change)), status, message);

  it('messaging_product, to, type', async () => {
    for (const value of [undefined, null, '', 'Chat', 'other', true, {}]) {
      await expectRow({ messaging_product: value }, 400, PRODUCT);
      await expectRow({ type: value }, 400, TYPE);
    }
    for (const value of [undefined, null, '', '  ', [], {}, true]) await expectRow({ to: value }, 400, TO[kind]);
  });

  it('template, its name, language and components', async () => {
    for (const value of [undefined, null, '', 'plain', 7, true, []])
      await expectRow({ template: value }, 400, TEMPLATE);
    for (const value of [undefined, null, '', ' ', true, {}, []]) {
      await expectRow({ template: named('plain', { name: value }) }, 400, NAME);
    }
    for (const code of [undefined, null, '', 'xx', 0, 16, true, {}, []]) {
      await expectRow({ template: named('plain', { language: { code } }) }, 400, LANGUAGE);
    }
    for (const language of [undefined, null, 'en_US', 1, ['en_US']]) {
      await expectRow({ template: named('plain', { language }) }, 400, LANGUAGE);
    }
    for (const components of ['x', 7, true, {}, [null], ['x'], [[]]]) {
      await expectRow({ template: named('plain', { components }) }, 400, COMPONENTS);
    }
    for (const components of [undefined, null, []]) {
      expect((await send(kind, member, good({ template: named('plain', { components }) }))).body['success']).toBe(true);
    }
  });

  it('the template: found by its exact name, approved', async () => {
    for (const name of ['nothing', 'Plain', 'plain ']) await expectRow({ template: named(name) }, 404, NOT_FOUND);
    await expectRow({ template: named('pending') }, 409, 'Template is pending platform approval');
    await expectRow({ template: named('rejected') }, 409, 'Template was rejected by the platform');
    for (const name of ['draft', 'paused', 'disabled']) {
      await expectRow({ template: named(name) }, 409, 'Template is not approved for sending');
    }
    const stranger = await wealthy();
    expectRefused(await send(kind, stranger, good()), 404, NOT_FOUND);
  });

  it('language and parameter counts, in their order', async () => {
    const [one, two] = [text('1'), text('2')];
    const language = { code: 'te' };
    await expectRow({ template: named('full', { language }) }, 422, OTHER_LANGUAGE);
    const header = component('header', one);
    for (const components of [
      [],
      [header],
      [component('body', one)],
      [component('body', one, two, one), header],
      [component('body', one, null), header],
      [{ type: 'body', parameters: 'ab' }, header],
      [component('header')],
    ]) {
      await expectRow({ template: named('full', { components }) }, 422, BODY);
    }
    const body = component('body', one, two);
    for (const components of [[body], [body, component('header', one, two)], [body, { type: 'header' }]]) {
      await expectRow({ template: named('full', { components }) }, 422, HEADER);
    }
    const image = { type: 'image', image: { link: 'https://f.example/a.jpg' } };
    await expectRow({ template: named('media') }, 422, HEADER);
    await expectRow({ template: named('plain', { components: [header] }) }, 422, HEADER);
    const media = named('media', { components: [component('header', image)] });
    expect((await send(kind, member, good({ template: media }))).body['success']).toBe(true);
  });

  it('schedule_time after the template, before the chat account', async () => {
    const lonely = await wealthy();
    await chat.template(lonely, 'plain');
    for (const value of ['2020-01-01 00:00:00', 'soon', 7, true, {}]) {
      expectRefused(await send(kind, lonely, good({ schedule_time: value })), 400, SCHEDULE);
      await expectRow({ schedule_time: value, template: named('nothing') }, 404, NOT_FOUND);
    }
    expectRefused(await send(kind, lonely, good()), 404, NO_ACCOUNT);
  });

  it('the chat account before the credits, and the credits last', async () => {
    const poor = await chat.join({ chat_marketing_credits: 1 });
    const to = [NUMBER, NUMBER];
    expectRefused(await send(kind, poor, good({ to })), 404, NOT_FOUND);
    await chat.template(poor, 'plain');
    expectRefused(await send(kind, poor, good({ to })), 404, NO_ACCOUNT);
    for (const [change, status, message] of [
      [{ url: 'https://graph.example/', token: null }, 404, NO_NUMBER_ID],
      [{ url: null }, 404, NO_NUMBER_ID],
      [{ token: null }, 404, NO_TOKEN],
      [{ url: 'no url' }, 500, NO_ENDPOINT],
      [{ provider: 'other' }, 500, NO_ENDPOINT],
    ] as const) {
      await chat.connect(poor, 'official', change);
      expectRefused(await send(kind, poor, good({ to })), status, message);
    }
    await chat.connect(poor, 'official');
    expectRefused(await send(kind, poor, good({ to })), 400, 'Insufficient credits. Available: 1, Required: 2');
    expect(await chat.credits(poor, 'chat_marketing_credits')).toBe(1);
    expect((await send(kind, poor, good())).body['success']).toBe(true);
    expect(await chat.credits(poor, 'chat_marketing_credits')).toBe(0);
  });

  it('checks the rows from top to bottom', async () => {
    const repairs: Record<string, unknown>[] = [
      { messaging_product: 'chat' },
      { to: kind === 'template' ? ['abc', '1234567'] : ['abc'] },
      ...(kind === 'branded' ? [{ to: [NUMBER] }] : []),
      { type: 'template' },
      { template: { language: 'x', components: 'x' } },
      { template: { name: 'full', language: 'x', components: 'x' } },
      { template: { name: 'full', language: { code: 'te' }, components: 'x' } },
      { template: { name: 'full', language: { code: 'te' }, components: [] } },
      ...(kind === 'template' ? [{ to: [NUMBER, '1234567'] }, { to: [NUMBER] }] : []),
    ];
    const texts = [PRODUCT, TO[kind], ...(kind === 'branded' ? [NONE_VALID] : []), TYPE, TEMPLATE, NAME, LANGUAGE];
    texts.push(COMPONENTS, ...(kind === 'template' ? [INVALID, LENGTH] : []));
    let body: Record<string, unknown> = { to: [], schedule_time: 'never' };
    for (const [index, message] of texts.entries()) {
      expectRefused(await send(kind, member, body), 400, message);
      body = { ...body, ...repairs[index] };
    }
    expectRefused(await send(kind, member, body), 422, OTHER_LANGUAGE);
  });

  it('never answers 500, whatever the types', async () => {
    const values: unknown[] = [
      true,
      {},
      [],
      [null],
      [[]],
      7,
      -0.5,
      '\u0000',
      '\ud800',
      'a'.repeat(5_000),
      [{ type: 'body' }],
    ];
    for (const value of values) {
      const bodies = [
        ...['messaging_product', 'to', 'type', 'template', 'schedule_time'].map((field) => good({ [field]: value })),
        ...['name', 'language', 'components'].map((field) => good({ template: named('full', { [field]: value }) })),
      ];
      for (const body of bodies) {
        const { status } = await send(kind, member, body);
        expect([201, 202, 400, 404, 422], JSON.stringify(body)).toContain(status);
      }
    }
  });
});

describe('recipients of chatTemplate', () => {
  it.each(['abc', '12a45678', '+', '', 'null', null, true, {}, [[NUMBER]], 1e300, 1.5])(
    '%j is invalid',
    async (entry) => {
      expectRefused(await send('template', member, good({ to: [NUMBER, entry, '1'] })), 400, INVALID);
    },
  );

  it('8 to 20 digits after the cleanup', async () => {
    for (const digits of [8, 20]) {
      expect((await send('template', member, good({ to: `+${'1'.repeat(digits)}` }))).status).toBe(201);
    }
    for (const digits of [7, 21]) {
      expectRefused(await send('template', member, good({ to: '1'.repeat(digits) })), 400, LENGTH);
      expectRefused(await send('template', member, good({ to: [NUMBER, '1'.repeat(digits)] })), 400, LENGTH);
    }
  });
});

describe('a fault of ours', () => {
  it('has the text of the endpoint', async () => {
    await chat.dataSource.query('ALTER TABLE campaigns RENAME TO campaigns_away');
    try {
      expectRefused(await send('template', member, good()), 500, 'Failed to queue template message');
      expectRefused(await send('branded', member, good()), 500, 'Failed to queue template campaign');
    } finally {
      await chat.dataSource.query('ALTER TABLE campaigns_away RENAME TO campaigns');
    }
  });
});
