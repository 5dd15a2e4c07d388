import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RoutingTables, type StoredRule } from '../../src/modules/routing/index.js';
import { type Answer, expectRefused, type Member, openSms, type Sms } from '../support/sms.js';

const NO_ROUTE = 'No route available for this channel';
const [INDIA, MUMBAI, BRITAIN] = ['919812345678', '912212345678', '447400123456'] as const;
const SEND = {
  broadcast_name: 'Spring',
  brodcast_service: 'any',
  contacts: [INDIA, BRITAIN, MUMBAI],
  message: 'Hello',
};

describe('a send over routes that rules choose', () => {
  let sms: Sms;
  let routes: Record<string, number>;

  const rules = async (list: Partial<StoredRule>[]): Promise<void> => {
    const tables = sms.part(RoutingTables);
    const full = list.map((rule) => ({ prefixes: [], accounts: null, categories: null, routes: [], ...rule }));
    await sms.dataSource.transaction((tx) => tables.put(tx, { name: 't', channel: 'sms', rules: full }));
    tables.forget();
  };
  const allow = (member: Member, names: string[] | null): Promise<void> =>
    sms.alter(member, 'allowed_routes', names && JSON.stringify(names));
  /** number → name of the route over which it leaves */
  const leaving = async (answer: Answer): Promise<Record<string, string>> => {
    expect(answer.body).toMatchObject({ message: 'Success' });
    const rows: { receiver: string; route: string }[] = await sms.dataSource.query(
      `SELECT r.receiver, o.name AS route FROM campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id
       LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
       JOIN routes o ON o.id = COALESCE(t.route_id, c.route_id) WHERE c.request_id = ?`,
      [answer.body['request_id']],
    );
    return Object.fromEntries(rows.map(({ receiver, route }) => [receiver, route]));
  };

  beforeAll(async () => {
    sms = await openSms();
    routes = { east: await sms.addRoute('east', false), west: await sms.addRoute('west', false) };
    await rules([
      { prefixes: ['91'], routes: [routes['east'] as number] },
      { prefixes: ['9122'], routes: [routes['west'] as number] },
      { categories: ['otp'], routes: [routes['west'] as number] },
    ]);
  });
  afterAll(() => sms.stop());

  it('leaves each number over its own, and everything over the one that is named', async () => {
    const member = await sms.join();
    const answer = await sms.broadcast(member, SEND);
    expect(await leaving(answer)).toEqual({ [INDIA]: 'east', [BRITAIN]: 'main', [MUMBAI]: 'west' });
    expect(await sms.credits(member)).toBe(997);
    const named = await sms.broadcast(member, { ...SEND, brodcast_service: 'west' });
    expect(await leaving(named)).toEqual({ [INDIA]: 'west', [BRITAIN]: 'west', [MUMBAI]: 'west' });
  });

  it('leaves by its category, and so does a retry of what failed', async () => {
    const member = await sms.join();
    const word = { broadcast_name: 'Codes', channel: 'sms', message: 'Hello', contacts: [BRITAIN], category: 'otp' };
    const requestOf = ({ body }: Answer): string => String((body['data'] as Record<string, unknown>)['request_id']);
    const routeOf = async (requestId: string): Promise<string | undefined> => {
      const [row] = await sms.dataSource.query<{ name: string }[]>(
        'SELECT o.name FROM campaigns c JOIN routes o ON o.id = c.route_id WHERE c.request_id = ?',
        [requestId],
      );
      return row?.name;
    };
    const first = requestOf(await sms.post('/v6/api/campaigns', member, word));
    expect(await routeOf(first)).toBe('west');
    await sms.dataSource.query(
      `UPDATE campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id SET c.state = 'completed', r.status = 4
       WHERE c.request_id = ?`,
      [first],
    );
    const again = requestOf(await sms.post(`/v6/api/campaigns/${first}/retry-failed`, member, {}));
    expect(await routeOf(again)).toBe('west');
  });

  it('takes no route that the account may not use', async () => {
    const member = await sms.join();
    await allow(member, ['main', 'west']);
    const answer = await sms.broadcast(member, { ...SEND, brodcast_service: 'east' });
    expect(await leaving(answer)).toEqual({ [INDIA]: 'main', [BRITAIN]: 'main', [MUMBAI]: 'west' });
  });

  it('is refused before the debit where no route is left, for all or for one number', async () => {
    const member = await sms.join();
    for (const [names, contacts] of [
      [[], SEND.contacts],
      [['east'], [INDIA, BRITAIN]],
    ] as const) {
      await allow(member, [...names]);
      const refused = await sms.broadcast(member, { ...SEND, contacts });
      expect([refused.status, refused.body['message']]).toEqual([503, NO_ROUTE]);
      expect(await sms.credits(member)).toBe(1_000);
    }
    expect((await sms.broadcast(member, { ...SEND, contacts: [INDIA] })).status).toBe(200);
  });

  it('leaves over 256 chains at most, and is refused before the debit with more', async () => {
    const ids: number[] = [];
    for (let at = 0; at < 17; at++) ids.push(await sms.addRoute(`pair-${at}`, false));
    const pairs = ids.flatMap((first) => ids.filter((id) => id !== first).map((second) => [first, second]));
    const prefixes = pairs.map((_, at) => `91${100 + at}`);
    await rules(pairs.map((chain, at) => ({ prefixes: [prefixes[at] as string], routes: chain })));
    const contacts = prefixes.map((prefix) => `${prefix}5550000`);
    const member = await sms.join();
    for (const many of [contacts, contacts.slice(0, 257)]) {
      const refused = await sms.broadcast(member, { ...SEND, contacts: many });
      expectRefused(refused, 400, 'Recipients leave over more than 256 chains of routes');
      expect(refused.body['code']).toBe('too_many_chains');
      expect(await sms.credits(member)).toBe(1_000);
    }
    const taken = await sms.broadcast(member, { ...SEND, contacts: contacts.slice(0, 256) });
    const left = Object.values(await leaving(taken));
    expect([left.length, new Set(left).size]).toEqual([256, 16]);
    expect(await sms.credits(member)).toBe(1_000 - 256);
  });
});
