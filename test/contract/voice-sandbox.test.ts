import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallRecord } from '../../src/apps/sandbox/voice/calls.js';
import { twilioConfigSchema } from '../../src/modules/providers/drivers/twilio/call-request.js';
import { TwilioDriver } from '../../src/modules/providers/drivers/twilio/twilio.driver.js';
import type { CallStep, Receipt, RouteConnection, SendOutcome } from '../../src/modules/providers/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { openSandbox, type OpenSandbox } from './open-sandbox.js';
import { ACCOUNT_SID, type Asked, AUTH_TOKEN, openCallCustomer, type CallCustomer, ROUTE } from './call-customer.js';

const PATIENCE = { timeout: 60_000 };
const SOMEBODY = '4915100000001';

/** The driver against the sandbox's telephone network: fates, faults, menus, and the network's own manners. */
describe('telephone driver and sandbox', () => {
  const outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
  let sandbox: OpenSandbox;
  let customer: CallCustomer;
  let connection: RouteConnection;

  beforeAll(async () => {
    [sandbox, customer] = await Promise.all([openSandbox(), openCallCustomer()]);
  });
  beforeEach(async () => {
    await sandbox.clear();
    customer.asked.length = customer.receipts.length = customer.unsigned.length = 0;
    customer.script = () => ({ do: 'hangup' });
    connection = open();
  });
  afterEach(async () => connection.close());
  afterAll(async () => {
    await sandbox.stop();
    customer.close();
    await outbound.onApplicationShutdown();
  });

  const open = (more: Record<string, unknown> = {}, origin: string | null = customer.origin): RouteConnection =>
    new TwilioDriver(outbound, origin).open({
      id: 1,
      name: ROUTE,
      channel: 'voice',
      driver: 'twilio',
      config: twilioConfigSchema.parse({
        account_sid: ACCOUNT_SID,
        auth_token: AUTH_TOKEN,
        base_url: `${sandbox.url}/`,
        from: '+1 555 000 1111',
        ...more,
      }),
      messagesPerSecond: null,
      callbackSecret: '',
    });

  const call = (to: string, payload: Record<string, unknown> = {}, on = connection): Promise<SendOutcome> =>
    on.send({
      ref: `7-${to}`,
      to,
      text: '',
      payload: { audio: '/clip.wav', callerId: '4930123456', interactive: false, ...payload },
      notAfter: performance.now() + 60_000,
    });
  const menu = (to: string): Promise<SendOutcome> => call(to, { interactive: true });
  const script = async (body: Record<string, unknown>): Promise<Response> =>
    fetch(`${sandbox.url}/voice/script`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const accepted = (outcome: SendOutcome): string => {
    expect(outcome.kind).toBe('accepted');
    return outcome.kind === 'accepted' ? (outcome.providerMessageIds[0] ?? '') : '';
  };
  const endOf = (id: string): Promise<Receipt> =>
    vi.waitUntil(() => customer.receipts.find(({ providerMessageId }) => providerMessageId === id), PATIENCE);
  const recordOf = async (id: string): Promise<CallRecord | undefined> =>
    (await sandbox.ledger()).messages.find((entry) => entry.id === id)?.call;

  it('plays a clip, and tells how long the call was', async () => {
    const id = accepted(await call(SOMEBODY));
    expect(id).toMatch(/^CA[0-9a-f]{32}$/);
    expect(await endOf(id)).toEqual({
      providerMessageId: id,
      status: 'answered',
      errorCode: null,
      errorText: null,
      receiver: SOMEBODY,
      durationSeconds: 3,
      ref: `7-${SOMEBODY}`,
    });
    expect((await sandbox.ledger()).messages).toMatchObject([
      { id, protocol: 'voice', account: ACCOUNT_SID, from: '4930123456', to: SOMEBODY, status: 'DELIVERED' },
    ]);
    expect(await recordOf(id)).toMatchObject({ heard: [`${customer.origin}/clip.wav`], pressed: [], faults: [] });
    expect(customer.asked).toEqual([]);
    expect(customer.unsigned).toEqual([]);
  });

  it('knows every fate', async () => {
    const ends = async (to: string): Promise<Receipt> => endOf(accepted(await call(to)));
    expect(await ends('4915100000480')).toMatchObject({ status: 'no_answer', durationSeconds: 0, errorText: null });
    expect(await ends('4915100000486')).toMatchObject({ status: 'busy', durationSeconds: 0, errorText: null });
    expect(await ends('4915100000404')).toMatchObject({ status: 'failed', errorCode: 404, errorText: 'Call failed' });
    expect(await ends('4915100000603')).toMatchObject({ status: 'failed', errorCode: 603 });
    expect(await call('4915100000429')).toEqual({
      kind: 'retry',
      afterMs: 1_000,
      code: 20429,
      text: 'Too Many Requests',
      throttled: true,
    });
    expect(await ends('4915100000429')).toMatchObject({ status: 'answered' });
    expect(await call('4915100000500')).toMatchObject({ kind: 'retry', code: 20500, throttled: false });
    expect(await ends('4915100000500')).toMatchObject({ status: 'answered' });
    const silent = accepted(await call('4915100000408'));
    expect((await ends(SOMEBODY)).status).toBe('answered');
    expect(customer.receipts.some(({ providerMessageId }) => providerMessageId === silent)).toBe(false);
    expect((await sandbox.ledger()).counts).toMatchObject({
      ACCEPTED: 1,
      DELIVERED: 3,
      FAILED: 4,
      throttled: 1,
      errors: 1,
    });
  });

  it('people behave as tests say: who is busy first may answer later', async () => {
    expect((await script({ to: SOMEBODY, outcomes: ['busy', 'no-answer', 'answered'] })).status).toBe(200);
    const ends: string[] = [];
    for (let i = 0; i < 4; i++) ends.push((await endOf(accepted(await call(SOMEBODY)))).status);
    expect(ends).toEqual(['busy', 'no_answer', 'answered', 'answered']);
    expect((await script({ to: SOMEBODY, digits: ['12'] })).status).toBe(400);
    expect((await script({ to: SOMEBODY, colour: 'red' })).status).toBe(400);
  });

  it('walks menus: keys, silence, clips, forwards, recordings', async () => {
    const steps: CallStep[] = [
      { do: 'menu', prompt: `${customer.origin}/clip.wav`, digits: '1#', timeoutSeconds: 5 },
      { do: 'menu', prompt: null, digits: '1#', timeoutSeconds: 5 },
      { do: 'play', audio: 'https://elsewhere.example/a.mp3?x=1&y=2', then: 'continue' },
      { do: 'dial', number: '4930000001', callerId: '4930123456', maxSeconds: 600 },
      { do: 'dial', number: '4930000486', callerId: '', maxSeconds: 600 },
      { do: 'dial', number: '4930000002', callerId: '4930123456', maxSeconds: 4 },
      { do: 'record', maxSeconds: 3 },
      { do: 'play', audio: `${customer.origin}/clip.wav`, then: 'hangup' },
    ];
    customer.script = ({ step }) => steps[step] ?? { do: 'hangup' };
    await script({ to: SOMEBODY, digits: ['', '#'], forwards: { '4930000001': 'no-answer' } });
    const id = accepted(await menu(SOMEBODY));
    // 3 + 5 of silence, 1 for the key, 3 + 4 + 3 + 3
    expect(await endOf(id)).toMatchObject({ status: 'answered', durationSeconds: 22 });
    const record = await recordOf(id);
    const [recording] = record?.recordings ?? [];
    expect(record).toMatchObject({
      heard: [`${customer.origin}/clip.wav`, 'https://elsewhere.example/a.mp3?x=1&y=2', `${customer.origin}/clip.wav`],
      pressed: ['', '#'],
      dialed: [
        { number: '4930000001', callerId: '+4930123456', timeLimit: 600, outcome: 'no-answer' },
        { number: '4930000486', callerId: null, timeLimit: 600, outcome: 'busy' },
        { number: '4930000002', callerId: '+4930123456', timeLimit: 4, outcome: 'completed' },
      ],
      faults: [],
    });
    const recorded = { ref: `7-${SOMEBODY}`, step: 7, event: { kind: 'recorded', url: recording, seconds: 3 } };
    await vi.waitUntil(() => customer.asked.filter(({ step }) => step === 7).length === 2, PATIENCE);
    expect(customer.asked.filter(({ step }) => step === 7)).toEqual([recorded, recorded]);
    expect(customer.asked.filter(({ step }) => step < 7).map(({ step, event }) => [step, event])).toEqual([
      [0, { kind: 'answered' }],
      [1, { kind: 'digits', digits: '' }],
      [2, { kind: 'digits', digits: '#' }],
      [3, { kind: 'played' }],
      [4, { kind: 'dialed', outcome: 'no_answer', seconds: 0 }],
      [5, { kind: 'dialed', outcome: 'busy', seconds: 0 }],
      [6, { kind: 'dialed', outcome: 'completed', seconds: 4 }],
    ]);
    const heard = await fetch(recording ?? '');
    expect([heard.status, heard.headers.get('content-type')]).toEqual([200, 'audio/x-wav']);
    expect(customer.unsigned).toEqual([]);
  });

  it('goes on when nobody speaks, and ends when the callee hangs up', async () => {
    customer.script = ({ step }) => (step === 0 ? { do: 'record', maxSeconds: 3 } : { do: 'hangup' });
    await script({ to: SOMEBODY, speaks: false });
    await endOf(accepted(await menu(SOMEBODY)));
    expect(customer.asked.map(({ event }) => event)).toEqual([
      { kind: 'answered' },
      { kind: 'recorded', url: '', seconds: 0 },
    ]);
    customer.script = () => ({ do: 'menu', prompt: null, digits: '1', timeoutSeconds: 5 });
    await script({ to: SOMEBODY, digits: ['1', 'hangup'] });
    expect(await endOf(accepted(await menu(SOMEBODY)))).toMatchObject({ status: 'answered', durationSeconds: 1 });
  });

  it('says what it could not carry out', async () => {
    customer.script = ({ step }: Asked) =>
      step < 2 ? { do: 'play', audio: `${customer.origin}/nothing.wav`, then: 'continue' } : { do: 'hangup' };
    const id = accepted(await menu(SOMEBODY));
    expect(await endOf(id)).toMatchObject({ status: 'answered', durationSeconds: 1 });
    const fault = 'clip answers 403';
    expect(await recordOf(id)).toMatchObject({ heard: [], faults: [fault, fault] });
    const lost = open({}, 'http://127.0.0.1:9');
    const unheard = accepted(await call(SOMEBODY, { interactive: true }, lost));
    await vi.waitUntil(async () => (await recordOf(unheard))?.faults.includes('no document (11200)'), PATIENCE);
    await lost.close();
  });

  it.each<[Record<string, unknown>, string]>([
    [{ audio: '' }, 'Nothing to play'],
    [{ audio: 5 }, 'Nothing to play'],
  ])('never sends %j', async (payload, text) => {
    expect(await call(SOMEBODY, payload)).toEqual({ kind: 'rejected', code: null, text, submitted: false });
  });

  it('never calls from nowhere, or without an address of ours', async () => {
    const anonymous = open({ from: undefined });
    expect(await call(SOMEBODY, { callerId: '' }, anonymous)).toMatchObject({
      text: 'No caller number',
      submitted: false,
    });
    const homeless = open({}, null);
    expect(await call(SOMEBODY, {}, homeless)).toMatchObject({ text: 'PUBLIC_URL is not set', submitted: false });
    expect((await sandbox.ledger()).total).toBe(0);
    accepted(await call(SOMEBODY, { callerId: '' }));
    expect((await sandbox.ledger()).messages[0]?.from).toBe('15550001111');
    await Promise.all([anonymous.close(), homeless.close()]);
  });

  it('calls what left and was not answered unknown, what did not leave certain', async () => {
    await sandbox.faults({ dropAfterSubmits: 1 });
    expect(await call(SOMEBODY)).toEqual({ kind: 'unknown' });
    await sandbox.faults({ stopAnswering: true });
    const hasty = open({ timeout_ms: 200 });
    expect(await call(SOMEBODY, {}, hasty)).toEqual({ kind: 'unknown' });
    await sandbox.faults({ stopAnswering: false, refuseAll: true });
    expect(await call(SOMEBODY)).toMatchObject({ kind: 'retry', code: 20503, throttled: false });
    await sandbox.faults({ refuseAll: false, throttleAll: true });
    expect(await call(SOMEBODY)).toMatchObject({ kind: 'retry', throttled: true });
    const nowhere = open({ base_url: 'http://127.0.0.1:9' });
    expect(await call(SOMEBODY, {}, nowhere)).toEqual({
      kind: 'unsent',
      afterMs: 1_000,
      text: 'Telephone network is not reachable: connection refused',
    });
    expect((await sandbox.ledger()).total).toBe(2);
    await Promise.all([hasty.close(), nowhere.close()]);
  });

  it('knows a worthless token', async () => {
    const stranger = open({ auth_token: 'bad-token' });
    expect(await call(SOMEBODY, {}, stranger)).toEqual({
      kind: 'rejected',
      code: 20003,
      text: 'Authenticate',
      submitted: true,
    });
    await stranger.close();
  });

  it('tells the end before the answer when asked to', async () => {
    await sandbox.faults({ receiptsFirst: true });
    const id = accepted(await call(SOMEBODY));
    expect(customer.receipts.map(({ providerMessageId }) => providerMessageId)).toEqual([id]);
  });

  it('takes many at once and loses none', async () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => `49152${String(index).padStart(4, '0')}111`);
    const ids = (await Promise.all(numbers.map((to) => call(to)))).map(accepted);
    expect(new Set(ids).size).toBe(1_000);
    await vi.waitUntil(() => customer.receipts.length >= 1_000, PATIENCE);
    expect(new Set(customer.receipts.map(({ providerMessageId }) => providerMessageId))).toEqual(new Set(ids));
  });

  it.each<[string, Record<string, string>, number]>([
    ['nobody', {}, 21201],
    ['no caller', { To: '+4915100000001' }, 21213],
    ['a number without +', { To: '4915100000001', From: '+4930123456' }, 21211],
    ['an odd caller', { To: '+4915100000001', From: 'me' }, 21212],
    ['no instructions', { To: '+4915100000001', From: '+4930123456' }, 21205],
    ['an odd address', { To: '+4915100000001', From: '+4930123456', Url: 'file:///etc' }, 21205],
    ['a long document', { To: '+4915100000001', From: '+4930123456', Twiml: 'x'.repeat(4_001) }, 21602],
    [
      'an odd callback',
      { To: '+4915100000001', From: '+4930123456', Twiml: '<Response/>', StatusCallback: 'here' },
      21609,
    ],
  ])('refuses %s', async (_, form, code) => {
    const answer = await create(form);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code, status: 400, message: expect.any(String) as string });
  });

  it('refuses strangers and unknown paths', async () => {
    expect((await create({}, `AC${'f'.repeat(32)}`)).status).toBe(401);
    const path = `${sandbox.url}/2010-04-01/Accounts/${ACCOUNT_SID}/Sips.json`;
    expect(await (await fetch(path)).json()).toMatchObject({ code: 20404 });
  });

  const create = (form: Record<string, string>, account = ACCOUNT_SID): Promise<Response> =>
    fetch(`${sandbox.url}/2010-04-01/Accounts/${account}/Calls.json`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString('base64')}` },
      body: new URLSearchParams(form),
    });
});
