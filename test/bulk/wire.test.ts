import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSandbox, type OpenSandbox } from '../contract/open-sandbox.js';
import { type BulkWire, openBulkWire } from '../support/bulk.js';
import { dataOf, type Json, listOf } from '../support/campaigns.js';
import type { Member } from '../support/sms.js';

const NUMBERS = ['919812345671', '919812345672', '919812345673'] as const;
const LONG = 'x'.repeat(160);
const TEXT = 'Hi {{name|there}}';
const RECIPIENTS = [
  { to: NUMBERS[0], variables: { name: 'Zoë {{name}}' } },
  { to: NUMBERS[1], variables: { name: LONG } },
  { to: NUMBERS[2] },
];
const TEXTS = ['Hi Zoë {{name}}', `Hi ${LONG}`, 'Hi there'];
const WAIT = { timeout: 60_000, interval: 50 };

/** What leaves for each recipient of a personalised send, and what becomes of its credits. */
describe('a personalised send on the wire', () => {
  let wire: BulkWire;
  let sandbox: OpenSandbox;
  let member: Member;

  beforeAll(async () => {
    wire = await openBulkWire();
    sandbox = await openSandbox();
    member = await wire.join({ gsm_credits: 1_000, bulk_chat_credits: 100, chat_marketing_credits: 100 });
    await wire.addGateway('texts', 'sms');
    await wire.addGateway('chats', 'unofficial');
    await wire.addSmpp('smsc', sandbox.smppPort, { system_id: 'switchboard', password: 'sandbox' });
  });
  afterAll(async () => {
    await wire.stop();
    await sandbox.stop();
  });

  const send = (body: Json): Promise<Json> => wire.accepted(member, { broadcast_name: 'Codes', ...body });
  const contacts = async (requestId: unknown): Promise<Json[]> =>
    listOf(await wire.get(`/v6/api/campaigns/${String(requestId)}/contacts`, member));
  const act = (requestId: unknown, change: string) =>
    wire.act(`/v6/api/campaigns/${String(requestId)}/${change}`, member);

  it('SMS over http, with its report and a retry of what failed', async () => {
    const before = Number(await wire.credits(member));
    const { request_id, credits } = await send({ channel: 'sms', message: TEXT, recipients: RECIPIENTS });
    expect(credits).toBe(4);
    const left = await wire.left('texts', 3);
    expect(left.map(({ to, text }) => [to, text])).toEqual(NUMBERS.map((to, index) => [to, TEXTS[index]]));
    const idOf = async (seq: number): Promise<string> => {
      await vi.waitFor(
        async () => expect((await contacts(request_id))[seq - 1]).toMatchObject({ status: 'SENT' }),
        WAIT,
      );
      return String((await contacts(request_id))[seq - 1]?.['provider_message_id']);
    };
    for (const [index, status] of ['delivered', 'failed', 'failed'].entries())
      await wire.receiptOf('texts', await idOf(index + 1), status);
    await wire.completed(request_id, member);
    expect((await contacts(request_id)).map(({ status, credits: own }) => [status, own])).toEqual([
      ['DELIVERED', 1],
      ['FAILED', 2],
      ['FAILED', 1],
    ]);
    // what a carrier took is not refunded
    expect(await wire.credits(member)).toBe(before - 4);
    const child = dataOf(await act(request_id, 'retry-failed'));
    expect(child).toMatchObject({ retry_of: request_id, total_rows: 2, credits: 3 });
    const again = (await wire.left('texts', 5)).map(({ to, text }) => [to, text]);
    for (const place of [1, 2]) {
      const copies = again.filter(([to, text]) => to === NUMBERS[place] && text === TEXTS[place]);
      expect(copies).toHaveLength(2);
    }
  });

  it('SMS over SMPP, in parts and in its own encoding', async () => {
    const recipients = [
      { to: NUMBERS[0], variables: { name: 'Łódź' } },
      { to: NUMBERS[1], variables: { name: LONG } },
    ];
    const sent = await send({ channel: 'sms', route: 'smsc', message: TEXT, recipients });
    expect(sent).toMatchObject({ credits: 3, route: 'smsc' });
    await vi.waitFor(async () => expect((await sandbox.ledger()).total).toBe(2), WAIT);
    const messages = [...(await sandbox.ledger()).messages].sort((a, b) => (a.to < b.to ? -1 : 1));
    expect(messages.map(({ to, text, parts }) => [to, text, parts])).toEqual([
      [NUMBERS[0], 'Hi Łódź', 1],
      [NUMBERS[1], `Hi ${LONG}`, 2],
    ]);
  });

  it('unofficial chat: the text of each, and the attachment of all', async () => {
    const img1 = 'https://files.example.com/offer.jpg';
    await send({ channel: 'unofficial', message: TEXT, img1, recipients: RECIPIENTS });
    const left = await wire.left('chats', 6);
    const of = (number: string): Json[] => left.filter(({ to }) => to === number);
    for (const [index, number] of NUMBERS.entries()) {
      expect(of(number).map(({ text }) => text)).toContain(TEXTS[index]);
      expect(of(number).map(({ media_url }) => media_url)).toContain(img1);
    }
  });

  it('templates: parameters by position and by name, media of each', async () => {
    await wire.connectChat(member, 'official');
    await wire.template(member, 'order', {
      body: 'Hi {{1}}, order {{2}}',
      headerAreaType: 'text',
      headerText: 'No. {{1}}',
    });
    await wire.template(member, 'offer', { body: 'Hi {{1}}', headerAreaType: 'media', headerMediaType: 'Image' });
    const variables = { 1: 'Asha', 2: 'A {{1}}', header_1: '7' };
    await send({ channel: 'template', template: 'order', recipients: [{ to: NUMBERS[0], variables }] });
    const text = (value: string): Json => ({ type: 'text', text: value });
    expect((await wire.chatted(1))[0]).toMatchObject({
      to: NUMBERS[0],
      type: 'template',
      template: {
        name: 'order',
        language: { code: 'en_US' },
        components: [
          { type: 'header', parameters: [text('7')] },
          { type: 'body', parameters: [text('Asha'), text('A {{1}}')] },
        ],
      },
    });
    const image = (link: string): Json => ({ type: 'header', parameters: [{ type: 'image', image: { link } }] });
    const components = [
      image('https://files.example.com/{{file}}.jpg'),
      { type: 'body', parameters: [text('{{name|you}}')] },
    ];
    await send({
      channel: 'branded',
      template: { name: 'offer', components },
      recipients: [
        { to: NUMBERS[1], variables: { file: 'a', name: 'Zoë' } },
        { to: NUMBERS[2], variables: { file: 'b' } },
      ],
    });
    const sent = (await wire.chatted(3)).slice(1);
    expect(sent.map(({ to, template }) => [to, (template as Json)['components']])).toEqual([
      [NUMBERS[1], [image('https://files.example.com/a.jpg'), { type: 'body', parameters: [text('Zoë')] }]],
      [NUMBERS[2], [image('https://files.example.com/b.jpg'), { type: 'body', parameters: [text('you')] }]],
    ]);
    expect(Object.keys(sent[0] ?? {})).not.toContain('personalised');
  });

  it('that is cancelled gives each recipient its own price back', async () => {
    const before = Number(await wire.credits(member));
    const schedule_time = '2099-01-01T00:00:00Z';
    const sent = await send({ channel: 'sms', message: TEXT, recipients: RECIPIENTS, schedule_time });
    expect(await wire.credits(member)).toBe(before - 4);
    await act(sent['request_id'], 'cancel');
    await vi.waitFor(async () => expect(await wire.credits(member)).toBe(before), WAIT);
    const ledger = listOf(await wire.get('/v6/api/account/credits/ledger?balance=gsm_credits&limit=3', member));
    const amounts = ledger.filter(({ request_id }) => request_id === sent['request_id']).map(({ amount }) => amount);
    expect(amounts.reduce((sum: number, amount) => sum + Number(amount), 0)).toBe(0);
  });
});
