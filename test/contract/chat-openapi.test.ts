import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MetaCloudDriver } from '../../src/modules/providers/drivers/meta-cloud/meta-cloud.driver.js';
import { sampleOf } from '../../src/modules/providers/drivers/meta-cloud/templates.js';
import {
  BusinessProfileClient,
  ChatAccounts,
  type TemplateAccount,
  TemplateClient,
  type TemplateSubmission,
} from '../../src/modules/providers/index.js';
import { MESSAGE_TYPES } from '../../src/modules/session-messages/session-message.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';
import { type CallbackReceiver, graphCall, receiveCallbacks } from './callback-receiver.js';
import { SESSION_BODIES, TEMPLATE_COMPONENTS, V5_BODIES } from './chat-requests.js';
import { AMENDMENTS, type Operation, PublishedChatApi } from './published-chat-api.js';
import { openSandbox, type OpenSandbox } from './open-sandbox.js';
import { WireRecorder, type WireRequest } from './wire-recorder.js';

/**
 * Path of the upstream's OpenAPI description (`business-messaging-api_v23.0.yaml` of the public repository
 * facebook/openapi, MIT licensed). It is a megabyte and not ours, so it is not kept here: without it, the requests are
 * checked by the sandbox's rules alone.
 */
const DESCRIPTION = process.env['CHAT_OPENAPI'];

const NUMBER_ID = '106540352242922';
const WABA_ID = '102290129340398';
const TO = '4915100000001';

const MESSAGES: Operation = { path: '/{Version}/{Phone-Number-ID}/messages', method: 'post' };
const PROFILE = '/{Version}/{Phone-Number-ID}/whatsapp_business_profile';
const TEMPLATES = '/{Version}/{WABA-ID}/message_templates';
/** Which operation of the description a request is; null = the description has none (the resumable upload). */
const OPERATIONS: readonly [RegExp, Operation | null][] = [
  [/^POST \/v\d+\.\d\/\d+\/messages$/, MESSAGES],
  [/^GET \/v\d+\.\d\/\d+\/whatsapp_business_profile$/, { path: PROFILE, method: 'get' }],
  [/^POST \/v\d+\.\d\/\d+\/whatsapp_business_profile$/, { path: PROFILE, method: 'post' }],
  [/^POST \/v\d+\.\d\/\d+\/message_templates$/, { path: TEMPLATES, method: 'post' }],
  [/^GET \/v\d+\.\d\/\d+\/message_templates$/, { path: TEMPLATES, method: 'get' }],
  [/^DELETE \/v\d+\.\d\/\d+\/message_templates$/, { path: TEMPLATES, method: 'delete' }],
  [/^POST \/v\d+\.\d\/\d+$/, { path: '/{Version}/{TEMPLATE_ID}', method: 'post' }],
  [/^POST \/v\d+\.\d\/[^/]+\/uploads$/, null],
  [/^POST \/v\d+\.\d\/upload:/, null],
];
/** The upstream takes these on every read; the description lists them at some. */
const EVERYWHERE = ['fields', 'limit'];

const SUBMISSION: TemplateSubmission = {
  name: 'offer',
  category: 'marketing',
  language: 'en_US',
  header: null,
  body: 'Hi {{1}}, {{2}} left',
  bodyExamples: ['Ann', '12'],
  footer: 'Any time',
  buttons: [],
  quickReplies: ['Yes', 'No'],
};
const SUBMISSIONS: readonly Partial<TemplateSubmission>[] = [
  { header: { text: 'For {{1}}', example: 'Ann' } },
  { header: { text: 'News', example: null }, footer: '', quickReplies: [] },
  { header: { medium: 'Image', sample: null } },
  { header: { medium: 'Document', sample: null } },
  { header: { medium: 'Video', sample: null } },
  { body: 'Plain', bodyExamples: [], category: 'utility' },
  { category: 'auth' },
];

