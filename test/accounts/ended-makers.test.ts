import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Member, openSms, PASSWORD, type Sms } from '../support/sms.js';
import { bearer, dataOf, KEYS, USERS, type Way, waysOf } from '../support/ways.js';

const WORD = 'INFO';
const PENDING = 0;

/** Columns that say who made a thing: those of things that act later have a kind below, the others a reason. */
const ENDS = ['account_keywords', 'api_keys', 'assigned_users', 'campaigns', 'one_time_links', 'session_messages'];
const OTHERS: Readonly<Record<string, string>> = {
  webhook_endpoints: 'a kind below too',
  accounts: 'of staff: closed where that is chosen (revoked-makers.test)',
  credit_ledger: 'history',
  recipient_lists: 'data, which does nothing by itself',
  recipient_uploads: 'data, which does nothing by itself',
  sender_ids: 'of the account, approved by staff',
  verifications: 'over within 30 minutes, and paid when it began',
};

let sms: Sms;
let ways: ReturnType<typeof waysOf>;
let names = 0;

beforeAll(async () => {
  sms = await openSms({ OUTBOUND_ALLOW: '127.0.0.0/8', LOGIN_FAILURE_LIMIT: 0 });
  ways = waysOf(sms);
});
afterAll(() => sms.stop());

/** Makes a thing as this person. @returns whether it still works */
type Kind = (way: Way, member: Member) => Promise<() => Promise<boolean>>;

const statusOf = async (headers: Record<string, string>): Promise<number> =>
  (await ways.call('GET', '/v6/api/account', headers)).status;
const keyOf = async ({ headers }: Way): Promise<Record<string, string>> => ({
  'x-api-key': dataOf<{ key: string }>(await ways.call('POST', KEYS, headers, {})).key,
});
const campaignOf = async (headers: Record<string, string>): Promise<string> => {
  const recipients = [{ to: '919812345678' }];
  const send = { channel: 'sms', broadcast_name: 'Later', message: 'Hello', recipients };
  const body = { ...send, scheduled_at: '2099-01-01 10:00:00' };
  return dataOf<{ request_id: string }>(await ways.call('POST', '/v6/api/campaigns', headers, body)).request_id;
};
const isScheduled = async (member: Member, id: string): Promise<boolean> =>
  dataOf(await ways.call('GET', `/v6/api/campaigns/${id}`, bearer(member.token)))['state'] !== 'paused';

