import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dataOf, type Json } from '../support/campaigns.js';
import { openEveryChannel, type EveryChannel } from '../support/every-channel.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { AudioServer } from '../support/voice.js';
import { dueNow } from '../support/lane-worker.js';

const INVALID = 'schedule_time is invalid';
const LATER = '2099-07-01T09:30:00Z';
const CONTACTS = ['919812345678', '919812345679'];
const BROADCAST = { broadcast_name: 'Spring', brodcast_service: 'any', message: 'Hello', contacts: CONTACTS };
const TEMPLATE = {
  messaging_product: 'chat',
  to: CONTACTS,
  type: 'template',
  template: { name: 'order_ready', language: { code: 'en_US' } },
};

let channels: EveryChannel;
let audio: AudioServer;
let owner: Member;
let admin: Member;

beforeAll(async () => {
  audio = await AudioServer.open();
  channels = await openEveryChannel();
  owner = await channels.join(
    { gsm_credits: 1_000, bulk_chat_credits: 1_000, chat_utility_credits: 1_000, voice_credits: 1_000 },
    { timeZone: 'Europe/Berlin' },
  );
  admin = await channels.join(0, { userType: 'admin' });
  await channels.connect(owner, 'official');
  await channels.template(owner, 'order_ready', { category: 2 });
});
afterAll(async () => {
  await channels.stop();
  await audio.close();
});

interface Channel {
  path: () => string;
  body: () => Json;
  balance: 'gsm_credits' | 'bulk_chat_credits' | 'chat_utility_credits' | 'voice_credits';
}
const chat = (route: string) => (): string => `/v6/api/${route}/24/${owner.account.username}/messages`;
const CHANNELS: Readonly<Record<string, Channel>> = {
  sms: { path: () => '/webhook/api/addbroadcastgsm.php', body: () => BROADCAST, balance: 'gsm_credits' },
  unofficial: {
    path: () => '/webhook/api/addbroadcastUnofficial.php',
    body: () => BROADCAST,
    balance: 'bulk_chat_credits',
  },
  chatTemplate: { path: chat('chatTemplate'), body: () => TEMPLATE, balance: 'chat_utility_credits' },
  'template over chat': { path: chat('chat'), body: () => TEMPLATE, balance: 'chat_utility_credits' },
  chatBranded: { path: chat('chatBranded'), body: () => TEMPLATE, balance: 'chat_utility_credits' },
  voice: {
    path: () => '/v6/api/v1/voice/send',
    body: () => ({ broadcast_name: 'Spring', audio_url: audio.url(3_000), contacts: CONTACTS }),
    balance: 'voice_credits',
  },
};

const send = (name: string, schedule: unknown): Promise<Answer> => {
  const { path, body } = CHANNELS[name] as Channel;
  return channels.post(path(), owner, { ...body(), schedule_time: schedule });
};
const sent = async (name: string, schedule: unknown): Promise<string> => {
  const answer = await send(name, schedule);
  if (answer.status >= 300) throw new Error(`${name}: ${JSON.stringify(answer.body)}`);
  return String(answer.body['request_id']);
};
const scheduledAt = async (requestId: string): Promise<unknown> => {
  const [row] = await channels.dataSource.query<Json[]>('SELECT scheduled_at FROM campaigns WHERE request_id = ?', [
    requestId,
  ]);
  return row?.['scheduled_at'];
};
const wakes = async (requestId: string): Promise<unknown[]> => {
  const rows = await channels.dataSource.query<Json[]>('SELECT wake_at FROM campaign_lanes WHERE campaign_id = ?', [
    await channels.idOf(requestId),
  ]);
  return rows.map((row) => row['wake_at']);
};
/** What the relay would hand to workers; it reads this table only, so an emptied Redis changes nothing. */
const isDue = async (requestId: string): Promise<boolean> => {
  const id = await channels.idOf(requestId);
  return (await dueNow(channels.dataSource)).has(id);
};
const act = (requestId: string, what: string): Promise<Answer> =>
  channels.act(`/v6/api/campaigns/${requestId}/${what}`, owner);
