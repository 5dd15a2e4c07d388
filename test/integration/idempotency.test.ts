import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CampaignAcceptance, type CampaignDraft, RecipientStatus } from '../../src/modules/engine/index.js';
import { Idempotency } from '../../src/modules/idempotency/index.js';
import { IdempotencyKeys } from '../../src/modules/idempotency/persistence/idempotency-keys.js';
import { ALL_TABLES } from '../../src/modules/table-rules/index.js';
import { Retention } from '../../src/platform/tables/index.js';
import { dataOf } from '../support/campaigns.js';
import { openEveryChannel, type EveryChannel } from '../support/every-channel.js';
import { AudioServer } from '../support/voice.js';
import { type RunningApi, startApi } from '../support/api.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';

const OTHER_BODY = 'Idempotency-Key was used with another body';
const TOO_LONG = 'Idempotency-Key must be at most 255 characters';
const RUNNING = 'A request with this Idempotency-Key is still running';
const BODY = { broadcast_name: 'Spring', brodcast_service: 'main', message: 'Hello', contacts: ['919812345678'] };

let channels: EveryChannel;
let audio: AudioServer;
let owner: Member;
let other: RunningApi;
let serial = 0;

beforeAll(async () => {
  audio = await AudioServer.open();
  channels = await openEveryChannel();
  other = await startApi(channels.environment, channels.database);
  owner = await channels.join({
    gsm_credits: 1_000,
    bulk_chat_credits: 100,
    chat_utility_credits: 100,
    voice_credits: 100,
  });
  await channels.connect(owner, 'official');
  await channels.template(owner, 'order_ready', { category: 2 });
});
afterAll(async () => {
  await other.stop();
  await channels.stop();
  await audio.close();
});

const newKey = (): string => `key-${++serial}`;
const named = (key: string): Record<string, string> => ({ 'idempotency-key': key });
const sms = (key: string, fields: object = {}, member: Member = owner): Promise<Answer> =>
  channels.broadcast(member, { ...BODY, ...fields }, named(key));
const rowsOf = (key: string): Promise<Record<string, unknown>[]> =>
  channels.dataSource.query('SELECT * FROM idempotency_keys WHERE idempotency_key = ?', [key]);
const campaignsOf = async (member: Member): Promise<number> => {
  const [row] = await channels.dataSource.query<{ n: string }[]>(
    'SELECT COUNT(*) AS n FROM campaigns WHERE account_id = ?',
    [member.account.id],
  );
  return Number(row?.n);
};
const age = (key: string, column: string, interval: string): Promise<unknown> =>
  channels.dataSource.query(
    `UPDATE idempotency_keys SET ${column} = UTC_TIMESTAMP(3) - INTERVAL ${interval} WHERE idempotency_key = ?`,
    [key],
  );
/** As if the process had died after it took the key. */
const breakOff = (key: string): Promise<unknown> =>
  channels.dataSource.query(
    `UPDATE idempotency_keys SET outcome = NULL, lease_until = UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE
     WHERE idempotency_key = ?`,
    [key],
  );