const KINDS: Readonly<Record<string, Kind>> = {
  session: (way) => Promise.resolve(async () => (await statusOf(way.headers)) === 200),
  key: async (way) => {
    const key = await keyOf(way);
    return async () => (await statusOf(key)) === 200;
  },
  webhook: async (way, member) => {
    const id = await ways.hook(way);
    return async () => (await ways.webhook(member, id))['status'] === 'active';
  },
  'webhook of its key': async (way, member) => {
    const id = await ways.hook({ ...way, headers: await keyOf(way) });
    return async () => (await ways.webhook(member, id))['status'] === 'active';
  },
  campaign: async (way, member) => {
    const id = await campaignOf(way.headers);
    return () => isScheduled(member, id);
  },
  'campaign of its key': async (way, member) => {
    const id = await campaignOf(await keyOf(way));
    return () => isScheduled(member, id);
  },
  'answer of a keyword': async (way, member) => {
    const word = `${WORD} ${String(++names)}`;
    const body = { word, action: 'reply', reply: 'We are open.' };
    expect(dataOf(await ways.call('PUT', '/v6/api/account/keywords', way.headers, body))['created_by']).toEqual(
      way.maker,
    );
    const stop = { word: `BAJA ${String(names)}`, action: 'suppress', reply: 'You get no more.' };
    await ways.call('PUT', '/v6/api/account/keywords', way.headers, stop);
    return async () => {
      const all = await ways.get('/v6/api/account/keywords', member);
      const stopping = all.find((keyword) => keyword['word'] === stop.word);
      expect(stopping?.['action']).toBe('suppress');
      const [answers, confirms] = [all.some((keyword) => keyword['word'] === word), stopping?.['reply'] !== null];
      expect(answers).toBe(confirms);
      return answers;
    };
  },
  'scheduled session message': async (way, { account: { id: accountId } }) => {
    const id = 1_000_000 + ++names;
    const maker = `person:${String(way.id)}:x`;
    await sms.dataSource.query(
      `INSERT INTO session_messages
         (id, account_id, route_id, receiver, content, status, due_at, scheduled_at, created_by, created_at, updated_at)
       VALUES (?, ?, 1, '919812345678', '{}', ?, '2099-01-01', '2099-01-01', ?, NOW(3), NOW(3))`,
      [id, accountId, PENDING, maker],
    );
    return async () => {
      const sql = 'SELECT status, due_at FROM session_messages WHERE id = ?';
      const [row] = await sms.dataSource.query<{ status: number; due_at: Date | null }[]>(sql, [id]);
      expect(row?.due_at !== null).toBe(row?.status === PENDING);
      return row?.status === PENDING;
    };
  },
  'password of another person': async (way) => {
    const other = await ways.person({ token: way.headers['authorization']?.split(' ')[1] ?? '' } as Member);
    const name = String(other.maker['name']);
    return async () => (await ways.logIn(name, PASSWORD)).status === 200;
  },
  invitation: async (way) => {
    const body = { username: `ended.invited${String(++names)}`, firstname: 'In', lastname: 'Vited', email: null };
    const { link } = dataOf<{ link: string }>(await ways.call('POST', `${USERS}/invitations`, way.headers, body));
    const token = link.split(/[/#?=]/).at(-1);
    return async () => (await ways.call('POST', '/v6/api/v1/auth/links/show', {}, { token })).status === 200;
  },
};

/** The ways in which a person loses every right that makes things. */
const LOSSES: Readonly<Record<string, (member: Member, id: number) => Promise<{ status: number }>>> = {
  removed: (member, id) => ways.call('DELETE', `${USERS}/${String(id)}`, bearer(member.token)),
  inactive: (member, id) => ways.call('PATCH', `${USERS}/${String(id)}`, bearer(member.token), { is_active: false }),
  'made a viewer': (member, id) =>
    ways.call('PATCH', `${USERS}/${String(id)}`, bearer(member.token), { role: 'viewer' }),
  'shut out by a new password': (member, id) => {
    const body = { current: PASSWORD, new: `${PASSWORD}!`, revoke_users: [id] };
    return ways.call('PUT', '/v6/api/account/password', bearer(member.token), body);
  },
};

describe('a right does not outlive its owner', () => {
  it.each(Object.keys(LOSSES))('of a person who is %s, whatever the person made', async (loss) => {
    const member = await sms.join(100);
    const owner = async (): Promise<Way> => {
      const way = await ways.person(member);
      const role = await ways.call('PATCH', `${USERS}/${String(way.id)}`, bearer(member.token), { role: 'owner' });
      expect(role.status).toBe(200);
      return way;
    };
    const [gone, stays] = [await owner(), await owner()];
    const things: Record<string, { gone: () => Promise<boolean>; stays: () => Promise<boolean> }> = {};
    for (const [kind, make] of Object.entries(KINDS)) {
      things[kind] = { gone: await make(gone, member), stays: await make(stays, member) };
    }
    const work = async (whose: 'gone' | 'stays', by: Member): Promise<Record<string, boolean>> => {
      const states: Record<string, boolean> = {};
      for (const [kind, thing] of Object.entries(things)) states[kind] = await thing[whose]();
      expect(by.token).not.toBe('');
      return states;
    };
    const all = (is: boolean) => Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, is]));
    expect([await work('gone', member), await work('stays', member)]).toEqual([all(true), all(true)]);
    expect((await LOSSES[loss]?.(member, gone.id))?.status).toBe(200);
    if (loss.startsWith('shut out')) {
      member.token = String((await ways.logIn(member.account.username, `${PASSWORD}!`)).body['token']);
    }
    expect(await work('gone', member)).toEqual(all(false));
    expect(await work('stays', member)).toEqual(all(true));
    const log = await sms.dataSource.query<{ action: string }[]>(
      "SELECT DISTINCT action FROM audit_log WHERE actor_id = ? AND details LIKE '%lost the right%' ORDER BY action",
      [member.account.id],
    );
    expect(log.map(({ action }) => action)).toEqual([
      ...['api_key.revoke', 'campaign.pause', 'keyword.put', 'keyword.remove', 'session_message.cancel', 'user.change'],
    ]);
  });

  it('of a person with more campaigns than one step takes', async () => {
    const member = await sms.join(100);
    const way = await ways.person(member);
    const { id: accountId } = member.account;
    const requestId = await campaignOf(way.headers);
    const columnsOf = async (table: string, without: readonly string[]): Promise<string> => {
      const rows = await sms.dataSource.query<{ name: string }[]>(
        `SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?
           AND EXTRA NOT LIKE '%GENERATED%' AND COLUMN_NAME NOT IN (?) LIMIT 100`,
        [table, without],
      );
      return rows.map(({ name }) => name).join(', ');
    };
    const copies = `(WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 600) SELECT i FROM n) n`;
    const campaign = await columnsOf('campaigns', ['id', 'request_id']);
    const lane = await columnsOf('campaign_lanes', ['campaign_id']);
    await sms.dataSource.query(
      `INSERT INTO campaigns (id, request_id, ${campaign}) SELECT id + i, CONCAT('C', i, request_id), ${campaign}
       FROM campaigns JOIN ${copies} WHERE request_id = ?`,
      [requestId],
    );
    await sms.dataSource.query(
      `INSERT INTO campaign_lanes (campaign_id, ${lane}) SELECT campaign_id + i, ${lane}
       FROM campaign_lanes JOIN ${copies} WHERE campaign_id = (SELECT id FROM campaigns WHERE request_id = ?)`,
      [requestId],
    );
    const left = async (): Promise<number> => {
      const sql = "SELECT COUNT(*) AS n FROM campaigns WHERE account_id = ? AND state <> 'paused'";
      return Number((await sms.dataSource.query<{ n: number }[]>(sql, [accountId]))[0]?.n);
    };
    expect(await left()).toBe(601);
    expect((await ways.call('DELETE', `${USERS}/${String(way.id)}`, bearer(member.token))).status).toBe(200);
    expect(await left()).toBe(0);
  });

  it('holds for each table that says who made a thing', async () => {
    const rows = await sms.dataSource.query<{ name: string }[]>(
      `SELECT DISTINCT TABLE_NAME AS name FROM information_schema.COLUMNS
       WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME = 'created_by' LIMIT 100`,
    );
    const known = [...ENDS, ...Object.keys(OTHERS)].sort();
    expect(rows.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
  });
});
