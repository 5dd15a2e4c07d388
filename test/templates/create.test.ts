import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefused, type Member } from '../support/sms.js';
import { openTemplates, type Templates } from '../support/templates.js';

const TOKEN = 'Invalid Authorization token';
const NAME = 'template_name is required';
const CATEGORY = 'category must be marketing, utility, or auth';
const AREA = 'header_area_type must be media, text, or none';
const MEDIA = 'header_media_type must be Image, Document, or Video when header_area_type is media';
const BUTTONS = 'quick_reply_buttons must be an array';
const BUTTON = 'Each quick reply button must contain type=QUICK_REPLY and a non-empty text';
const TAKEN = 'This template name is already exist';
const ODD = [true, false, {}, { a: 1 }, ['x'], []];
const EMPTY = [undefined, null, '', ' \t\n'];

let templates: Templates;
let member: Member;

beforeAll(async () => {
  templates = await openTemplates();
  member = await templates.join();
});
afterAll(() => templates.stop());

const NAMED = new Map([
  ['hi', 'Hindi'],
  ['he', 'Hebrew'],
  ['en_GB', 'English (UK)'],
]);

describe('createTemplates.php', () => {
  it('405 before anything else', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await templates.request('/webhook/api/createTemplates.php', { method });
      expectRefused(answer, 405, 'Method not allowed');
      expect(answer.headers.get('allow')).toBe('POST');
    }
  });

  it('401 without a good token, before the rows', async () => {
    expectRefused(await templates.create(null, {}), 401, TOKEN);
    expectRefused(await templates.create(null, { username: member.account.username }), 401, TOKEN);
    expectRefused(await templates.create(null, {}, { authorization: 'Bearer nonsense' }), 401, TOKEN);
  });

  it('takes the cookie too', async () => {
    const answer = await templates.create(null, templates.body(), { cookie: `auth_token=${member.token}` });
    expect(answer.status).toBe(200);
  });

  it('answers as reference/templates#createtemplatesphp says, and queues the template for approval', async () => {
    const body = templates.body({ category: 'utility', language: 8 });
    const answer = await templates.create(member, body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      message: 'Template created successfully',
      username: member.account.username,
      template_id: expect.any(Number) as number,
      template_controller_id: expect.any(Number) as number,
      status: 3,
      controller_status: 'pending',
      language_id: 8,
      language: 'Hindi',
    });
    const id = answer.body['template_id'] as number;
    expect(await templates.controller(id)).toEqual({ type: 'customutility', controller_status: 'pending' });
  });

  it.each([
    ['marketing', 'custom'],
    ['utility', 'customutility'],
    ['auth', 'customauth'],
  ])('a %s template has a controller row of type %s', async (category, type) => {
    const id = await templates.created(member, { category });
    expect(await templates.controller(id)).toEqual({ type, controller_status: 'pending' });
  });

  it.each([
    [undefined, 1],
    [null, 1],
    [8, 8],
    ['8', 8],
    [15, 15],
    [16, 1],
    [0, 1],
    [-1, 1],
    [1.5, 1],
    ['te', 2],
    ['HE', 15],
    ['en-GB', 13],
    ['Hindi', 8],
    ['klingon', 1],
    [true, 1],
    [{}, 1],
    [[8], 1],
  ])('language %j is %i', async (language, id) => {
    const answer = await templates.create(member, templates.body({ language }));
    expect([answer.status, answer.body['language_id']]).toEqual([200, id]);
  });

  it.each([
    ['fr', 'fr', ['language_by_code']],
    ['pt-br', 'pt_BR', ['language_by_code']],
    ['fil', 'fil', ['language_by_code']],
    ['hi', 'hi', []],
    ['FR', 'fr', ['language_by_code']],
    ['French', 'fr', ['language_by_code']],
    ['Portuguese (BR)', 'pt_BR', ['language_by_code']],
    ['es_MX', 'es_MX', ['language_by_code']],
    ['ar', 'ar', ['language_by_code']],
    ['prs-af', 'prs_AF', ['language_by_code']],
    ['en_NZ', 'en_NZ', ['language_by_code']],
    ['zh-cn', 'zh_CN', ['language_by_code']],
    ['Chinese (China)', 'zh_CN', ['language_by_code']],
    ['Spanish (Mexico)', 'es_MX', ['language_by_code']],
    ['fr-FR', 'fr', ['language_by_code']],
    ['in', 'id', ['language_by_code']],
    ['hi-IN', 'hi', []],
    ['EN_us', 'en_US', []],
    [' English (UK) ', 'en_GB', []],
    ['English (United Kingdom)', 'en_GB', []],
    ['iw', 'he', []],
    ['08', 'hi', []],
    [null, 'en_US', []],
    ['null', 'en_US', ['language_fallback']],
    [1.5, 'en_US', ['language_fallback']],
    [true, 'en_US', ['language_fallback']],
    [{ code: 'hi' }, 'en_US', ['language_fallback']],
    ['foo', 'en_US', ['language_fallback']],
    ['xx', 'en_US', ['language_fallback']],
    ['hi_ZZ', 'en_US', ['language_fallback']],
    [99, 'en_US', ['language_fallback']],
    [['hi'], 'en_US', ['language_fallback']],
    ['fr_FRA', 'en_US', ['language_fallback']],
    ['klingon', 'en_US', ['language_fallback']],
    [undefined, 'en_US', []],
  ])('the code of %j is %s, and hints say %j', async (language, code, hints) => {
    const answer = await templates.create(member, templates.body({ language }));
    expect([answer.status, answer.body['language']]).toEqual([200, NAMED.get(code) ?? 'English (US)']);
    const told = JSON.parse(answer.headers.get('switchboard-warnings') ?? '[]') as { code: string }[];
    expect(told.map((hint) => hint.code)).toEqual(hints);
    const path = `/v6/api/templates/${String(answer.body['template_id'])}`;
    const shown = await templates.send('GET', path, member);
    expect(shown.body['data']).toMatchObject({ language: answer.body['language_id'], language_code: code });
    // what a change leaves out stays as it is
    expect((await templates.send('PUT', path, member, { template_body: 'Hello again' })).status).toBe(200);
    expect((await templates.send('GET', path, member)).body['data']).toMatchObject({ language_code: code });
  });

  it.each(['{{first_name}}', '{{ 1 }}', '{{}}', 'Hi {{1}} {{name}}', '{{0}}'])(
    'the body %j: placeholders are numbers',
    async (text) => {
      const answer = await templates.create(member, templates.body({ template_body: text }));
      expectRefused(answer, 400, 'template_body may contain only placeholders such as {{1}}');
      const header = { header_area_type: 'text', header_text: text };
      expectRefused(
        await templates.create(member, templates.body(header)),
        400,
        'header_text may contain at most one {{1}}',
      );
    },
  );

  it('buttons that lead somewhere, shown in own answers only', async () => {
    const buttons = [
      {
        type: 'URL',
        text: 'Track it',
        url: 'https://example.com/orders/{{1}}',
        example: 'https://example.com/orders/7',
      },
      { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+4915112345678' },
      { type: 'COPY_CODE', example: 'SAVE10' },
    ];
    const id = await templates.created(member, { buttons });
    const shown = (await templates.send('GET', `/v6/api/templates/${id}`, member)).body['data'];
    expect(shown).toMatchObject({ buttons });
    expect((await templates.list(member.account.username)).at(-1)).not.toHaveProperty('buttons');
    expect((await templates.send('PUT', `/v6/api/templates/${id}`, member, { buttons: [] })).status).toBe(200);
    const wrong: unknown[] = [
      'x',
      [{ type: 'URL', text: 'x', url: 'ftp://e.example' }],
      [{ type: 'URL', text: 'x', url: 'https://e.example/{{1}}/x' }],
      [{ type: 'URL', text: 'x'.repeat(26), url: 'https://e.example' }],
      [{ type: 'PHONE_NUMBER', text: 'x', phone_number: 'abc' }],
      [{ type: 'COPY_CODE', example: 'x'.repeat(16) }],
      [{ type: 'OTHER', text: 'x' }],
      [7],
    ];
    for (const given of wrong)
      expectRefused(
        await templates.create(member, templates.body({ buttons: given })),
        400,
        'buttons must be a list of { type: URL, text, url }, { type: PHONE_NUMBER, text, phone_number } and { type: COPY_CODE, example }',
      );
    expectRefused(
      await templates.create(member, templates.body({ buttons: [buttons[2], buttons[2]] })),
      400,
      'buttons must have at most 2 URL, 1 PHONE_NUMBER and 1 COPY_CODE, and 10 entries with quick_reply_buttons',
    );
  });

  it('reads a form, arrays as JSON text', async () => {
    const buttons = [{ type: 'QUICK_REPLY', text: 'Yes' }];
    const fields = { ...templates.body(), quick_reply_buttons: JSON.stringify(buttons), language: '2' };
    const form = new URLSearchParams(fields as Record<string, string>).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await templates.create(member, form, headers);
    expect([answer.status, answer.body['language']]).toEqual([200, 'Telugu']);
    const broken = form.replace(/quick_reply_buttons=[^&]*/, 'quick_reply_buttons=Yes');
    expectRefused(await templates.create(member, broken, headers), 400, BUTTONS);
  });
});

