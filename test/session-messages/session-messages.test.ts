import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SESSION_EXAMPLES } from '../../src/modules/session-messages/session-messages.dto.js';
import { PHONE_NUMBER_ID } from '../support/graph-upstream.js';
import { until } from '../support/processes.js';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';

const TO = '919812345678';
const ENVELOPE = { messaging_product: 'chat', to: TO };
const GOOD = { ...ENVELOPE, type: 'text', text: { body: 'Hello' } };

let sessions: Sessions;
let member: ChatMember;

beforeAll(async () => {
  sessions = await openSessions();
  member = await sessions.member();
});
afterAll(() => sessions.stop());
beforeEach(() => sessions.upstream.answer(null));

/** Sends, and answers what reached the upstream. */
async function onTheWire(body: unknown): Promise<Record<string, unknown>> {
  const answer = await sessions.v6(member, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return sessions.upstream.last.body;
}

const status = (id: string, word: string, errors: unknown[] = []): Record<string, unknown> => ({
  id,
  status: word,
  timestamp: '1700000000',
  recipient_id: TO,
  ...(errors.length > 0 && { errors }),
});

describe('a session message', () => {
  it("leaves for the account's number with its token, and the provider's answer passes through", async () => {
    const answer = await sessions.v6(member, GOOD);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      messaging_product: 'chat',
      contacts: [{ input: TO, wa_id: TO }],
      messages: [{ id: expect.stringMatching(/^wamid\./) as string }],
    });
    const { path, headers, body } = sessions.upstream.last;
    expect(path).toBe(`/v21.0/${PHONE_NUMBER_ID}/messages`);
    expect(headers.authorization).toBe('Bearer token-of-the-account');
    expect(body).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: TO,
      type: 'text',
      text: { body: 'Hello' },
      biz_opaque_callback_data: expect.stringMatching(/^session-\d+$/) as string,
    });
  });

  const { template: _, ...sent } = SESSION_EXAMPLES;
  it.each(Object.entries(sent))('of type %s goes through whole', async (type, { value }) => {
    const body = await onTheWire({ ...value, unknown: 'dropped', context: { message_id: 'wamid.1', extra: [1] } });
    expect(body).toMatchObject({ type, context: { message_id: 'wamid.1', extra: [1] } });
    expect(body[type]).toEqual((value as Record<string, unknown>)[type]);
    expect(body).not.toHaveProperty('unknown');
  });

  it.each(['image', 'audio', 'video', 'document', 'sticker'])('%s with id and link: the id is sent', async (type) => {
    const part = { id: 4711, link: 'https://example.com/x', caption: 'x' };
    const body = await onTheWire({ ...ENVELOPE, type, [type]: part });
    expect(body[type]).toEqual({ id: '4711', caption: 'x' });
  });

  it('numbers become texts, and texts coordinates', async () => {
    expect((await onTheWire({ ...ENVELOPE, type: 'text', text: { body: 0 } }))['text']).toEqual({ body: '0' });
    const reaction = { message_id: 7, emoji: 7 };
    expect((await onTheWire({ ...ENVELOPE, type: 'reaction', reaction }))['reaction']).toEqual({
      message_id: '7',
      emoji: '7',
    });
    const location = { latitude: '0', longitude: '-13.5' };
    expect((await onTheWire({ ...ENVELOPE, type: 'location', location }))['location']).toEqual({
      latitude: 0,
      longitude: -13.5,
    });
  });

  it('keeps recipient_type; a context that is no object is dropped', async () => {
    const body = await onTheWire({ ...GOOD, recipient_type: 'group', context: 'x' });
    expect(body['recipient_type']).toBe('group');
    expect(body).not.toHaveProperty('context');
  });

  it('is free and stored with the id of the provider', async () => {
    const who = await sessions.member();
    const answer = await sessions.v6(who, GOOD);
    expect(await sessions.stored(who)).toMatchObject([
      {
        status: 'Submitted',
        receiver: TO,
        content: { type: 'text', text: { body: 'Hello' } },
        providerMessageId: (answer.body['messages'] as { id: string }[])[0]?.id,
      },
    ]);
    const [ledger] = await sessions.dataSource.query<{ entries: number }[]>(
      "SELECT COUNT(*) AS entries FROM credit_ledger WHERE account_id = ? AND kind = 'debit'",
      [who.account.id],
    );
    expect(Number(ledger?.entries)).toBe(0);
  });

  it('reseller accounts name their business', async () => {
    const who = await sessions.member({ provider: 'reseller', bmid: 'bm-7' });
    expect((await sessions.v6(who, GOOD)).status).toBe(200);
    expect(sessions.upstream.last.headers['bmid']).toBe('bm-7');
  });

  it('an answer without an id passes through too', async () => {
    const who = await sessions.member();
    sessions.upstream.answer({ status: 200, body: { messaging_product: 'whatsapp', odd: true } });
    const answer = await sessions.v6(who, GOOD);
    expect([answer.status, answer.body]).toEqual([200, { messaging_product: 'chat', odd: true }]);
    expect(await sessions.stored(who)).toMatchObject([{ status: 'Submitted', providerMessageId: null }]);
  });

  it('an id that nobody can keep passes through too', async () => {
    const who = await sessions.member();
    for (const id of ['i'.repeat(129), '', null, {}]) {
      sessions.upstream.answer({ status: 200, body: { messages: [{ id }] } });
      expect((await sessions.v6(who, GOOD)).body).toEqual({ messages: [{ id }] });
    }
    for (const row of await sessions.stored(who))
      expect(row).toMatchObject({ status: 'Submitted', providerMessageId: null });
  });
});

