import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CampaignAcceptance, RecipientStatus } from '../../src/modules/engine/index.js';
import { Idempotency } from '../../src/modules/idempotency/index.js';
import { ALL_TABLES } from '../../src/modules/table-rules/index.js';
import { Retention } from '../../src/platform/periodic/index.js';
import { dataOf } from '../support/campaigns.js';
import { openEveryChannel, type EveryChannel } from '../support/every-channel.js';
import { AudioServer } from '../support/voice.js';
import { type RunningApi, startApi } from '../support/api.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';

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
      Array.from({ length: 20 }, async (_, index) => {
        const response = await fetch(`${index % 2 ? other.url : channels.url}/webhook/api/addbroadcastgsm.php`, {
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

  it('is looked up after the body was checked, before route and credits', async () => {
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

describe('a process of the version before', () => {
  it('that works on a request keeps others from it; once its lease has ended the request may be done again', async () => {
    const member = await channels.join(10);
    const [first, key] = [newKey(), newKey()];
    await sms(first, {}, member);
    const [row] = await rowsOf(first);
    await channels.dataSource.query(
      `INSERT INTO idempotency_keys (account_id, endpoint, idempotency_key, digest, token, lease_until, created_at)
       VALUES (?, 'sms_broadcast', ?, ?, 'old', UTC_TIMESTAMP(3) + INTERVAL 2 MINUTE, UTC_TIMESTAMP(3))`,
      [member.account.id, key, row?.['digest']],
    );
    expectRefused(await sms(key, {}, member), 409, RUNNING);
    await age(key, 'lease_until', '1 SECOND');
    const done = await sms(key, {}, member);
    expect(done.status).toBe(200);
    expect((await sms(key, {}, member)).body).toEqual(done.body);
    expect([await campaignsOf(member), await channels.credits(member)]).toEqual([2, 8]);
  });
});

describe('two processes that work on the same request', () => {
  const draftOf = async (member: Member, routeOf: Member): Promise<CampaignDraft> => {
    const [campaign] = await channels.dataSource.query<{ route_id: number }[]>(
      'SELECT route_id FROM campaigns WHERE account_id = ?',
      [routeOf.account.id],
    );
    return {
      accountId: member.account.id,
      channel: 'sms',
      requestId: { make: () => `own-${newKey()}` },
      broadcastName: 'slow',
      service: 'main',
      routeId: campaign?.route_id ?? 0,
      content: { message: 'Hello' },
      balance: 'gsm_credits',
      unitCredits: 1,
      recipients: ['919812345678'],
      initialState: 'accepted',
    };
  };
  /** As `Idempotency-Key` of the SMS broadcast `BODY`. */
  const requestOf = async (member: Member) => {
    const [first, key] = [newKey(), newKey()];
    await sms(first, {}, member);
    const [row] = await rowsOf(first);
    const digest = row?.['digest'] as Buffer;
    return { accountId: member.account.id, endpoint: 'sms_broadcast', digest, key } as const;
  };
  const fromOther = async (member: Member, key: string): Promise<Response> =>
    fetch(`${other.url}/webhook/api/addbroadcastgsm.php`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${member.token}`, ...named(key) },
      body: JSON.stringify(BODY),
    });

  it('send it once: the later one rolls back, answers what is stored, and takes nobody of its group with it', async () => {
    const member = await channels.join(10);
    const request = await requestOf(member);
    const draft = await draftOf(member, member);
    const acceptance = channels.part(CampaignAcceptance);
    const outcome = await channels.part(Idempotency).once<unknown>(request, async (keeper) => {
      expect((await fromOther(member, request.key)).status).toBe(200);
      const [late, bystander] = await Promise.allSettled([
        acceptance.accept(
          draft,
          undefined,
          keeper?.of(({ requestId }) => requestId),
        ),
        acceptance.accept(draft),
      ]);
      expect(bystander.status).toBe('fulfilled');
      if (late.status === 'rejected') throw late.reason;
      return late.value.requestId;
    });
    const [row] = await rowsOf(request.key);
    expect(outcome).toEqual(JSON.parse(String(row?.['outcome'])));
    expect([await campaignsOf(member), await channels.credits(member)]).toEqual([3, 7]);
  });

  it('are both answered, also where the first has taken the last credit', async () => {
    const member = await channels.join(2);
    const request = await requestOf(member);
    const draft = await draftOf(member, member);
    const outcome = await channels.part(Idempotency).once<unknown>(request, async (keeper) => {
      expect((await fromOther(member, request.key)).status).toBe(200);
      const accepted = await channels.part(CampaignAcceptance).accept(
        draft,
        undefined,
        keeper?.of(({ requestId }) => requestId),
      );
      return accepted.requestId;
    });
    const [row] = await rowsOf(request.key);
    expect(outcome).toEqual(JSON.parse(String(row?.['outcome'])));
    expect([await campaignsOf(member), await channels.credits(member)]).toEqual([2, 0]);
  });

  it('with another body under its key: the later one is told so', async () => {
    const member = await channels.join(10);
    const request = await requestOf(member);
    const draft = await draftOf(member, member);
    const late = channels
      .part(Idempotency)
      .once<string>({ ...request, digest: Buffer.alloc(32, 1) }, async (keeper) => {
        expect((await fromOther(member, request.key)).status).toBe(200);
        const of = keeper?.of(({ requestId }: { requestId: string }) => requestId);
        return (await channels.part(CampaignAcceptance).accept(draft, undefined, of)).requestId;
      });
    await expect(late).rejects.toThrow(OTHER_BODY);
    expect([await campaignsOf(member), await channels.credits(member)]).toEqual([2, 8]);
  });

  it('is told at once where this process works on it already, and of another body too', async () => {
    const member = await channels.join(10);
    const request = await requestOf(member);
    const idempotency = channels.part(Idempotency);
    await idempotency.once(request, async () => {
      expectRefused(await sms(request.key, {}, member), 409, RUNNING);
      expectRefused(await sms(request.key, { message: 'Other' }, member), 422, OTHER_BODY);
      return {};
    });
    expect(await campaignsOf(member)).toBe(1);
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
    await age(old, 'created_at', '49 HOUR');
    await new Retention(channels.dataSource, ALL_TABLES, { RETENTION_DAYS: 0 }).removeAged();
    expect([(await rowsOf(old)).length, (await rowsOf(young)).length]).toEqual([0, 1]);
  });
});