const decide = (requestId: string, what: string): Promise<Answer> =>
  channels.act(`/v6/api/admin/campaigns/${requestId}/${what}`, admin);

describe.each(Object.keys(CHANNELS))('schedule_time of %s', (name) => {
  it('is read in the zone of the account, or as ISO 8601', async () => {
    for (const [given, at] of [
      ['2099-07-01 11:30:00', LATER],
      [LATER, LATER],
      ['2099-07-01T15:00:00+05:30', LATER],
      ['2099-12-01 11:30:00', '2099-12-01T10:30:00Z'],
    ] as const) {
      expect(await scheduledAt(await sent(name, given))).toEqual(new Date(at));
    }
  });

  it('comes with a rule for a late start', async () => {
    const { path, body } = CHANNELS[name] as Channel;
    const post = (fields: Json): Promise<Answer> => channels.post(path(), owner, { ...body(), ...fields });
    for (const [fields, message] of [
      [{ late: 'never' }, 'late must be one of: send, expire, hold'],
      [{ late: 'hold', late_after_s: 59 }, 'late_after_s must be a whole number from 60 to 604800'],
      [{ late_after_s: 'soon' }, 'late_after_s must be a whole number from 60 to 604800'],
    ] as const) {
      expectRefused(await post({ schedule_time: LATER, ...fields }), 400, message);
    }
    expectRefused(await post({ late: 'expire' }), 400, 'late needs a schedule_time');
    const { body: answer } = await post({ schedule_time: LATER, late: 'expire', late_after_s: 600 });
    const [row] = await channels.dataSource.query<Json[]>(
      'SELECT late, late_after_s, late_at FROM campaigns WHERE request_id = ?',
      [answer['request_id']],
    );
    expect(row).toEqual({ late: 'expire', late_after_s: 600, late_at: new Date('2099-07-01T09:40:00Z') });
  });

  it.each([
    ['2027-03-28 02:30:00', '2027-03-28T01:00:00Z', true],
    ['2027-10-31T02:30:00', '2027-10-31T00:30:00Z', true],
    ['2027-10-31T02:30:00+01:00', '2027-10-31T01:30:00Z', false],
    ['2027-10-31 03:30:00', '2027-10-31T02:30:00Z', false],
  ] as const)('where clocks are changed: %s is %s, with a hint: %s', async (given, at, isMoved) => {
    const answer = await send(name, given);
    const hints = JSON.parse(answer.headers.get('switchboard-warnings') ?? '[]') as { code: string }[];
    const moved = hints.filter(({ code }) => code === 'schedule_time_moved');
    expect(moved).toEqual(isMoved ? [{ code: 'schedule_time_moved', field: 'schedule_time' }] : []);
    expect(await scheduledAt(String(answer.body['request_id']))).toEqual(new Date(at));
  });

  it.each(['2020-01-01 00:00:00', '2020-01-01T00:00:00Z', 'soon', '2099-02-30 00:00:00', '2099-07-01', true, {}])(
    '%j is refused and charges nothing',
    async (value) => {
      const { balance } = CHANNELS[name] as Channel;
      const before = await channels.credits(owner, balance);
      expectRefused(await send(name, value), 400, INVALID);
      expect(await channels.credits(owner, balance)).toBe(before);
    },
  );

  it('is not sent before, whatever is paused and resumed, and is then', async () => {
    const requestId = await sent(name, LATER);
    if (name === 'voice') expect((await decide(requestId, 'approve')).status).toBe(200);
    expect(await wakes(requestId)).toEqual([new Date(LATER)]);
    expect(await isDue(requestId)).toBe(false);
    expect((await act(requestId, 'pause')).status).toBe(200);
    expect(await wakes(requestId)).toEqual([null]);
    expect((await act(requestId, 'resume')).status).toBe(200);
    expect(await wakes(requestId)).toEqual([new Date(LATER)]);
    const view = dataOf(await channels.get(`/v6/api/campaigns/${requestId}`, owner));
    expect(view).toMatchObject({ state: 'accepted', scheduled_at: '2099-07-01T11:30:00+02:00' });
    // Its moment has come.
    await channels.dataSource.query('UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3) WHERE campaign_id = ?', [
      await channels.idOf(requestId),
    ]);
    expect(await isDue(requestId)).toBe(true);
  });

  it('can be cancelled until then, with a full refund', async () => {
    const { balance } = CHANNELS[name] as Channel;
    const before = await channels.credits(owner, balance);
    const requestId = await sent(name, LATER);
    expect(await channels.credits(owner, balance)).toBe(before - 2);
    expect(dataOf(await act(requestId, 'cancel'))).toMatchObject({ state: 'cancelled' });
    await channels.cancelUnsent(requestId, 100);
    expect(await channels.credits(owner, balance)).toBe(before);
    expect(dataOf(await channels.get(`/v6/api/campaigns/${requestId}`, owner))).toMatchObject({
      status_counts: { CANCELLED: 2 },
    });
  });
});

