import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chat, openChat } from '../support/chat.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const TEXT = 'Template parameters must not be blank or contain line breaks, tabs or more than four blanks';
const BUTTONS = 'Template button parameters do not match the approved template';
const NUMBER = '919812345678';

/** What the provider would refuse after the charge is refused before it (reference/template-messages#parameters). */
describe('parameters that the provider refuses', () => {
  let chat: Chat;
  let owner: Member;

  beforeAll(async () => {
    chat = await openChat();
    owner = await chat.join({ chat_marketing_credits: 100, chat_auth_credits: 100 });
    await chat.connect(owner, 'official');
    await chat.template(owner, 'one', { body: 'Hello {{1}}' });
    await chat.template(owner, 'linked', {
      quickReplies: '[{"type":"QUICK_REPLY","text":"Yes"}]',
      buttons: JSON.stringify([
        { type: 'URL', text: 'Track', url: 'https://e.example/{{1}}' },
        { type: 'URL', text: 'Home', url: 'https://e.example/' },
        { type: 'COPY_CODE', example: 'SAVE' },
      ]),
    });
    await chat.template(owner, 'code', { category: 3, body: 'Your code is {{1}}', upstreamId: '77' });
  });
  afterAll(() => chat.stop());

  const credits = (): Promise<number> => chat.credits(owner, 'chat_marketing_credits');
  const body = (...texts: unknown[]) => ({ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) });
  const legacy = (route: string, name: string, components: unknown[], more: object = {}): Promise<Answer> =>
    chat.post(`/v6/api/${route}/24/${owner.account.username}/messages`, owner, {
      messaging_product: 'chat',
      to: [NUMBER],
      type: 'template',
      template: { name, language: { code: 'en_US' }, components },
      ...more,
    });
  const bulk = (path: string, fields: object): Promise<Answer> =>
    chat.post(`/v6/api/campaigns${path}`, owner, { channel: 'template', broadcast_name: 'Test', ...fields });
  const contentOf = async (answer: Answer): Promise<Record<string, unknown>> =>
    JSON.parse(String((await chat.campaign(answer)).content)) as Record<string, unknown>;

  it.each(['chatTemplate', 'chatBranded', 'chat'])(
    '%s: refused, nothing charged; flattened on request',
    async (route) => {
      const before = await credits();
      const refused = ['a\nb', 'a\tb', 'a\rb', 'a\r\nb', 'a\u2028b', 'a\u2029b', 'a\u0085b', 'a\vb', 'a\fb'];
      const blanks = [
        'a     b',
        'a\u00a0\u00a0\u00a0\u00a0\u00a0b',
        'a  \u00a0  b',
        '     a',
        'a     ',
        '',
        '  ',
        '\u00a0',
      ];
      for (const text of [...refused, ...blanks, '\u3000\u3000\u3000\u3000\u3000', null, ['a'], {}, true]) {
        expectRefused(await legacy(route, 'one', [body(text)]), 422, TEXT);
      }
      expect(await credits()).toBe(before);
      for (const text of ['a    b', 'a\u00a0b', 'é', 7])
        expect((await legacy(route, 'one', [body(text)])).body).toMatchObject({ success: true });
      const answer = await legacy(route, 'one', [body('a\n  b     c')], { flatten: true });
      expect(answer.body).toMatchObject({ success: true, template_name: 'one' });
      expect(await contentOf(answer)).toMatchObject({ template: { components: [body('a b c')] } });
    },
  );

  it('in a header, a button and a card of a carousel too', async () => {
    await chat.template(owner, 'headed', { headerAreaType: 'text', headerText: 'Dear {{1}}', body: 'Hello {{1}}' });
    const text = (value: string) => ({ type: 'text', text: value });
    const header = (value: string) => ({ type: 'header', parameters: [text(value)] });
    const before = await credits();
    expectRefused(await legacy('chatTemplate', 'headed', [header('a\tb'), body('x')]), 422, TEXT);
    expectRefused(await legacy('chatTemplate', 'headed', [header('a'), body('x\u2028')]), 422, TEXT);
    const link = (value: string) => ({ type: 'button', sub_type: 'url', index: 1, parameters: [text(value)] });
    const code = (value: string) => ({
      ...{ type: 'button', sub_type: 'copy_code', index: 3 },
      parameters: [{ type: 'coupon_code', coupon_code: value }],
    });
    expectRefused(await legacy('chatTemplate', 'linked', [link('7\n'), code('S')]), 422, TEXT);
    expectRefused(await legacy('chatTemplate', 'linked', [link('7'), code('S\tV')]), 422, BUTTONS);
    const carousel = (value: string) => ({ type: 'carousel', cards: [{ card_index: 0, components: [body(value)] }] });
    expectRefused(await legacy('chatTemplate', 'one', [body('x'), carousel('a\nb')]), 422, TEXT);
    expect(await credits()).toBe(before);
    const sent = await legacy('chatTemplate', 'one', [body('x'), carousel('a\nb')], { flatten: true });
    expect(await contentOf(sent)).toMatchObject({ template: { components: [body('x'), carousel('a b')] } });
    const quoted = await bulk('/quote', {
      template: 'headed',
      recipients: [{ to: NUMBER, variables: { header_1: 'a\rb', '1': 'x' } }],
    });
    expect(quoted.body['data']).toMatchObject({ recipients: 0, refused: 1 });
  });

  it('named, where the template has numbers', async () => {
    const before = await credits();
    const named = { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Asha' }] };
    const text = 'Template body parameter count does not match the approved template';
    for (const route of ['chatTemplate', 'chatBranded', 'chat']) expectRefused(await legacy(route, 'one', [named]), 422, text); // prettier-ignore
    expectRefused(await bulk('', { template: { name: 'one', components: [named] }, contacts: [NUMBER] }), 422, text);
    expect(await credits()).toBe(before);
  });

  it('rows are named, in quote and send, and flattened on request', async () => {
    const recipients = [
      { to: NUMBER, variables: { '1': 'Asha' } },
      { to: '919812345679', variables: { '1': 'A\nsha' } },
      { to: '919812345680', variables: { '1': 'A     sha' } },
    ];
    const before = await credits();
    const quoted = await bulk('/quote', { template: 'one', recipients });
    const row = (number: number, value: string) =>
      expect.objectContaining({
        row: number,
        value,
        reason: 'template_message_parameter_text',
        message: TEXT,
      }) as unknown;
    const rows = [row(2, '919812345679'), row(3, '919812345680')];
    expect(quoted.body['data']).toMatchObject({ recipients: 1, refused: 2, invalid: rows });
    const refused = await bulk('', { template: 'one', recipients });
    expectRefused(refused, 422, TEXT);
    expect(refused.body['errors']).toEqual(rows);
    expect(await credits()).toBe(before);
    const sent = await bulk('', { template: 'one', recipients, flatten: true });
    expect(sent.body['data']).toMatchObject({ recipients: 3, credits: 3 });
    expectRefused(
      await bulk('', { template: 'one', recipients, flatten: 'yes' }),
      400,
      'flatten must be true or false',
    );
    const sms = { channel: 'sms', broadcast_name: 'x', message: 'x', contacts: [NUMBER], flatten: true };
    expectRefused(await bulk('', sms), 400, 'flatten does not go with channel sms');
  });

  it('buttons that want a parameter', async () => {
    const link = { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: '7' }] };
    const code = {
      type: 'button',
      sub_type: 'copy_code',
      index: 3,
      parameters: [{ type: 'coupon_code', coupon_code: 'S' }],
    };
    const before = await credits();
    for (const components of [[], [link], [code], [link, { ...code, index: 2 }], [{ ...link, parameters: [] }, code]]) {
      expectRefused(await legacy('chatTemplate', 'linked', components), 422, BUTTONS);
    }
    expectRefused(await legacy('chatTemplate', 'one', [body('x'), { ...link, parameters: [] }]), 422, BUTTONS);
    expect(await credits()).toBe(before);
    expect((await legacy('chatTemplate', 'linked', [link, code])).status).toBe(201);
    const variables = { button_1: '7', button_3: 'SAVE' };
    const sent = await bulk('', { template: 'linked', recipients: [{ to: NUMBER, variables }] });
    expect(sent.body['data']).toMatchObject({ recipients: 1 });
    expect((await bulk('', { template: 'linked', contacts: [NUMBER] })).body['errors']).toMatchObject([
      { missing: ['button_1', 'button_3'] },
    ]);
  });

  it('an authentication template that the provider writes gets the code for its button', async () => {
    const button = { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '4711' }] };
    const answer = await legacy('chatTemplate', 'code', [body('4711')]);
    expect(await contentOf(answer)).toMatchObject({ template: { components: [body('4711'), button] } });
    const given = await legacy('chatTemplate', 'code', [body('4711'), button]);
    expect(await contentOf(given)).toMatchObject({ template: { components: [body('4711'), button] } });
    const sent = await bulk('', { template: 'code', recipients: [{ to: NUMBER, variables: { '1': '4711' } }] });
    expect(sent.body['data']).toMatchObject({ recipients: 1 });
  });
});