describe('a message of type template', () => {
  it('goes the way of chatTemplate', async () => {
    const who = await sessions.member();
    const name = 'spring_sale';
    const request = { ...ENVELOPE, type: 'template', template: { name, language: { code: 'en_US' } } };
    const missing = await sessions.v6(who, request);
    expect([missing.status, missing.body.message]).toEqual([404, 'Template not found']);
    const created = await sessions.accounts.call('POST', '/webhook/api/createTemplates.php', {
      token: who.token,
      body: { template_name: name, category: 'marketing', template_body: 'Spring is here' },
    });
    expect(created.status).toBe(200);
    await sessions.dataSource.query('UPDATE templates SET status = 1 WHERE account_id = ?', [who.account.id]);
    const queued = await sessions.v6(who, request);
    expect(queued.status).toBe(201);
    expect(queued.body).toMatchObject({ success: true, template_name: name, username: who.account.username });
    const many = await sessions.v6(who, { ...request, to: [TO, '919812345679'] });
    expect(many.body).toMatchObject({ message: 'Template campaign queued successfully', contacts: 2 });
    expect(await sessions.stored(who)).toEqual([]);
  });

  it('has the rows of that table', async () => {
    const answer = await sessions.v6(member, { ...ENVELOPE, type: 'template', template: 'x' });
    expect([answer.status, answer.body.message]).toEqual([400, 'template must be an object']);
  });
});

describe('statuses', () => {
  const sentBy = async (who: ChatMember): Promise<string> =>
    ((await sessions.v6(who, GOOD)).body['messages'] as { id: string }[])[0]!.id;

  it('move the message forward only', async () => {
    const who = await sessions.member();
    const id = await sentBy(who);
    for (const [word, expected] of [
      ['sent', 'Submitted'],
      ['delivered', 'Delivered'],
      ['sent', 'Delivered'],
      ['read', 'Read'],
      ['delivered', 'Read'],
      ['failed', 'Read'],
    ] as const) {
      expect(await sessions.callback(who, [status(id, word)])).toBe(200);
      expect(await sessions.stored(who), word).toMatchObject([{ status: expected }]);
    }
  });

  it('several in one callback, and failures with code and text', async () => {
    const who = await sessions.member();
    const [one, two] = [await sentBy(who), await sentBy(who)];
    const errors = [{ code: 131026, title: 'Message undeliverable' }];
    await sessions.callback(who, [status(one, 'delivered'), status(one, 'read'), status(two, 'failed', errors)]);
    expect(await sessions.stored(who)).toMatchObject([
      { status: 'Read', errorCode: null, errorMessage: null },
      { status: 'Failed', errorCode: 131026, errorMessage: expect.stringContaining('undeliverable') as string },
    ]);
    const unmatched = await sessions.dataSource.query<unknown[]>('SELECT id FROM parked_receipts WHERE route_id = ?', [
      who.routeId,
    ]);
    expect(unmatched).toEqual([]);
  });

  it("of one account never touch another's message", async () => {
    const [one, two] = [await sessions.member(), await sessions.member()];
    const id = await sentBy(one);
    await sessions.callback(two, [status(id, 'failed')]);
    expect(await sessions.stored(one)).toMatchObject([{ status: 'Submitted' }]);
  });

  it('that came before the answer was written find their message; no receipt in time: FAILED', async () => {
    const who = await sessions.member();
    await sessions.callback(who, [status('wamid.EARLY', 'delivered')]);
    sessions.upstream.answer({ status: 200, body: { messages: [{ id: 'wamid.EARLY' }] } });
    await sessions.v6(who, GOOD);
    sessions.upstream.answer('silence');
    await sessions.v6(who, GOOD);
    sessions.upstream.answer(null);
    await sentBy(who);
    const patient = await sessions.startWorker();
    try {
      await until('the early receipt to be read', async () => {
        const [first] = await sessions.stored(who);
        return first?.status === 'Delivered';
      });
    } finally {
      await patient.close();
    }
    const worker = await sessions.startWorker({ RECEIPT_TIMEOUT: 2_000 });
    try {
      await until('the messages to be settled', async () =>
        (await sessions.stored(who)).every(({ status: word }) => word === 'Delivered' || word === 'Failed'),
      );
      expect(await sessions.stored(who)).toMatchObject([
        { status: 'Delivered' },
        { status: 'Failed', errorMessage: 'No delivery receipt' },
        { status: 'Failed', errorMessage: 'No delivery receipt' },
      ]);
    } finally {
      await worker.close();
    }
  });
});