describe('Idempotency-Key on every sending POST of campaigns', () => {
  const chat = (path: string) => `/v6/api/${path}/24/${owner.account.username}/messages`;
  const template = {
    messaging_product: 'chat',
    to: ['919812345678'],
    type: 'template',
    template: { name: 'order_ready', language: { code: 'en_US' } },
  };
  const retried = async (): Promise<string> => {
    const requestId = await channels.send(owner, ['919812345678']);
    await channels.begin(requestId);
    await channels.settle(requestId, [1], RecipientStatus.Failed);
    return `/v6/api/campaigns/${requestId}/retry-failed`;
  };

  const call = (): object => ({ broadcast_name: 'Call', audio_url: audio.url(3_000), contacts: ['919812345678'] });

  it.each<[string, () => string | Promise<string>, object | (() => object), number]>([
    ['SMS', () => '/webhook/api/addbroadcastgsm.php', BODY, 200],
    ['unofficial', () => '/webhook/api/addbroadcastUnofficial.php', { ...BODY, brodcast_service: 'chat' }, 200],
    ['chatTemplate', () => chat('chatTemplate'), template, 201],
    ['chatBranded', () => chat('chatBranded'), template, 202],
    ['template over chat', () => chat('chat'), template, 201],
    ['voice', () => '/v6/api/v1/voice/send', call, 200],
    ['retry-failed', retried, {}, 200],
  ])('%s: the same answer once more, one campaign', async (_, pathOf, wanted, status) => {
    const body = typeof wanted === 'function' ? (wanted as () => object)() : wanted;
    const path = await pathOf();
    const key = newKey();
    const before = await campaignsOf(owner);
    const first = await channels.post(path, owner, body, named(key));
    const second = await channels.post(path, owner, body, named(key));
    expect(first.status).toBe(status);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(await campaignsOf(owner)).toBe(before + 1);
    expectRefused(await channels.post(path, owner, { ...body, more: 1 }, named(key)), 422, OTHER_BODY);
    await breakOff(key);
    expectRefused(await channels.post(path, owner, body, named(key)), 409, RUNNING);
    expectRefused(await channels.post(path, owner, body, named('k'.repeat(256))), 400, TOO_LONG);
    expect(await campaignsOf(owner)).toBe(before + 1);
  });

  it('gives the first answer after the schedule_time of the request has passed', async () => {
    const at = Date.now() + 3_600_000;
    const scheduled = { schedule_time: new Date(at).toISOString() };
    const own = { ...BODY, ...scheduled, providermessageid: `scheduled-${newKey()}` };
    const wanted: [path: string, body: object, headers: Record<string, string>][] = [
      ['/webhook/api/addbroadcastgsm.php', { ...BODY, ...scheduled }, named(newKey())],
      ['/webhook/api/addbroadcastgsm.php', own, {}],
      ['/webhook/api/addbroadcastUnofficial.php', { ...BODY, ...scheduled, brodcast_service: 'chat' }, named(newKey())],
      [chat('chatTemplate'), { ...template, ...scheduled }, named(newKey())],
      ['/v6/api/v1/voice/send', { ...call(), ...scheduled }, named(newKey())],
    ];
    const sendAll = (): Promise<Answer[]> =>
      Promise.all(wanted.map(([path, body, headers]) => channels.post(path, owner, body, headers)));
    const first = await sendAll();
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200, 201, 200]);
    vi.useFakeTimers({ now: at + 1_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const second = await sendAll();
    expect(second.map(({ status, body }) => [status, body])).toEqual(first.map(({ status, body }) => [status, body]));
    for (const [path, body, headers] of wanted) {
      if (body !== own) expectRefused(await channels.post(path, owner, body), 400, 'schedule_time is invalid');
      // What is no moment at all is told before the key is looked up.
      const odd = { ...body, schedule_time: {} };
      if (!path.includes('chatTemplate')) {
        expectRefused(await channels.post(path, owner, odd, headers), 400, 'schedule_time is invalid');
      }
    }
  });

  it('gives the first answer of a template over chat when the chat account is gone', async () => {
    const member = await channels.join({ chat_utility_credits: 10 });
    const account = await channels.connect(member, 'official');
    await channels.template(member, 'order_ready', { category: 2 });
    const path = `/v6/api/chat/24/${member.account.username}/messages`;
    const key = newKey();
    const first = await channels.post(path, member, template, named(key));
    expect(first.status).toBe(201);
    await channels.disconnect(account);
    const second = await channels.post(path, member, template, named(key));
    expect([second.status, second.body]).toEqual([201, first.body]);
    for (const body of [template, { ...template, to: '' }, { ...template, template: { name: 'none' } }]) {
      const answer = await channels.post(path, member, body, named(newKey()));
      expectRefused(answer, 404, 'No chat account found for this username');
    }
  });
});

