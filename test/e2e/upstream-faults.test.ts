import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { approvedTemplate, changeFaults, connectChat, recipientsOf } from '../support/chat-service.js';
import { Client, numbersEnding } from '../support/client.js';
import { Gate } from '../support/gate.js';
import { type Service, startService, until } from '../support/processes.js';
import { carrierLedger } from '../support/sandbox.js';

const RECIPIENTS = 3;
const BALANCES = { sms: 'gsm_credits', chat: 'chat_utility_credits', voice: 'voice_credits' } as const;
type Kind = keyof typeof BALANCES;
const KINDS = Object.keys(BALANCES) as Kind[];

interface RouteAnswer {
  data: { health: string; last_error: string | null; callback_url: string };
}

/** Upstreams over HTTP (a gateway, the chat upstream, the telephone network) behind proxies that fail, and behind no network at all. */
describe('upstreams over HTTP on a bad day', () => {
  let service: Service;
  let admin: Client;
  let client: Client;
  let gate: Gate;
  let series = 0;

  beforeAll(async () => {
    service = await startService(1, { RECEIPT_TIMEOUT: '12s', LANE_LEASE: '5s', BROADCAST_RATE_LIMIT: '0' });
    gate = new Gate({ host: '127.0.0.1', port: Number(service.environment['SANDBOX_PORT']) });
    const upstream = `http://127.0.0.1:${await gate.open()}`;
    admin = await Client.login(service.url, 'admin', 'Admin-1234!');
    client = await Client.login(service.url, 'demo', 'Demo-1234!');
    await connectChat({ ...service, sandboxUrl: upstream }, admin, 'demo', 100);
    await approvedTemplate(admin, client, { template_name: 'ready', category: 'utility', template_body: 'Ready' });
    await admin.call('PUT', '/v6/api/admin/routes/gateway', {
      channel: 'sms',
      driver: 'http',
      config: {
        url: `${upstream}/gateway/messages`,
        body: { to: '{{to}}', text: '{{text}}', ref: '{{ref}}' },
        id_path: 'id',
        receipt: { receiver_path: 'to' },
      },
    });
    await admin.call('PUT', '/v6/api/admin/routes/phones', {
      channel: 'voice',
      driver: 'twilio',
      is_default: true,
      config: {
        account_sid: `AC${'0'.repeat(32)}`,
        auth_token: 'the-token-of-the-calls',
        base_url: upstream,
        from: '4930123456',
      },
    });
  });
  beforeEach(async () => {
    await fetch(`${service.sandboxUrl}/faults`, { method: 'DELETE' });
    await gate.open().catch(() => undefined);
    const { data } = await route('gateway');
    await changeFaults(service, { callbackUrl: data.callback_url });
  });
  afterAll(async () => {
    await service.stop();
    await gate.close();
  });

  const route = async (name: string): Promise<RouteAnswer> =>
    (await admin.call<RouteAnswer>('GET', `/v6/api/admin/routes/${name}`)).body;
  const available = async (kind: Kind): Promise<number> => {
    const path = '/v6/api/admin/accounts/demo/credits';
    const { body } = await admin.call<{ data: { balance: string; available: number }[] }>('GET', path);
    return body.data.find(({ balance }) => balance === BALANCES[kind])?.available ?? 0;
  };

  /** A campaign to people whom nobody wrote before. */
  const send = async (kind: Kind): Promise<{ requestId: string; to: string[] }> => {
    const to = numbersEnding(RECIPIENTS, '111', `4${String(++series).padStart(3, '0')}`);
    if (kind === 'sms') return { to, requestId: await client.broadcast(to, { brodcast_service: 'gateway' }) };
    const { status, body } =
      kind === 'chat'
        ? await client.call('POST', '/v6/api/chatTemplate/24/demo/messages', {
            messaging_product: 'chat',
            to,
            type: 'template',
            template: { name: 'ready', language: { code: 'en_US' }, components: [] },
          })
        : await client.call('POST', '/v6/api/v1/voice/send', { broadcast_name: 'x', message: 'Ready.', contacts: to });
    if (status >= 300) throw new Error(`${kind}: ${status} ${JSON.stringify(body)}`);
    const requestId = String(body['request_id']);
    if (kind === 'voice') await admin.call('POST', `/v6/api/admin/campaigns/${requestId}/approve`, {});
    return { to, requestId };
  };
  const copiesOf = async (to: readonly string[]): Promise<number[]> => {
    const ledger = await carrierLedger(service);
    return to.map((number) => ledger.filter((entry) => entry.to === number).length);
  };
  const completed = (requestId: string): Promise<void> =>
    until(`${requestId} to be completed`, async () => (await client.state(requestId)) === 'completed');
  const attemptsOf = async (requestId: string): Promise<number[]> => {
    const { body } = await client.call<{ data: { attempts: number }[] }>(
      'GET',
      `/v6/api/campaigns/${requestId}/contacts`,
    );
    return body.data.map(({ attempts }) => attempts);
  };

  it.each([
    ...[502, 504, 520, 522, 524].map((proxyStatus) => [proxyStatus, { proxyStatus }] as const),
    ['a reset after the body', { resetAfterTaking: true }] as const,
  ])('%s in place of the answer: every recipient gets one copy, and pays for it', async (_name, fault) => {
    await changeFaults(service, fault);
    const before = await Promise.all(KINDS.map(available));
    const campaigns = await Promise.all(KINDS.map(send));
    await Promise.all(campaigns.map(({ requestId }) => completed(requestId)));
    const copies = await Promise.all(campaigns.map(({ to }) => copiesOf(to)));
    expect(copies).toEqual(KINDS.map(() => Array<number>(RECIPIENTS).fill(1)));
    expect(await Promise.all(KINDS.map(available))).toEqual(before.map((credits) => credits - RECIPIENTS));
  });

  it('unreachable: the messages wait, staff see the route down and why, and all leave once it is back', async () => {
    const before = await Promise.all(KINDS.map(available));
    await gate.close();
    const campaigns = await Promise.all(KINDS.map(send));
    for (const name of ['gateway', 'phones']) {
      await until(`${name} to be shown as down`, async () => (await route(name)).data.health === 'down', 30_000);
      expect((await route(name)).data.last_error).toMatch(/is not reachable: connection refused$/);
    }
    for (const { requestId } of campaigns) expect(await attemptsOf(requestId)).toEqual([0, 0, 0]);
    await gate.open();
    await Promise.all(campaigns.map(({ requestId }) => completed(requestId)));
    for (const { requestId, to } of campaigns) {
      expect(await copiesOf(to)).toEqual([1, 1, 1]);
      expect(await attemptsOf(requestId)).toEqual([1, 1, 1]);
      expect((await recipientsOf(service, requestId)).map(({ status }) => status)).not.toContain('Failed');
    }
    expect(await Promise.all(KINDS.map(available))).toEqual(before.map((credits) => credits - RECIPIENTS));
    for (const name of ['gateway', 'phones']) {
      await until(`${name} to be shown as up`, async () => (await route(name)).data.health === 'up');
      expect((await route(name)).data.last_error).toBeNull();
    }
  });

  it('unreachable until the deadline: nobody was reached, nobody pays', async () => {
    const before = await Promise.all(KINDS.map(available));
    await gate.close();
    const campaigns = await Promise.all(KINDS.map(send));
    await Promise.all(campaigns.map(({ requestId }) => completed(requestId)));
    for (const { requestId, to } of campaigns) {
      for (const { status, errorMessage } of await recipientsOf(service, requestId)) {
        expect([status, errorMessage]).toEqual([
          'Failed',
          expect.stringMatching(/^Not sent in time: .* is not reachable/),
        ]);
      }
      expect(await attemptsOf(requestId)).toEqual([0, 0, 0]);
      expect(await copiesOf(to)).toEqual([0, 0, 0]);
    }
    expect(await Promise.all(KINDS.map(available))).toEqual(before);
  });
});
