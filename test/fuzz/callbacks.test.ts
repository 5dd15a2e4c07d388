import { createHmac } from 'node:crypto';
import { QueryBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProveCreditsQuery } from '../../src/modules/credits/index.js';
import { callbackPath, ReceiptSink, RouteDirectory } from '../../src/modules/providers/index.js';
import { type Campaigns, campaignsOf } from '../support/campaigns.js';
import { numbers } from '../support/client.js';
import { fuzz, hostileText, hostileValue, PROTOTYPE_KEYS } from '../support/fuzz.js';
import { openApi, type Member } from '../support/sms.js';
import { sqlMessageKey } from '../stage/message-key.mjs';

const PUBLIC_URL = 'https://voice.example';
const PHONE_NUMBER_ID = '104466778899';
const APP_SECRET = 'app-secret';
const AUTH_TOKEN = 'token-of-the-route';
const ACCOUNT_SID = `AC${'0'.repeat(32)}`;
const RECIPIENTS = 400;
const DELIVERED = 2;
/** What a callback may be told: taken, unreadable, not proven, too large. */
const ANSWERS = [200, 400, 403, 404, 413];

const key = fc.oneof(
  fc.constantFrom('id', 'status', 'to', 'from', 'text', 'error_code', ...PROTOTYPE_KEYS),
  fc.string({ maxLength: 8 }),
);
const THEIRS = ['victim-1', 'victim-2'];
const id = fc.oneof(fc.constantFrom(...THEIRS), hostileText, hostileValue);
const word = fc.oneof(fc.constantFrom('delivered', 'failed', 'read', 'sent'), hostileText, hostileValue);
const number = fc.oneof(fc.constantFrom('919812345678', '7'.repeat(5_000)), hostileText, hostileValue);