describe('one key', () => {
  it('of 20 requests at the same moment over two instances: one campaign, one debit', async () => {
    const member = await channels.join(100);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, place) => {
        const response = await fetch(`${place % 2 ? other.url : channels.url}/webhook/api/addbroadcastgsm.php`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${member.token}`, ...named(key) },
          body: JSON.stringify(BODY),
        });
        return { status: response.status, body: (await response.json()) as Record<string, unknown> };
      }),
    );
    const sent = answers.filter(({ status }) => status === 200);
    expect(sent.length).toBeGreaterThan(0);
    expect(new Set(sent.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    for (const { status, body } of answers)
      if (status !== 200) expect([status, body['message']]).toEqual([409, RUNNING]);
    expect([await campaignsOf(member), await channels.credits(member)]).toEqual([1, 99]);
  });

  it('is free again after a refusal', async () => {
    const member = await channels.join(0);
    const key = newKey();
    expect((await sms(key, {}, member)).body['message']).toBe('Insufficient credits. Available: 0, Required: 1');
    expect(await rowsOf(key)).toEqual([]);
    expect((await sms(key, { contacts: ['1'] })).status).toBe(400);
    expect((await sms(key)).status).toBe(200);
  });

  it('is of one account and one endpoint', async () => {
    const key = newKey();
    const second = await channels.join(10);
    const mine = await sms(key);
    const theirs = await sms(key, { message: 'Other' }, second);
    const chat = await channels.unofficial(owner, { ...BODY, brodcast_service: 'chat' }, named(key));
    expect([mine.status, theirs.status, chat.status]).toEqual([200, 200, 200]);
    expect(theirs.body['request_id']).not.toBe(mine.body['request_id']);
  });

  it('goes with the path too: another campaign is another body', async () => {
    const key = newKey();
    const paths: string[] = [];
    for (let i = 0; i < 2; i++) {
      const requestId = await channels.send(owner, ['919812345678']);
      await channels.begin(requestId);
      await channels.settle(requestId, [1], RecipientStatus.Failed);
      paths.push(`/v6/api/campaigns/${requestId}/retry-failed`);
    }
    expect(dataOf(await channels.post(paths[0] ?? '', owner, {}, named(key)))).toMatchObject({ total_rows: 1 });
    expectRefused(await channels.post(paths[1] ?? '', owner, {}, named(key)), 422, OTHER_BODY);
  });

  it('is looked up after the body was judged, before route and credits', async () => {
    const member = await channels.join(1);
    const key = newKey();
    const first = await sms(key, {}, member);
    expect(first.status).toBe(200);
    expect((await sms(key, {}, member)).body).toEqual(first.body); // no credits are left
    expectRefused(
      await sms(key, { contacts: ['1'] }, member),
      400,
      'Each contact number must be between 9 and 30 digits',
    );
    const route = await channels.addRoute('gone', true);
    await channels.removeRoute(route);
    expect((await sms(key, {}, member)).body).toEqual(first.body);
    await channels.addRoute('main', true);
  });

  it('does not mind the order of fields; empty, it is none', async () => {
    const key = newKey();
    const first = await sms(key);
    const turned = Object.fromEntries(Object.entries(BODY).reverse());
    expect((await channels.broadcast(owner, turned, named(key))).body).toEqual(first.body);
    expect((await sms(' ')).body['request_id']).not.toBe((await sms(' ')).body['request_id']);
    expect((await sms('k'.repeat(255))).status).toBe(200);
  });

  it('beside a providermessageid gives the first answer', async () => {
    const key = newKey();
    const id = { providermessageid: `order-${key}` };
    const first = await channels.broadcast(owner, { ...BODY, ...id });
    const again = await sms(key, id);
    expect(again.body).toEqual(first.body);
    const [row] = await rowsOf(key);
    expect(row?.['outcome']).not.toBeNull();
  });
});

describe('a process that dies', () => {
  it('before its commit has done nothing: after the lease the request may be done again', async () => {
    const member = await channels.join(10);
    const key = newKey();
    const keys = channels.part(IdempotencyKeys);
    await sms(key, {}, member);
    const [row] = await rowsOf(key);
    const request = {
      accountId: member.account.id,
      endpoint: 'sms_broadcast' as const,
      digest: row?.['digest'] as Buffer,
    };
    const dead = { ...request, key: newKey() };
    const taken = await keys.take(dead, false);
    expectRefused(await sms(dead.key, {}, member), 409, RUNNING);
    await age(dead.key, 'lease_until', '1 SECOND');
    const done = await sms(dead.key, {}, member);
    expect(done.status).toBe(200);
    // The dead one was only slow: it commits nothing any more.
    if (taken.kind !== 'held') throw new Error(taken.kind);
    expect(await keys.endAlone(taken.held, {})).toBe(false);
    await keys.free(taken.held);
    expect((await sms(dead.key, {}, member)).body).toEqual(done.body);
    expect(await channels.credits(member)).toBe(8);
  });

  it('slowly, whose key was taken over meanwhile, rolls its campaign back', async () => {
    const member = await channels.join(10);
    const first = newKey();
    await sms(first, {}, member);
    const [row] = await rowsOf(first);
    const accountId = member.account.id;
    const key = newKey();
    const request = { accountId, endpoint: 'sms_broadcast', digest: row?.['digest'] as Buffer, key } as const;
    const [campaign] = await channels.dataSource.query<{ route_id: number }[]>(
      'SELECT route_id FROM campaigns WHERE account_id = ?',
      [accountId],
    );
    const draft: CampaignDraft = {
      accountId,
      channel: 'sms',
      requestId: { given: 'slow' },
      broadcastName: 'slow',
      service: 'main',
      routeId: campaign?.route_id ?? 0,
      content: { message: 'Hello' },
      balance: 'gsm_credits',
      unitCredits: 1,
      recipients: ['919812345678'],
      initialState: 'accepted',
    };
    const acceptance = channels.part(CampaignAcceptance);
    const slow = channels.part(Idempotency).once<string>(request, async (keeper) => {
      await age(key, 'lease_until', '1 SECOND');
      expect((await sms(key, {}, member)).status).toBe(200);
      // Another campaign of the same group is accepted all the same.
      const [late, bystander] = await Promise.allSettled([
        acceptance.accept(
          draft,
          keeper?.alongside(({ requestId }) => requestId),
        ),
        acceptance.accept({ ...draft, requestId: { given: 'bystander' } }),
      ]);
      expect(bystander.status).toBe('fulfilled');
      if (late.status === 'rejected') throw late.reason;
      return late.value.requestId;
    });
    await expect(slow).rejects.toThrow(RUNNING);
    expect([await campaignsOf(member), await channels.credits(member)]).toEqual([3, 7]);
    expect((await sms(key, {}, member)).status).toBe(200);
    expect(await campaignsOf(member)).toBe(3);
  });
});

describe('after 24 hours', () => {
  it('a key is new, whatever its body', async () => {
    const key = newKey();
    const first = await sms(key);
    await age(key, 'created_at', '24 HOUR');
    const second = await sms(key, { message: 'Other' });
    expect(second.status).toBe(200);
    expect(second.body['request_id']).not.toBe(first.body['request_id']);
  });

  it('it is removed, and no younger one', async () => {
    const [old, young] = [newKey(), newKey()];
    await sms(old);
    await sms(young);
    await age(old, 'created_at', '25 HOUR');
    await new Retention(channels.dataSource, ALL_TABLES, { RETENTION_DAYS: 0 }).removeAged();
    expect([(await rowsOf(old)).length, (await rowsOf(young)).length]).toEqual([0, 1]);
  });
});
