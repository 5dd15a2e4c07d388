import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { numbers } from '../support/client.js';
import { Gateway } from '../support/gateway.js';
import { type Answer, type Member, openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const PATIENCE = { timeout: 60_000, interval: 100 };
const ID_TEXT = 'providermessageid must be 1 to 64 characters of A-Z a-z 0-9 . _ : -';
const CONTACT_TEXT = 'Each contact number must be between 9 and 30 digits';
/** Beyond 2^53: `JSON.parse` makes one number of both. */
const [ONE, OTHER] = ['919800000000000000789', '919800000000000000790'];

let sms: Sms;
let member: Member;
let accounts: Accounts;
beforeAll(async () => {
  sms = await openSms();
  accounts = accountsOf(sms.api);
  member = await sms.join(1_000);
});
afterAll(() => sms.stop());

/** A request whose body is a text, because `JSON.stringify` writes no such number. */
const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> =>
  sms.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${member.token}`, ...headers },
    body,
  });
const broadcast = (fields: string): Promise<Answer> =>
  post(
    '/webhook/api/addbroadcastgsm.php',
    `{"broadcast_name":"n","brodcast_service":"main","message":"Hello",${fields}}`,
  );
const told = ({ status, body }: Answer): unknown[] => [status, body['message']];

describe('a number of a client that JSON cannot hold', () => {
  it('is no id of a request: two ids never become one', async () => {
    const contacts = '"contacts":["919812345678"]';
    for (const id of [ONE, OTHER, '9007199254740993', '9.007199254740993e15', '1e400', '4503599627370497.3'])
      expect(told(await broadcast(`${contacts},"providermessageid":${id}`)), id).toEqual([400, ID_TEXT]);
    const [first, second] = [
      await broadcast(`${contacts},"providermessageid":"${ONE}"`),
      await broadcast(`${contacts},"providermessageid":"${OTHER}"`),
    ];
    expect([first.body['request_id'], second.body['request_id']]).toEqual([ONE, OTHER]);
    const safe = await broadcast(`${contacts},"providermessageid":9007199254740991`);
    expect(safe.body['request_id']).toBe('9007199254740991');
  });

  it('is no contact; one with an exponent that it can hold is', async () => {
    expect(told(await broadcast('"contacts":[9198000000000000001]'))).toEqual([400, CONTACT_TEXT]);
    expect(told(await broadcast('"contacts":["919812345678",9.198e30]'))).toEqual([400, CONTACT_TEXT]);
    expect((await broadcast('"contacts":[9.198e11,919812345678]')).status).toBe(200);
  });

  it('is no text, and does not matter where nothing is read', async () => {
    const valid = '"contacts":["919812345678"]';
    const path = '/webhook/api/addbroadcastgsm.php';
    const named = await post(path, `{"broadcast_name":${ONE},"brodcast_service":"main","message":"Hello",${valid}}`);
    expect(named.status).toBe(400);
    expect((await broadcast(`${valid},"nothing":${ONE}`)).status).toBe(200);
  });

  it('is refused by each kind of send, and in JSON within a form', async () => {
    const form = new URLSearchParams({
      broadcast_name: 'n',
      audio_url: 'http://127.0.0.1:1/a.mp3',
      contacts: '919812345678',
      dtmf_flow: `{"prompt_audio":"http://127.0.0.1:1/a.mp3","rows":[{"dtmf":"1","number":${ONE}}]}`,
    });
    const wanted: [path: string, body: string, headers?: Record<string, string>][] = [
      [
        '/webhook/api/addbroadcastUnofficial.php',
        `{"broadcast_name":"n","brodcast_service":"chat","message":"m","contacts":[${ONE}]}`,
      ],
      ['/v6/api/v1/voice/send', `{"broadcast_name":"n","message":"m","contacts":[${ONE}]}`],
      ['/v6/api/v1/voice/send', form.toString(), { 'content-type': 'application/x-www-form-urlencoded' }],
      ['/v6/api/suppressions', `{"numbers":[${ONE}]}`],
      ['/v6/api/campaigns', `{"channel":"sms","name":"n","message":"m","recipients":[{"to":${ONE}}]}`],
    ];
    for (const [path, body, headers] of wanted) {
      const answer = await post(path, body, headers);
      expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBe(400);
    }
  });
});

describe('a number of a gateway that JSON cannot hold', () => {
  const route = 'exact';
  const base = 9_007_199_254_740_993n; // each message has an id of its own, which JSON.parse makes even
  let gateway: Gateway;
  let worker: TestingModule;
  let token: string;

  beforeAll(async () => {
    gateway = await Gateway.open(0, (n) => String(base + 2n * BigInt(n)));
    token = accounts.token(await accounts.account({ userType: 'admin' }));
    worker = await startWorker(sms.environment);
  });
  afterAll(async () => {
    await worker.close();
    await gateway.close();
  });

  it('keeps its digits: receipts find the messages of their ids', async () => {
    const put = await accounts.call('PUT', `/v6/api/admin/routes/${route}`, {
      token,
      body: { channel: 'sms', driver: 'http', config: gateway.config, messages_per_second: 1_000 },
    });
    expect(put.status).toBe(200);
    const [row] = await sms.dataSource.query<{ secret: string }[]>(
      'SELECT callback_secret AS secret FROM routes WHERE name = ?',
      [route],
    );
    const callback = `/provider/sms/${route}/${row?.secret}`;
    const sent = await sms.broadcast(member, {
      broadcast_name: 'n',
      brodcast_service: route,
      message: 'Hello',
      contacts: numbers(4),
    });
    const requestId = String(sent.body['request_id']);
    const counts = async (): Promise<unknown> => {
      const { body } = await sms.request(`/v6/api/campaigns/${requestId}`, {
        headers: { authorization: `Bearer ${member.token}` },
      });
      return (body['data'] as Record<string, unknown>)['status_counts'];
    };
    await vi.waitFor(async () => expect(await counts()).toEqual({ SENT: 4 }), PATIENCE);
    const ids = await sms.dataSource.query<{ id: string }[]>(
      `SELECT p.provider_message_id AS id FROM provider_messages p JOIN campaigns c ON c.id = p.campaign_id
       WHERE c.request_id = ?`,
      [requestId],
    );
    expect(ids.map(({ id }) => id).sort()).toEqual([1n, 2n, 3n, 4n].map((n) => String(base + 2n * n)));
    const receipt = (n: bigint, status: string): string => `{"id":${base + 2n * n},"status":"${status}"}`;
    const taken = await sms.request(callback, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `[${receipt(1n, 'delivered')},${receipt(2n, 'failed')},${receipt(3n, 'delivered')}]`,
    });
    expect([taken.status, taken.body['receipts']]).toEqual([200, 3]);
    await vi.waitFor(async () => expect(await counts()).toEqual({ DELIVERED: 2, FAILED: 1, SENT: 1 }), PATIENCE);
  });
});