describe('a schedule', () => {
  it('that passed before staff approved or the owner resumed: sent at once', async () => {
    const requestId = await sent('voice', LATER);
    await channels.dataSource.query(
      'UPDATE campaigns SET scheduled_at = UTC_TIMESTAMP(3) - INTERVAL 1 HOUR WHERE request_id = ?',
      [requestId],
    );
    expect(await isDue(requestId)).toBe(false);
    await decide(requestId, 'approve');
    expect(await isDue(requestId)).toBe(true);
    await act(requestId, 'pause');
    expect(await isDue(requestId)).toBe(false);
    await act(requestId, 'resume');
    expect(await isDue(requestId)).toBe(true);
  });

  it('stands in the SMS report, in the zone of the account', async () => {
    const requestId = await sent('sms', LATER);
    const report = await channels.get(`/webhook/api/getGSMreport.php?request_id=${requestId}`, owner);
    expect(dataOf(report)['summary']).toMatchObject({
      schedule_date: '2099-07-01',
      schedule_time: '2099-07-01 11:30:00',
    });
  });
});

describe('deactivating an account', () => {
  const patch = (member: Member, isActive: boolean): Promise<Answer> =>
    channels.request(`/v6/api/admin/accounts/${member.account.username}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${admin.token}` },
      body: JSON.stringify({ is_active: isActive }),
    });
  const stateOf = async (requestId: string): Promise<unknown> =>
    dataOf(await channels.get(`/v6/api/campaigns/${requestId}`, admin))['state'];
  const isActive = async ({ account }: Member): Promise<boolean> => {
    const [row] = await channels.dataSource.query<Json[]>('SELECT is_active FROM accounts WHERE id = ?', [account.id]);
    return row?.['is_active'] === 1;
  };
  const statements = async (): Promise<number> => {
    const [row] = await channels.dataSource.query<Json[]>("SHOW GLOBAL STATUS LIKE 'Questions'");
    return Number(row?.['Value']);
  };
  /** So many campaigns more, as this one, each with its lanes. */
  const copy = async (requestId: string, count: number): Promise<void> => {
    const id = await channels.idOf(requestId);
    const places = JSON.stringify(Array.from({ length: count }, (_, index) => index + 1));
    for (const [table, key, own] of [
      ['campaigns', 'id', { id: 'id + n', request_id: "CONCAT(request_id, '-', n)" }],
      ['campaign_lanes', 'campaign_id', { campaign_id: 'campaign_id + n' }],
    ] as [string, string, Record<string, string>][]) {
      const columns = await channels.dataSource.query<{ name: string }[]>(
        'SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?',
        [table],
      );
      const names = columns.map(({ name }) => name);
      await channels.dataSource.query(
        `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map((name) => own[name] ?? name).join(', ')}
         FROM ${table}, JSON_TABLE(?, '$[*]' COLUMNS (n INT PATH '$')) j WHERE ${key} = ?`,
        [places, id],
      );
    }
  };

  it('pauses what it has not sent, and writes it down; activating it again sends nothing', async () => {
    const member = await channels.join(100);
    const bystander = await channels.join(100);
    const [waiting, scheduled, running, ended] = [
      await channels.send(member, CONTACTS),
      await channels.send(member, CONTACTS, { schedule_time: LATER }),
      await channels.send(member, CONTACTS),
      await channels.send(member, CONTACTS),
    ];
    const foreign = await channels.send(bystander, CONTACTS);
    await channels.begin(running);
    await channels.act(`/v6/api/campaigns/${ended}/cancel`, member);
    expect((await patch(member, false)).status).toBe(200);
    expect(await Promise.all([waiting, scheduled, running, ended, foreign].map(stateOf))).toEqual([
      ...['paused', 'paused', 'paused', 'cancelled', 'accepted'],
    ]);
    for (const [requestId, from] of [
      [scheduled, 'accepted'],
      [running, 'running'],
    ] as const) {
      const [entry, ...more] = await channels.audit(requestId);
      expect(more).toEqual([]);
      expect(entry).toMatchObject({ actor: admin.account.username, action: 'campaign.pause' });
      const details = { channel: 'sms', from, to: 'paused', reason: 'account deactivated' };
      expect(JSON.parse(entry?.details ?? '')).toEqual(details);
    }
    expect((await patch(member, false)).status).toBe(200);
    expect(await channels.audit(waiting)).toHaveLength(1);
    await patch(member, true);
    expect(await stateOf(waiting)).toBe('paused');
    expect(await wakes(waiting)).toEqual([null]);
    expect(dataOf(await channels.act(`/v6/api/campaigns/${scheduled}/resume`, member))).toMatchObject({
      state: 'accepted',
    });
    expect(await wakes(scheduled)).toEqual([new Date(LATER)]);
  });

  it('commits at once, whatever its campaigns wait for', async () => {
    const member = await channels.join(100);
    const requestId = await channels.send(member, CONTACTS);
    const other = channels.dataSource.createQueryRunner();
    await other.startTransaction();
    await other.query('SELECT id FROM campaigns WHERE request_id = ? FOR UPDATE', [requestId]);
    const closing = patch(member, false);
    await vi.waitFor(async () => expect(await isActive(member)).toBe(false), { timeout: 10_000 });
    expect(await stateOf(requestId)).toBe('accepted');
    await other.rollbackTransaction();
    await other.release();
    expect((await closing).status).toBe(200);
    expect(await stateOf(requestId)).toBe('paused');
  });

  it('goes on where a killed process has left off, when it is closed again or activated', async () => {
    for (const next of [false, true]) {
      const member = await channels.join(100);
      const requestId = await channels.send(member, CONTACTS, { schedule_time: LATER });
      await channels.alter(member, 'is_active', 0);
      expect((await patch(member, next)).status).toBe(200);
      expect(await stateOf(requestId)).toBe('paused');
      expect(await channels.audit(requestId)).toMatchObject([{ action: 'campaign.pause' }]);
      expect(await isActive(member)).toBe(next);
    }
  });

  it('pauses many in steps of many, and writes each down', async () => {
    const member = await channels.join(100);
    const requestId = await channels.send(member, CONTACTS, { schedule_time: LATER });
    await copy(requestId, 1_100);
    const before = await statements();
    expect((await patch(member, false)).status).toBe(200);
    // the server counts the statements of other tests too; one a campaign would be 1,101 and more
    expect((await statements()) - before).toBeLessThan(800);
    const [left] = await channels.dataSource.query<Json[]>(
      `SELECT SUM(c.state = 'paused') AS paused, SUM(l.wake_at IS NULL) AS asleep, COUNT(*) AS total,
         (SELECT COUNT(*) FROM audit_log WHERE subject LIKE ?) AS noted
       FROM campaigns c JOIN campaign_lanes l ON l.campaign_id = c.id WHERE c.account_id = ?`,
      [`${requestId}%`, member.account.id],
    );
    const all = 1_101;
    expect(Object.values(left ?? {}).map(Number)).toEqual([all, all, all, all]);
  });
});