/** Receipts and texts of a gateway, whatever their fields. */
const gatewayEntry = fc.oneof(
  { weight: 3, arbitrary: fc.record({ id, status: word, to: number }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.record({ from: number, text: fc.oneof(fc.constantFrom('STOP', 'START'), hostileText) }) },
  { weight: 1, arbitrary: fc.dictionary(key, hostileValue) },
  { weight: 1, arbitrary: hostileValue },
);

const textBody = fc.oneof(fc.record({ body: hostileValue }), hostileValue);
const chatStatus = fc.record(
  {
    id,
    status: word,
    recipient_id: number,
    timestamp: hostileValue,
    biz_opaque_callback_data: id,
    errors: fc.oneof(hostileValue, fc.array(fc.record({ code: hostileValue, title: hostileValue }), { maxLength: 3 })),
  },
  { requiredKeys: [] },
);
const chatMessage = fc.record(
  {
    id,
    from: number,
    from_user_id: hostileValue,
    timestamp: hostileValue,
    type: hostileValue,
    text: textBody,
    button: textBody,
    interactive: hostileValue,
    contacts: hostileValue,
    origin: hostileValue,
  },
  { requiredKeys: [] },
);
const chatValue = fc.record(
  {
    metadata: fc.oneof(
      { weight: 5, arbitrary: fc.constant({ phone_number_id: PHONE_NUMBER_ID }) },
      { weight: 1, arbitrary: hostileValue },
    ),
    statuses: fc.oneof(fc.array(fc.oneof(chatStatus, hostileValue), { maxLength: 4 }), hostileValue),
    messages: fc.oneof(fc.array(fc.oneof(chatMessage, hostileValue), { maxLength: 4 }), hostileValue),
    contacts: fc.oneof(fc.array(fc.record({ wa_id: number, user_id: hostileValue }), { maxLength: 2 }), hostileValue),
    user_preferences: fc.oneof(fc.array(fc.dictionary(key, hostileValue), { maxLength: 2 }), hostileValue),
    message_template_name: hostileValue,
    event: hostileValue,
    message_template_id: hostileValue,
  },
  { requiredKeys: ['metadata'] },
);
const chatChange = fc.record({
  field: fc.oneof(
    fc.constantFrom<unknown>('messages', 'user_preferences', 'message_template_status_update', ...PROTOTYPE_KEYS),
    hostileValue,
  ),
  value: fc.oneof({ weight: 6, arbitrary: chatValue }, { weight: 1, arbitrary: hostileValue }),
});
const chatEntry = fc.record({
  id: fc.oneof(fc.constant('1'), hostileValue),
  changes: fc.array(chatChange, { maxLength: 4 }),
});

const FORM_NAMES = ['CallStatus', 'CallDuration', 'To', 'Digits', 'ErrorCode', 'ErrorMessage', 'SipResponseCode'];
const LEG_NAMES = ['DialCallStatus', 'DialCallDuration', 'RecordingUrl', 'RecordingStatus', 'RecordingDuration'];
const callForm = fc.record({
  pairs: fc.array(
    fc.tuple(
      fc.constantFrom(...FORM_NAMES, ...LEG_NAMES, ...PROTOTYPE_KEYS),
      fc.oneof(fc.constantFrom('completed', 'busy', 'failed', 'canceled', 'answered', '1', '#'), hostileText),
    ),
    { maxLength: 12 },
  ),
  callId: fc.oneof(fc.constantFrom('CAvictim', 'CAunknown'), hostileText),
  ref: fc.oneof(
    fc.constantFrom('own', 'victim', '0-0', '-1-1', `${'9'.repeat(40)}-1`, '1-', 'x', '__proto__'),
    hostileText,
  ),
  step: fc.constantFrom(
    'status',
    'steps/0/answered',
    'steps/1/digits',
    'steps/999999/played',
    'steps/-1/x',
    'steps/2/dialed',
    'steps/3/recorded',
    'steps/1/constructor',
  ),
});

/** As it comes out of an address: half a character becomes another one. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

describe('callbacks of upstreams gone mad', () => {
  let campaigns: Campaigns;
  let owner: Member;
  let victim: Member;
  let requestId: string;
  let victimId: string;
  const routes = { http: 0, chat: 0, voice: 0 };
  let gateway = '';
  let next = 0;
  let shown = '';

  beforeAll(async () => {
    const api = await openApi({ PUBLIC_URL, CARRIER_RATE_LIMIT: 0 });
    campaigns = campaignsOf(api);
    [owner, victim] = [await campaigns.join(), await campaigns.join()];
    const directory = campaigns.part(RouteDirectory);
    const put = async (name: string, channel: 'sms' | 'voice', driver: string, config: object): Promise<number> => {
      const draft = { name, channel, driver, config: { ...config }, messagesPerSecond: null, isDefault: false };
      const route = await campaigns.dataSource.transaction((tx) => directory.put(tx, draft));
      if (driver === 'http') gateway = callbackPath(route);
      return route.id;
    };
    routes.http = await put('gateway', 'sms', 'http', {
      url: 'http://127.0.0.1:1/',
      receipt: {
        id_path: 'id',
        status_path: 'status',
        receiver_path: 'to',
        error_text_path: 'text',
        list_path: 'list',
      },
      inbound: { from_path: 'from', text_path: 'text', list_path: 'list' },
    });
    routes.voice = await put('telephone', 'voice', 'twilio', {
      account_sid: ACCOUNT_SID,
      auth_token: AUTH_TOKEN,
      from: '918000000000',
    });
    directory.forget();
    routes.chat = await campaigns.connect(owner, 'official', { appSecret: APP_SECRET, wabaId: '1' });
    const victimRoute = await campaigns.connect(victim, 'official', { appSecret: APP_SECRET, wabaId: '1' });
    requestId = await campaigns.send(owner, numbers(RECIPIENTS, '9194000'));
    victimId = await campaigns.send(victim, numbers(THEIRS.length + 1, '9195000'));
    for (const [request, account] of [
      [requestId, RECIPIENTS],
      [victimId, THEIRS.length + 1],
    ] as const) {
      await campaigns.settle(
        request,
        Array.from({ length: account }, (_, seq) => seq + 1),
        1,
      );
    }
    for (const [index, theirs] of [...THEIRS, 'CAvictim'].entries())
      await submit(victimId, index + 1, theirs, victimRoute);
    shown = await everythingOf(victim);
  });
  afterAll(() => campaigns.stop());

  const submit = (request: string, seq: number, messageId: string, routeId: number): Promise<unknown> =>
    campaigns.dataSource.query(
      `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status, message_key)
       SELECT id, ?, 0, ?, ?, 1, 1, ${sqlMessageKey('?', '?')} FROM campaigns WHERE request_id = ?`,
      [seq, routeId, messageId, routeId, messageId, request],
    );

  /** All that is stored of an account, as one text. */
  async function everythingOf({ account }: Member): Promise<string> {
    const parts = [
      'SELECT c.state, r.* FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id WHERE c.account_id = ? ORDER BY r.seq',
      'SELECT balance, available FROM credit_balances WHERE account_id = ? ORDER BY balance',
      'SELECT number FROM suppressions WHERE account_id = ?',
      'SELECT message_id FROM chat_inbound_messages WHERE account_id = ?',
      'SELECT id, status FROM templates WHERE account_id = ?',
    ];
    return JSON.stringify(await Promise.all(parts.map((sql) => campaigns.dataSource.query(sql, [account.id]))));
  }

  /** One more message of ours that waits for its receipt. @returns its id */
  async function waiting(routeId: number, prefix = 'own'): Promise<{ seq: number; messageId: string; to: string }> {
    const seq = ++next;
    const messageId = `${prefix}-${seq}`;
    await submit(requestId, seq, messageId, routeId);
    return { seq, messageId, to: numbers(seq, '9194000')[seq - 1] ?? '' };
  }
  async function statusOf(seq: number): Promise<number> {
    const [row] = await campaigns.dataSource.query<{ status: number }[]>(
      'SELECT r.status FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id WHERE c.request_id = ? AND r.seq = ?',
      [requestId, seq],
    );
    return Number(row?.status);
  }
  async function post(path: string, headers: Record<string, string>, body: string): Promise<number> {
    const response = await fetch(campaigns.url + path, { method: 'POST', headers, body });
    await response.arrayBuffer();
    expect(ANSWERS, `${path} ${body.slice(0, 2_000)}`).toContain(response.status);
    return response.status;
  }
  const JSON_TYPE = { 'content-type': 'application/json' };
  const chat = (body: string): Promise<number> => {
    const signature = `sha256=${createHmac('sha256', APP_SECRET).update(body).digest('hex')}`;
    return post(`/provider/chat/${routes.chat}`, { ...JSON_TYPE, 'x-hub-signature-256': signature }, body);
  };
  const call = (path: string, form: readonly (readonly [string, string])[]): Promise<number> => {
    const parsed = new URLSearchParams(form.map(([name, value]): [string, string] => [name, value]));
    const values = new Map<string, string[]>();
    for (const [name, value] of new URLSearchParams(parsed.toString()))
      values.set(name, [...(values.get(name) ?? []), value]);
    // As the network signs: names in order, of a name that comes several times its different values in order.
    const text = [...values]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, all]) =>
        [...new Set(all)]
          .sort()
          .map((value) => name + value)
          .join(''),
      );
    const signature = createHmac('sha1', AUTH_TOKEN)
      .update(PUBLIC_URL + path + text.join(''))
      .digest('base64');
    return post(
      path,
      { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
      parsed.toString(),
    );
  };

  async function expectUnharmed(): Promise<void> {
    expect(await everythingOf(victim)).toBe(shown);
    const proofs = await campaigns.part(QueryBus).execute(new ProveCreditsQuery(owner.account.id, true));
    for (const proof of proofs) expect(proof).toMatchObject({ ok: true, usage: { ok: true } });
  }

  it('of a gateway over HTTP settle what is valid, and nothing else', async () => {
    const garbage = fc.record({
      before: fc.array(gatewayEntry, { maxLength: 4 }),
      after: fc.array(gatewayEntry, { maxLength: 4 }),
      alone: fc.oneof(hostileValue, fc.dictionary(key, hostileValue)),
    });
    let settled = 0;
    await fuzz(garbage, 60, async ({ before, after, alone }) => {
      const { seq, messageId, to } = await waiting(routes.http);
      const list = [...before, { id: messageId, status: 'delivered', to }, ...after];
      const form = new URLSearchParams({ 'list[id]': 'x', id: 'y' }).toString();
      const [, , , answered] = await Promise.all([
        post(gateway, JSON_TYPE, JSON.stringify(alone)),
        post(gateway, JSON_TYPE, JSON.stringify({ list: alone })),
        post(gateway, { 'content-type': 'application/x-www-form-urlencoded' }, form),
        post(gateway, JSON_TYPE, JSON.stringify({ list })),
      ]);
      if (answered !== 200) return;
      expect(await statusOf(seq)).toBe(DELIVERED);
      settled += 1;
    });
    expect(settled).toBeGreaterThan(0);
    await expectUnharmed();
  });

  it('of the chat upstream settle what is valid, and nothing else', async () => {
    const garbage = fc.record({
      before: fc.array(chatEntry, { maxLength: 3 }),
      after: fc.array(chatEntry, { maxLength: 3 }),
      alone: hostileValue,
    });
    let settled = 0;
    await fuzz(garbage, 60, async ({ before, after, alone }) => {
      const { seq, messageId, to } = await waiting(routes.chat);
      const statuses = [{ id: messageId, status: 'delivered', recipient_id: to }];
      const valid = { field: 'messages', value: { metadata: { phone_number_id: PHONE_NUMBER_ID }, statuses } };
      const entry = [...before, { id: '1', changes: [valid] }, ...after];
      const [, , answered] = await Promise.all([
        chat(JSON.stringify(alone)),
        chat(JSON.stringify({ entry: alone })),
        chat(JSON.stringify({ entry })),
      ]);
      if (answered !== 200) return;
      expect(await statusOf(seq)).toBe(DELIVERED);
      settled += 1;
    });
    expect(settled).toBeGreaterThan(0);
    await expectUnharmed();
  });

  it('of the telephone network settle what is valid, and nothing else', async () => {
    const garbage = fc.array(callForm, { minLength: 1, maxLength: 3 });
    const place = '/provider/voice/telephone/calls';
    await fuzz(garbage, 60, async (forms) => {
      const { seq, messageId } = await waiting(routes.voice, 'CA');
      const [campaign, theirs] = [await campaigns.idOf(requestId), await campaigns.idOf(victimId)];
      const named: Record<string, string> = { own: `${campaign}-${seq}`, victim: `${theirs}-1` };
      const mad = forms.map(({ pairs, callId, ref, step }) => {
        const path = `${place}/${encodeURIComponent((Object.hasOwn(named, ref) ? named[ref] : wellFormed(ref)) || 'x')}/${step}`;
        const form = [
          ['AccountSid', ACCOUNT_SID],
          ['CallSid', wellFormed(callId)],
          ...pairs.map(([name, value]) => [name, wellFormed(value)]),
        ];
        return call(path, form as [string, string][]);
      });
      await Promise.all(mad);
      const good: [string, string][] = [
        ['AccountSid', ACCOUNT_SID],
        ['CallSid', messageId],
        ['CallStatus', 'completed'],
        ['CallDuration', '3'],
      ];
      expect(await call(`${place}/${named['own'] ?? ''}/status`, good)).toBe(200);
      expect(await statusOf(seq)).toBe(6);
    });
    await expectUnharmed();
  });

  it('whose values are huge do not refuse those that come in the same batch', async () => {
    const { seq, messageId, to } = await waiting(routes.http);
    const sink = campaigns.part(ReceiptSink);
    const huge = Array.from({ length: 900 }, (_, index) => ({
      providerMessageId: `huge-${index}`,
      status: 'failed' as const,
      errorCode: null,
      errorText: 'x'.repeat(30_000),
      receiver: '7'.repeat(30_000),
      otherAddress: '8'.repeat(30_000),
      ref: '9'.repeat(30_000),
    }));
    const good = {
      providerMessageId: messageId,
      status: 'delivered' as const,
      errorCode: null,
      errorText: null,
      receiver: to,
    };
    await sink.accept(routes.http, [...huge, good]);
    expect(await statusOf(seq)).toBe(DELIVERED);
    await expectUnharmed();
  });
});
