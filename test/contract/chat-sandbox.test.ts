import { randomInt } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { MetaCloudDriver } from '../../src/modules/providers/drivers/meta-cloud/meta-cloud.driver.js';
import { readCallback, signatureOf } from '../../src/modules/providers/drivers/meta-cloud/callbacks.js';
import { metaCloudConfigSchema } from '../../src/modules/providers/drivers/meta-cloud/config.js';
import {
  MetaCloudClient,
  type Receipt,
  type RouteConnection,
  type SendOutcome,
} from '../../src/modules/providers/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { type CallbackReceiver, graphCall, receiveCallbacks } from './callback-receiver.js';
import { openSandbox, type OpenSandbox } from './open-sandbox.js';

const PATIENCE = { timeout: 60_000 };
const SECRET = 'app-secret';
const VERIFY = 'verify-token';
const WABA = '102290129340398';

const accepted = (outcome: SendOutcome): string => {
  expect(outcome.kind).toBe('accepted');
  return outcome.kind === 'accepted' ? (outcome.providerMessageIds[0] ?? '') : '';
};

/** The driver against the sandbox's chat upstream: fates, faults, statuses, and the upstream's own manners. */
describe('chat driver and sandbox', () => {
  const outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
  const driver = new MetaCloudDriver(outbound);
  let sandbox: OpenSandbox;
  let receiver: CallbackReceiver;
  let connection: RouteConnection;
  let phoneNumberId = '';

  beforeAll(async () => {
    sandbox = await openSandbox();
    receiver = await receiveCallbacks(VERIFY);
  });
  beforeEach(async () => {
    await sandbox.clear();
    receiver.received.length = 0;
    phoneNumberId = String(randomInt(1_000_000_000, 2_000_000_000));
    expect((await register()).status).toBe(200);
    connection = open();
  });
  afterEach(async () => connection.close());
  afterAll(async () => {
    await sandbox.stop();
    receiver.close();
    await outbound.onApplicationShutdown();
  });

  const register = (more: Record<string, unknown> = {}) =>
    graphCall(sandbox, 'POST', '/chat/accounts', {
      phone_number_id: phoneNumberId,
      waba_id: WABA,
      callback_url: receiver.url,
      app_secret: SECRET,
      verify_token: VERIFY,
      ...more,
    });

  const open = (more: Record<string, unknown> = {}): RouteConnection =>
    driver.open({
      id: 1,
      name: 'chat/1/official',
      channel: 'chat',
      driver: 'meta_cloud',
      config: metaCloudConfigSchema.parse({
        provider: 'meta_cloud',
        url: `${sandbox.url}/v21.0/${phoneNumberId}`,
        token: 'token',
        ...more,
      }),
      messagesPerSecond: null,
      callbackSecret: '',
    });

  const send = (to: string, payload?: Record<string, unknown>, on = connection): Promise<SendOutcome> =>
    on.send({ ref: `7-${to}`, to, text: 'hi', notAfter: performance.now() + 60_000, ...(payload && { payload }) });

  const receipts = (): Receipt[] =>
    receiver.received.flatMap(
      ({ raw }) => readCallback({ phoneNumberId, wabaId: WABA }, JSON.parse(raw), new Date()).receipts,
    );
  const words = (id: string): string[] =>
    receipts()
      .filter((receipt) => receipt.providerMessageId === id)
      .map(({ status }) => status);
  const lifeOf = (id: string, until: string): Promise<string[]> =>
    vi.waitUntil(() => (words(id).includes(until) ? words(id) : false), PATIENCE);

  it('brings text and reference as they are, and each status after the other', async () => {
    const text = 'quotes " \\ Привет 😀 €';
    const id = accepted(await send('4915100000001', { type: 'text', text: { body: text } }));
    expect(await lifeOf(id, 'delivered')).toEqual(['submitted', 'delivered']);
    expect((await sandbox.ledger()).messages).toMatchObject([
      { id, protocol: 'chat', account: phoneNumberId, to: '4915100000001', text, status: 'DELIVERED' },
    ]);
    expect(receiver.values()[0]).toMatchObject({
      statuses: [{ id, status: 'sent', recipient_id: '4915100000001', biz_opaque_callback_data: '7-4915100000001' }],
    });
  });

  it('is read when people read', async () => {
    await sandbox.faults({ readReceipts: true });
    const id = accepted(await send('4915100000001'));
    expect(await lifeOf(id, 'read')).toEqual(['submitted', 'delivered', 'read']);
    expect((await sandbox.ledger()).counts).toMatchObject({ READ: 1 });
  });

  it('knows every fate', async () => {
    const undeliverable = accepted(await send('4915100000404'));
    expect(await lifeOf(undeliverable, 'failed')).toEqual(['submitted', 'failed']);
    expect(receipts().find(({ status }) => status === 'failed')).toEqual({
      providerMessageId: undeliverable,
      status: 'failed',
      errorCode: 131026,
      errorText: 'Message undeliverable',
      receiver: '4915100000404',
      ref: '7-4915100000404',
    });
    expect(await send('4915100000603')).toMatchObject({ kind: 'rejected', code: 131030, submitted: true });
    expect(await send('4915100000429')).toMatchObject({ kind: 'retry', code: 130429, throttled: true });
    const second = accepted(await send('4915100000429'));
    expect(await send('4915100000500')).toMatchObject({ kind: 'retry', code: 131000, throttled: false });
    const third = accepted(await send('4915100000500'));
    const silent = accepted(await send('4915100000408'));
    await lifeOf(second, 'delivered');
    await lifeOf(third, 'delivered');
    expect(words(silent)).toEqual([]);
    expect((await sandbox.ledger()).counts).toEqual({
      ACCEPTED: 1,
      DELIVERED: 2,
      READ: 0,
      FAILED: 2,
      throttled: 1,
      errors: 1,
    });
  });

  it.each([
    [
      { status: 400, code: 131047, message: '(#131047) Re-engagement message' },
      { kind: 'rejected', code: 131047 },
    ],
    [
      { status: 429, code: 131056, message: 'pair rate limit hit' },
      { kind: 'retry', code: 131056, throttled: true },
    ],
    [
      { status: 429, code: 80007, message: 'rate limit issues' },
      { kind: 'retry', code: 80007, throttled: true },
    ],
    [
      { status: 500, code: 131016, message: 'Service overloaded' },
      { kind: 'retry', code: 131016, throttled: false },
    ],
    [
      { status: 404, code: 132001, message: 'Template name does not exist' },
      { kind: 'rejected', code: 132001 },
    ],
  ])('the error %j means %j', async (chatError, outcome) => {
    await sandbox.faults({ chatError });
    expect(await send('4915100000001')).toMatchObject(outcome);
    expect((await sandbox.ledger()).total).toBe(0);
  });

  it.each([
    ['server error', 'unknown', 0],
    ['redirect', 'rejected', 0],
    ['not JSON', 'unknown', 1],
    ['huge', 'unknown', 1],
  ])('an answer that is none (%s) is %s', async (chatAnswer, kind, total) => {
    await sandbox.faults({ chatAnswer });
    expect((await send('4915100000001')).kind).toBe(kind);
    expect((await sandbox.ledger()).total).toBe(total);
  });

  it('calls what left and was not answered unknown', async () => {
    await sandbox.faults({ dropAfterSubmits: 1 });
    expect(await send('4915100000001')).toEqual({ kind: 'unknown' });
    await sandbox.faults({ refuseAll: true });
    expect(await send('4915100000002')).toMatchObject({ kind: 'retry', code: 2, throttled: false });
    expect((await sandbox.ledger()).messages.map(({ to }) => to)).toEqual(['4915100000001']);
  });

  it('carries out what it does not answer', async () => {
    await sandbox.faults({ stopAnswering: true });
    const account = { id: 1, provider: 'meta_cloud', token: 'token', bmid: null } as const;
    const message = { to: '4915100000001', payload: { type: 'text', text: { body: 'hi' } } };
    const url = `${sandbox.url}/v21.0/${phoneNumberId}`;
    const sent = new MetaCloudClient(outbound).send({ ...account, url }, message, 200);
    await expect(sent).rejects.toMatchObject({ kind: 'upstream', message: 'Provider did not answer' });
    expect((await sandbox.ledger()).messages.map(({ to }) => to)).toEqual(['4915100000001']);
  });

  it('knows a worthless token, and a missing one', async () => {
    const stranger = open({ token: 'bad-token' });
    expect(await send('4915100000001', undefined, stranger)).toMatchObject({ kind: 'rejected', code: 190 });
    await stranger.close();
    const path = `/v21.0/${phoneNumberId}/messages`;
    expect(await graphCall(sandbox, 'POST', path, {}, { authorization: '' })).toMatchObject({
      status: 401,
      body: { error: { code: 190, type: 'OAuthException' } },
    });
  });

  it('tells statuses before the answer when asked to', async () => {
    await sandbox.faults({ receiptsFirst: true });
    const id = accepted(await send('4915100000001'));
    expect(words(id)).toContain('submitted');
  });

  it('sends many at once with none lost, and tells their statuses in batches', async () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => `49152${String(index).padStart(4, '0')}111`);
    const ids = (await Promise.all(numbers.map((to) => send(to)))).map(accepted);
    expect(new Set(ids).size).toBe(1_000);
    await vi.waitUntil(() => receipts().filter(({ status }) => status === 'delivered').length === 1_000, PATIENCE);
    expect(receiver.received.length).toBeLessThan(1_000);
    expect((await sandbox.ledger()).counts).toMatchObject({ DELIVERED: 1_000 });
  });

  it('lets free-form messages of a closed window fail, until the recipient writes', async () => {
    await sandbox.faults({ enforceWindows: true });
    const closed = accepted(await send('4915100000001'));
    expect(await lifeOf(closed, 'failed')).toEqual(['failed']);
    expect(receipts()[0]).toMatchObject({ errorCode: 131047 });
    const written = await graphCall(sandbox, 'POST', '/chat/inbound', {
      phone_number_id: phoneNumberId,
      from: '4915100000001',
      text: 'Hello',
    });
    expect(written).toMatchObject({ status: 200, body: { taken: true } });
    expect(receiver.values().at(-1)).toMatchObject({
      metadata: { phone_number_id: phoneNumberId },
      contacts: [{ wa_id: '4915100000001' }],
      messages: [{ id: written.body['id'], from: '4915100000001', type: 'text', text: { body: 'Hello' } }],
    });
    await lifeOf(accepted(await send('4915100000001')), 'delivered');
  });

  it('plays contacts that show no number: what they write, what they set, what is sent to them', async () => {
    const USER_ID = 'DE.13491208655302741111';
    const contact = (path: string, body: Record<string, unknown>) =>
      graphCall(sandbox, 'POST', path, { phone_number_id: phoneNumberId, ...body });
    expect(await contact('/chat/inbound', { user_id: USER_ID, text: 'Hello' })).toMatchObject({ status: 200 });
    const [message] = receiver.values().at(-1)?.['messages'] as Record<string, unknown>[];
    expect(message).toMatchObject({ from_user_id: USER_ID, text: { body: 'Hello' } });
    expect(message).not.toHaveProperty('from');
    expect(receiver.values().at(-1)).toMatchObject({ contacts: [{ user_id: USER_ID }] });
    expect(await contact('/chat/preferences', { user_id: USER_ID, value: 'stop' })).toMatchObject({ status: 200 });
    expect(receiver.values().at(-1)).toMatchObject({
      user_preferences: [{ user_id: USER_ID, category: 'marketing_messages', value: 'stop' }],
    });
    const body = { messaging_product: 'whatsapp', recipient: USER_ID, type: 'text', text: { body: 'Hi' } };
    const sent = await graphCall(sandbox, 'POST', `/v21.0/${phoneNumberId}/messages`, body);
    expect(sent).toMatchObject({ status: 200, body: { contacts: [{ input: USER_ID, user_id: USER_ID }] } });
    const [{ id } = { id: '' }] = sent.body['messages'] as { id: string }[];
    await lifeOf(id, 'delivered');
    expect(receipts().every(({ receiver: number }) => number === null)).toBe(true);
    expect((await contact('/chat/inbound', { text: 'Nobody' })).status).toBe(400);
    expect((await contact('/chat/preferences', { phone_number_id: '1', from: '49151', value: 'stop' })).status).toBe(
      404,
    );
    const odd = { ...body, recipient: 'nobody' };
    expect(await graphCall(sandbox, 'POST', `/v21.0/${phoneNumberId}/messages`, odd)).toMatchObject({ status: 400 });
  });

  it('signs the bytes of every callback', async () => {
    await lifeOf(accepted(await send('4915100000001')), 'delivered');
    for (const { raw, headers } of receiver.received) {
      expect(headers['x-hub-signature-256']).toBe(signatureOf(Buffer.from(raw), SECRET));
    }
  });

  it('registers only a callback that answers the challenge', async () => {
    expect((await register({ verify_token: 'another' })).status).toBe(400);
    expect((await register({ callback_url: 'http://127.0.0.1:9/' })).status).toBe(400);
    const unknown = { phone_number_id: '1', from: '4915100000001', text: 'Hello' };
    expect((await graphCall(sandbox, 'POST', '/chat/inbound', unknown)).status).toBe(404);
  });

  it.each<[Record<string, unknown>, number, string]>([
    [{}, 100, 'The parameter messaging_product is required.'],
    [{ messaging_product: 'chat', to: '4915100000001' }, 100, 'must be one of {WHATSAPP} - got "chat".'],
    [{ messaging_product: 'whatsapp', type: 'text' }, 100, 'The parameter to is required.'],
    [{ messaging_product: 'whatsapp', to: '4915100000001', type: 'smoke' }, 100, 'Param type must be one of'],
    [{ messaging_product: 'whatsapp', to: '4915100000001', text: {} }, 131008, 'Required parameter is missing'],
    [
      { messaging_product: 'whatsapp', to: '4915100000001', type: 'image', image: { link: 'ftp://files' } },
      131009,
      'Parameter value is not valid',
    ],
  ])('refuses %j', async (request, code, text) => {
    const { status, body } = await graphCall(sandbox, 'POST', `/v21.0/${phoneNumberId}/messages`, request);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code, type: 'OAuthException', fbtrace_id: expect.any(String) as string } });
    expect((body['error'] as { message: string }).message).toContain(text);
  });

  it('keeps business profiles, with a photo in three steps', async () => {
    const path = `/v21.0/${phoneNumberId}/whatsapp_business_profile`;
    const bytes = new Uint8Array(3_000).fill(7);
    const session = await graphCall(sandbox, 'POST', '/v21.0/4711/uploads?file_length=3000&file_type=image/png');
    const octets = { authorization: 'OAuth token', 'content-type': 'image/png', file_offset: '0' };
    const sent = await graphCall(sandbox, 'POST', `/v21.0/${String(session.body['id'])}`, bytes, octets);
    const handle = sent.body['h'];
    expect(handle).toEqual(expect.any(String));
    const product = { messaging_product: 'whatsapp' };
    const change = (fields: Record<string, unknown>) => graphCall(sandbox, 'POST', path, { ...product, ...fields });
    expect(await change({ about: 'Bread', profile_picture_handle: handle })).toEqual({
      status: 200,
      body: { success: true },
    });
    expect((await change({ about: '' })).status).toBe(400);
    expect((await change({ websites: ['a', 'b'] })).status).toBe(400);
    expect((await change({ profile_picture_handle: 'unknown' })).status).toBe(400);
    const { body } = await graphCall(sandbox, 'GET', `${path}?fields=about,address,profile_picture_url`);
    expect(body).toEqual({
      data: [{ ...product, about: 'Bread', profile_picture_url: expect.stringContaining('https://') as string }],
    });
  });

  it('keeps templates and tells what became of their review', async () => {
    const path = `/v21.0/${WABA}/message_templates`;
    const name = `offer_${phoneNumberId}`;
    const components = [{ type: 'BODY', text: 'Hi {{1}}', example: { body_text: [['Ann']] } }];
    const request = { name, language: 'en_US', category: 'MARKETING', components };
    const created = await graphCall(sandbox, 'POST', path, request);
    expect(created).toMatchObject({ status: 200, body: { status: 'PENDING', category: 'MARKETING' } });
    expect((await graphCall(sandbox, 'POST', path, request)).body).toMatchObject({
      error: { code: 100, error_subcode: 2388024 },
    });
    const bare = { ...request, language: 'de', components: [{ type: 'BODY', text: 'Hi {{1}}' }] };
    expect((await graphCall(sandbox, 'POST', path, bare)).status).toBe(400);
    const id = String(created.body['id']);
    const review = { status: 'REJECTED', reason: 'INVALID_FORMAT' };
    expect((await graphCall(sandbox, 'POST', `/chat/templates/${id}/review`, review)).body['taken']).toBe(true);
    const callback = JSON.parse(receiver.received.at(-1)?.raw ?? '') as unknown;
    expect(readCallback({ phoneNumberId, wabaId: WABA }, callback, new Date()).templates).toMatchObject([
      { upstreamId: id, name, language: 'en_US', event: 'REJECTED', reason: 'INVALID_FORMAT', category: 'MARKETING' },
    ]);
    const listed = await graphCall(sandbox, 'GET', `${path}?name=${name}&fields=name,status,rejected_reason`);
    expect(listed.body['data']).toEqual([{ id, name, status: 'REJECTED', rejected_reason: 'INVALID_FORMAT' }]);
    expect((await graphCall(sandbox, 'POST', `/v21.0/${id}`, { components })).body).toEqual({ success: true });
    expect((await graphCall(sandbox, 'DELETE', `${path}?name=${name}`)).body).toEqual({ success: true });
    expect((await graphCall(sandbox, 'GET', `/v21.0/${id}`)).body).toMatchObject({ error: { error_subcode: 33 } });
  });
});
