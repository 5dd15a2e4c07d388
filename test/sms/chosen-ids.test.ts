import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Member, PASSWORD, openSms, type Sms } from '../support/sms.js';

const LIMIT = 8;
const CONFLICT = 'request_id already exists';

let sms: Sms;
let holder: Member;

beforeAll(async () => {
  sms = await openSms({ OPEN_MISS_LIMIT: LIMIT, TRUST_PROXY: '1' });
  holder = await sms.join(100);
});
afterAll(() => sms.stop());

let serial = 0;
const freshIp = (): string => `10.40.${serial >> 8}.${serial++ & 255}`;
const FROM = (ip: string): Record<string, string> => ({ 'x-forwarded-for': ip });
const body = (id?: string): Record<string, unknown> => ({
  broadcast_name: 'Spring',
  brodcast_service: 'main',
  message: 'Hello',
  contacts: ['919812345678'],
  ...(id !== undefined && { providermessageid: id }),
});
const send = (member: Member, id?: string, ip = freshIp()): Promise<Answer> =>
  sms.broadcast(member, body(id), FROM(ip));
const sendByName = (member: Member, id?: string, ip = freshIp()): Promise<Answer> =>
  sms.broadcast(null, { ...body(id), username: member.account.username }, FROM(ip));
const smsGet = (member: Member, id: string, ip = freshIp()): Promise<Answer> => {
  const fields = { username: member.account.username, password: PASSWORD, message: 'Hello', number: '919812345678' };
  const query = new URLSearchParams({ ...fields, providermessageid: id });
  return sms.request(`/v5/api/sms_get.php?${query.toString()}`, { headers: FROM(ip) });
};
/** Ids that the holder has. */
const taken = async (count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => `held-${++serial}`);
  for (const id of ids) expect((await send(holder, id)).status).toBe(200);
  return ids;
};
const statuses = async (ids: string[], ask: (id: string) => Promise<Answer>): Promise<number[]> => {
  const found: number[] = [];
  for (const id of ids) found.push((await ask(id)).status);
  return found;
};
const LIMITED = [...Array<number>(LIMIT).fill(409), 429, 429];

describe('ids of other accounts', () => {
  it('are told to no account more often than misses are, without credits, from anywhere, on both routes', async () => {
    const ids = await taken(LIMIT + 2);
    for (const ask of [send, smsGet]) {
      const prober = await sms.join(0);
      expect(await statuses(ids, (id) => ask(prober, id))).toEqual(LIMITED);
      const refused = await ask(prober, 'nobody-has-this');
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await send(prober)).status).toBe(400); // no id of its own: too few credits, as ever
    }
  });

  it('are told to no address more often, by whichever account', async () => {
    const ids = await taken(LIMIT + 2);
    const probers = await Promise.all(ids.map(() => sms.join(0)));
    for (const ask of [send, smsGet, sendByName]) {
      const ip = freshIp();
      let next = 0;
      expect(await statuses(ids, (id) => ask(probers[next++] as Member, id, ip))).toEqual(LIMITED);
      expect((await ask(await sms.join(5), 'nobody-has-this', ip)).status).toBe(429);
    }
  });

  it('are told to no more requests that come at the same moment', async () => {
    const ids = await taken(LIMIT + 4);
    const prober = await sms.join(0);
    const answers = await Promise.all(ids.map((id) => send(prober, id)));
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(LIMIT);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
  });

  it('do not use up the limit of an account that is only named', async () => {
    const ids = await taken(LIMIT + 2);
    const named = await sms.join(5);
    expect(await statuses(ids, (id) => sendByName(named, id))).toEqual(Array(LIMIT + 2).fill(409));
    expect((await send(named, `own-${++serial}`)).status).toBe(200);
  });

  it('are no conflict of an account with itself, which costs nothing', async () => {
    const [id = ''] = await taken(1);
    const ip = freshIp();
    for (let i = 0; i < LIMIT + 2; i++) {
      const { status, body: answer } = await sms.broadcast(holder, { ...body(id), message: 'Other' }, FROM(ip));
      expect([status, answer['message']]).toEqual([409, CONFLICT]);
    }
    expect((await send(holder, `held-${++serial}`, ip)).status).toBe(200);
  });
});