/** Everything that leaves the driver, by the ways by which it leaves. */
describe('requests of the chat driver', () => {
  const outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
  let sandbox: OpenSandbox;
  let wire: WireRecorder;
  let sessions: Sessions;
  let receiver: CallbackReceiver;
  let member: ChatMember;
  let account: TemplateAccount;

  beforeAll(async () => {
    sandbox = await openSandbox();
    wire = await WireRecorder.open(sandbox.url);
    receiver = await receiveCallbacks('verify');
    const callback = { callback_url: receiver.url, app_secret: 'secret', verify_token: 'verify' };
    await graphCall(sandbox, 'POST', '/chat/accounts', { phone_number_id: NUMBER_ID, waba_id: WABA_ID, ...callback });
    await sandbox.faults({ receiptDelayMs: 10, readReceipts: true });
    sessions = await openSessions();
    member = await sessions.member({ url: `${wire.url}/v23.0/${NUMBER_ID}/messages`, wabaId: WABA_ID });
    const stored = await sessions.api.app.get(ChatAccounts, { strict: false }).find(member.account.id, 'official');
    if (!stored) throw new Error('the account was not stored');
    account = { ...stored, wabaId: WABA_ID };
    await sendSessions();
    await sendTemplates();
    await handInTemplates();
    await changeProfile();
    await write();
  });
  afterAll(async () => {
    await sessions.stop();
    await wire.stop();
    await sandbox.stop();
    receiver.close();
    await outbound.onApplicationShutdown();
  });

  async function sendSessions(): Promise<void> {
    for (const body of Object.values(SESSION_BODIES)) {
      expect(await sessions.v6(member, { messaging_product: 'chat', to: TO, ...body })).toMatchObject({ status: 200 });
    }
    await sessions.openWindow(member, TO);
    for (const body of Object.values(V5_BODIES)) {
      const request = { brodcast_service: 'chat_credits', contacts: TO, ...body };
      expect(await sessions.v5(member, request)).toMatchObject({ status: 200 });
    }
  }

  async function sendTemplates(): Promise<void> {
    const config = { provider: 'meta_cloud', number: null, url: account.url, token: account.token } as const;
    const none = { app_id: null, app_secret: null, verify_token: null, bmid: null, waba_id: null };
    const route = { id: 1, name: 'chat', channel: 'chat', driver: 'meta_cloud', callbackSecret: '' } as const;
    const connection = new MetaCloudDriver(outbound).open({
      ...route,
      config: { ...config, ...none },
      messagesPerSecond: null,
    });
    const notAfter = performance.now() + 60_000;
    for (const [index, components] of Object.values(TEMPLATE_COMPONENTS).entries()) {
      const parts = components.length > 0 && { components };
      const payload = { type: 'template', template: { name: 'offer', language: { code: 'en_US' }, ...parts } };
      const outcome = await connection.send({ ref: `7-${index}`, to: TO, text: '', payload, notAfter });
      expect(outcome.kind).toBe('accepted');
    }
    await connection.close();
  }

  async function handInTemplates(): Promise<void> {
    const templates = sessions.api.app.get(TemplateClient, { strict: false });
    for (const [index, change] of SUBMISSIONS.entries()) {
      const template = { ...SUBMISSION, ...change, name: `offer_${index}` };
      const copy = await templates.create(account, template, await templates.components(account, template));
      await graphCall(sandbox, 'POST', `/chat/templates/${copy.id}/review`, { status: 'REJECTED', reason: 'SCAM' });
      await templates.edit(account, copy.id, template, await templates.components(account, template));
      expect(await templates.find(account, template.name)).toHaveLength(1);
      await templates.remove(account, copy);
    }
  }

  async function changeProfile(): Promise<void> {
    const profiles = sessions.api.app.get(BusinessProfileClient, { strict: false });
    await profiles.update(account, {
      about: 'Bread',
      address: '1 Main Street',
      description: 'The bakery',
      email: 'hello@a.example',
      vertical: 'RETAIL',
      websites: ['https://a.example', 'https://b.example'],
    });
    await profiles.changePhoto(account, sampleOf('Image'));
    await profiles.read(account);
  }

  /** What the sandbox tells us in its turn. */
  async function write(): Promise<void> {
    const from = { phone_number_id: NUMBER_ID, from: TO };
    await graphCall(sandbox, 'POST', '/chat/inbound', { ...from, text: 'Hello' });
    while (!receiver.received.some(({ raw }) => raw.includes('"read"'))) await sleep(10);
  }

  const operationOf = ({ method, path }: WireRequest): Operation | null | undefined =>
    OPERATIONS.find(([pattern]) => pattern.test(`${method} ${decodeURIComponent(path)}`))?.[1];
  const bodyOf = ({ body }: WireRequest): Record<string, unknown> =>
    JSON.parse(body.toString()) as Record<string, unknown>;
  const requestsOf = (wanted: Operation): WireRequest[] =>
    wire.requests.filter((request) => {
      const operation = operationOf(request);
      return operation?.path === wanted.path && operation.method === wanted.method;
    });

  it('are of every kind there is, each taken by the sandbox', () => {
    expect(wire.requests.filter(({ status }) => status !== 200)).toEqual([]);
    expect(wire.requests.filter((request) => operationOf(request) === undefined)).toEqual([]);
    const kinds = new Set(wire.requests.map((request) => JSON.stringify(operationOf(request))));
    expect(kinds.size).toBe(new Set(OPERATIONS.map(([, operation]) => JSON.stringify(operation))).size);
    const types = new Set(requestsOf(MESSAGES).map((request) => String(bodyOf(request)['type'])));
    expect([...types].sort()).toEqual([...MESSAGE_TYPES].sort());
  });

  it('carry the token in the header alone, and our reference with every message', () => {
    for (const { path, query, headers, body } of wire.requests) {
      const scheme = decodeURIComponent(path).includes('/upload:') ? 'OAuth' : 'Bearer';
      expect(headers.authorization).toBe(`${scheme} ${account.token ?? ''}`);
      expect(`${path} ${JSON.stringify(query)} ${body.toString('latin1')}`).not.toContain(account.token);
    }
    const references = requestsOf(MESSAGES).map((request) => bodyOf(request)['biz_opaque_callback_data']);
    for (const reference of references) expect(reference).toEqual(expect.stringMatching(/^(session-\d+|7-\d+)$/));
    expect(new Set(references).size).toBe(references.length);
  });

  describe.skipIf(!DESCRIPTION)('by the upstream’s published description', () => {
    let published: PublishedChatApi;
    beforeAll(async () => {
      published = await PublishedChatApi.open(DESCRIPTION ?? '');
    });

    it('are messages of its schemas', () => {
      for (const request of requestsOf(MESSAGES)) {
        expect([bodyOf(request), published.messageFaults(bodyOf(request))]).toEqual([bodyOf(request), []]);
      }
    });

    it('are bodies and queries of its operations', () => {
      for (const request of wire.requests) {
        const operation = operationOf(request);
        if (!operation) continue;
        const known = [...published.queryOf(operation), ...EVERYWHERE];
        expect(Object.keys(request.query).filter((name) => !known.includes(name))).toEqual([]);
        if (request.body.length === 0 || operation === MESSAGES) continue;
        const body = bodyOf(request);
        expect([body, published.faults(published.bodyOf(operation), body)]).toEqual([body, []]);
      }
    });

    it('are answered by statuses of its shape', () => {
      // Its schema of inbound messages borrows the fields of outbound ones (recipient_type, to): no message fits it.
      const told = receiver.values().filter((value) => value['statuses'] !== undefined);
      expect(told.length).toBeGreaterThan(0);
      for (const value of told) {
        expect([value, published.faults('#/components/schemas/StatusMessageValue', value)]).toEqual([value, []]);
      }
    });

    it('would be refused for a fault of ours', () => {
      const [request] = requestsOf(MESSAGES);
      if (!request) throw new Error('no message was sent');
      const body = bodyOf(request);
      const { to: _to, ...incomplete } = body;
      for (const wrong of [incomplete, { ...body, extra: 1 }, { ...body, text: { body: 1 } }, { ...body, type: 'x' }]) {
        expect(published.messageFaults(wrong)).not.toEqual([]);
      }
    });

    it.each(AMENDMENTS)('$name: amended because its own example says so', async (amendment) => {
      if (amendment.example === null) {
        expect(amendment.reason).toEqual(expect.any(String));
        return;
      }
      const example = published.example(MESSAGES, amendment.example);
      expect(example).not.toBeNull();
      expect(published.messageFaults(example)).toEqual([]);
      const others = AMENDMENTS.filter((other) => other !== amendment);
      const literal = await PublishedChatApi.open(DESCRIPTION ?? '', others);
      expect(literal.messageFaults(example)).not.toEqual([]);
    });
  });
});
