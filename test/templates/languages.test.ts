import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chat, openChat } from '../support/chat.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const UNKNOWN = 'template.language.code is required';
const OTHER = 'Template language does not match the approved template';

/** Languages that have no id: a template is sent by the code that it was approved under. */
describe.each(['chatTemplate', 'chatBranded'])('%s in a language by its code', (route) => {
  let chat: Chat;
  let member: Member;

  beforeAll(async () => {
    chat = await openChat();
    member = await chat.join({ chat_marketing_credits: 100 });
    await chat.connect(member, 'official');
    await chat.template(member, 'english');
    await chat.template(member, 'french', { languageCode: 'fr' });
  });
  afterAll(() => chat.stop());

  const send = (name: string, code: unknown): Promise<Answer> =>
    chat.post(`/v6/api/${route}/24/${member.account.username}/messages`, member, {
      messaging_product: 'chat',
      to: ['919812345678'],
      type: 'template',
      template: { name, language: { code } },
    });

  it.each(['fr', ' fr', 'FR', 'French'])('%j is the one of the template', async (code) => {
    const answer = await send('french', code);
    expect(answer.body).toMatchObject({ success: true, template_name: 'french' });
    const { content } = await chat.campaign(answer);
    expect(JSON.parse(String(content))).toMatchObject({ template: { name: 'french', language: { code: 'fr' } } });
  });

  it('one of the table is another language', async () => {
    for (const code of ['en_US', 1, 'hi']) expectRefused(await send('french', code), 422, OTHER);
  });

  it('any other code is none: the row of the request', async () => {
    for (const [name, code] of [
      ['french', 'de'],
      ['french', 'xx'],
      ['english', 'fr'],
      ['nothing', 'fr'],
    ] as const)
      expectRefused(await send(name, code), 400, UNKNOWN);
    expectRefused(await send('nothing', 'hi'), 404, 'Template not found');
  });
});