describe('the error table', () => {
  it('template_name', async () => {
    for (const template_name of [...EMPTY, ...ODD]) {
      expectRefused(await templates.create(member, templates.body({ template_name })), 400, NAME);
    }
    for (const body of ['[]', '"text"', '7', 'null', '{}'])
      expectRefused(await templates.create(member, body), 400, NAME);
    expect((await templates.create(member, templates.body({ template_name: 0 }))).status).toBe(200);
  });

  it('template_name holds 512 characters', async () => {
    const long = '𝔸'.repeat(512);
    expect((await templates.create(member, templates.body({ template_name: long }))).status).toBe(200);
    const answer = await templates.create(member, templates.body({ template_name: `${long}b` }));
    expectRefused(answer, 400, 'template_name must be at most 512 characters');
  });

  it('category', async () => {
    for (const category of [...EMPTY, ...ODD, 'Marketing', 'authentication', 1, 'toString', 'auth ']) {
      expectRefused(await templates.create(member, templates.body({ category })), 400, CATEGORY);
    }
  });

  it('header_area_type', async () => {
    for (const header_area_type of [...ODD, 'Media', 'image', 1]) {
      expectRefused(await templates.create(member, templates.body({ header_area_type })), 400, AREA);
    }
    for (const header_area_type of [...EMPTY, 'none', 'text']) {
      expect((await templates.create(member, templates.body({ header_area_type }))).status).toBe(200);
    }
  });

  it('header_media_type counts for media only', async () => {
    for (const header_media_type of [...EMPTY, ...ODD, 'image', 'Audio', 1]) {
      expectRefused(
        await templates.create(member, templates.body({ header_area_type: 'media', header_media_type })),
        400,
        MEDIA,
      );
      expect((await templates.create(member, templates.body({ header_media_type }))).status).toBe(200);
    }
    for (const header_media_type of ['Image', 'Document', 'Video']) {
      const answer = await templates.create(member, templates.body({ header_area_type: 'media', header_media_type }));
      expect(answer.status).toBe(200);
    }
  });

  it('quick_reply_buttons', async () => {
    for (const quick_reply_buttons of [true, false, {}, 'x', 7, { 0: { type: 'QUICK_REPLY', text: 'a' } }]) {
      expectRefused(await templates.create(member, templates.body({ quick_reply_buttons })), 400, BUTTONS);
    }
    for (const button of [
      null,
      'Yes',
      7,
      [],
      {},
      { type: 'QUICK_REPLY' },
      { text: 'Yes' },
      { type: 'URL', text: 'Yes' },
      { type: 'quick_reply', text: 'Yes' },
      ...[...EMPTY, ...ODD].map((text) => ({ type: 'QUICK_REPLY', text })),
    ]) {
      const quick_reply_buttons = [{ type: 'QUICK_REPLY', text: 'Good' }, button];
      expectRefused(await templates.create(member, templates.body({ quick_reply_buttons })), 400, BUTTON);
    }
    for (const quick_reply_buttons of [undefined, null, '', []]) {
      expect((await templates.create(member, templates.body({ quick_reply_buttons }))).status).toBe(200);
    }
  });

  it('at most 10 quick replies of at most 200 characters, at a change too', async () => {
    const reply = (text: string) => ({ type: 'QUICK_REPLY', text });
    const replies = (count: number, text: string) => Array.from({ length: count }, () => reply(text));
    const full = replies(10, '😀'.repeat(200));
    const id = await templates.created(member, { quick_reply_buttons: full });
    const rows: [unknown, string][] = [
      [[...full, {}], BUTTON],
      [replies(11, 'a'), 'quick_reply_buttons must have at most 10 entries'],
      [[reply('a'), reply('😀'.repeat(201))], 'Each quick reply text must be at most 200 characters'],
    ];
    for (const [quick_reply_buttons, message] of rows) {
      expectRefused(await templates.create(member, templates.body({ quick_reply_buttons })), 400, message);
      expectRefused(
        await templates.send('PUT', `/v6/api/templates/${id}`, member, { quick_reply_buttons }),
        400,
        message,
      );
    }
    const stored = (await templates.list(member.account.username)).find((row) => row.id === id);
    expect(stored?.['quick_replies']).toBe(JSON.stringify(full));
  });

  it('the extras, after the table', async () => {
    const text = { header_area_type: 'text' };
    const media = { header_area_type: 'media', header_media_type: 'Image' };
    const rows: [Record<string, unknown>, string | null][] = [
      [{ ...text, header_text: 'é'.repeat(60) }, null],
      [{ ...text, header_text: 'é'.repeat(61) }, 'header_text must be at most 60 characters'],
      [{ header_text: 'é'.repeat(61) }, null],
      [{ ...text, header_text: 'Hi {{1}}' }, null],
      [{ ...text, header_text: '{{1}} {{1}}' }, 'header_text may contain at most one {{1}}'],
      [{ ...text, header_text: '{{2}}' }, 'header_text may contain at most one {{1}}'],
      [{ ...text, header_text: true }, 'header_text is invalid'],
      [{ ...media, header_example_url: 'https://example.com/a.png' }, null],
      [{ ...media, header_example_url: 'ftp://example.com/a.png' }, 'header_example_url must be a valid URL'],
      [{ ...media, header_example_url: [] }, 'header_example_url must be a valid URL'],
      [{ template_body: '😀'.repeat(4096) }, null],
      [{ template_body: '😀'.repeat(4097) }, 'template_body must be at most 4096 characters'],
      [{ template_body: {} }, 'template_body is invalid'],
      [{ template_body: null }, null],
      [{ body_examples: 'x' }, 'body_examples must be an array'],
      [{ body_examples: ['a', 2] }, null],
      [{ body_examples: ['a', ''] }, 'Each body example must be a non-empty text'],
      [{ body_examples: Array.from({ length: 100 }, () => '😀'.repeat(200)) }, null],
      [{ body_examples: Array.from({ length: 101 }, () => 'a') }, 'body_examples must have at most 100 entries'],
      [{ body_examples: ['😀'.repeat(201)] }, 'Each body example must be at most 200 characters'],
      [{ template_footer: [] }, 'template_footer is invalid'],
      [{ template_footer: 'f'.repeat(4096) }, null],
      [{ template_footer: 'f'.repeat(4097) }, 'template_footer must be at most 4096 characters'],
    ];
    for (const [fields, message] of rows) {
      const answer = await templates.create(member, templates.body(fields));
      if (message === null) expect(answer.status, JSON.stringify(fields).slice(0, 80)).toBe(200);
      else expectRefused(answer, 400, message);
    }
  });

  it('checks the rows in order, the taken name last', async () => {
    await templates.created(member, { template_name: 'first' });
    let body: Record<string, unknown> = {
      template_name: '',
      category: 'x',
      header_area_type: 'x',
      header_media_type: 'x',
      quick_reply_buttons: 'x',
      template_body: true,
    };
    const steps: [string, Record<string, unknown>][] = [
      [NAME, { template_name: 'f'.repeat(513) }],
      ['template_name must be at most 512 characters', { template_name: 'first' }],
      [CATEGORY, { category: 'auth' }],
      [AREA, { header_area_type: 'media' }],
      [MEDIA, { header_media_type: 'Video' }],
      [BUTTONS, { quick_reply_buttons: [{}] }],
      [BUTTON, { quick_reply_buttons: [] }],
      ['template_body is invalid', { template_body: 'Code {{1}}' }],
    ];
    for (const [message, repair] of steps) {
      expectRefused(await templates.create(member, body), 400, message);
      body = { ...body, ...repair };
    }
    expectRefused(await templates.create(member, body), 409, TAKEN);
    expectRefused(await templates.create(null, body), 401, TOKEN);
  });
});

describe('names', () => {
  it('match byte for byte, per account', async () => {
    const one = await templates.join();
    const two = await templates.join();
    for (const template_name of ['sale', 'Sale', 'sale ', ' sale', 'salé', 'sale\u0301', 'sale\t']) {
      expect((await templates.create(one, templates.body({ template_name }))).status).toBe(200);
      expectRefused(await templates.create(one, templates.body({ template_name })), 409, TAKEN);
      expect((await templates.create(two, templates.body({ template_name }))).status).toBe(200);
    }
    expect(await templates.list(one.account.username)).toHaveLength(7);
  });

  it('20 creations of one name at once make one template', async () => {
    const racer = await templates.join();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => templates.create(racer, templates.body({ template_name: 'race' }))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer, 409, TAKEN);
    expect(await templates.list(racer.account.username)).toHaveLength(1);
    const [row] = await templates.dataSource.query<{ found: string }[]>(
      `SELECT COUNT(*) AS found FROM template_controllers c JOIN templates t ON t.id = c.template_id
       WHERE t.account_id = ?`,
      [racer.account.id],
    );
    expect(Number(row?.found)).toBe(1);
  });
});
