import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Json } from '../support/campaigns.js';
import { numbers } from '../support/client.js';
import type { Member } from '../support/sms.js';
import { PATIENCE, TwoWay } from './support.js';

/** Automatic answers over two workers, each with a bind of its own. */
describe('an automatic answer', () => {
  let two: TwoWay;
  let member: Member;
  const to = numbers(20, '9198765410');
  let next = 0;
  const fresh = (): string => String(to[next++]);

  beforeAll(async () => {
    two = await TwoWay.open({}, 2);
    member = await two.campaigns.join();
    await keyword({ word: 'INFO', action: 'reply', reply: 'Open 9 to 5' });
    await keyword({ word: 'HELP', action: 'reply', reply: 'Call 1234' });
    await keyword({ word: 'STOP', action: 'suppress', reply: 'No more messages' });
    await keyword({ word: 'Arrêt', action: 'suppress', reply: 'Plus de messages' });
  });
  afterAll(() => two.close());

  const keyword = async (body: Json): Promise<void> => {
    const answer = await two.campaigns.request('/v6/api/account/keywords', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${member.token}` },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
  };
  const say = (from: string, text: string, bind = 0): Promise<number> =>
    two.say(from, Buffer.from(text, 'utf16le').swap16(), { data_coding: 8 }, two.smsc.sessions[bind]);
  const states = async (from: string): Promise<unknown[]> =>
    (await two.texts(member, `?from=${from}`)).map(({ auto_reply: state }) => state).sort();
  const reached = async (): Promise<string> => {
    const number = fresh();
    await two.reach(member, [number]);
    return number;
  };
  /** The answer to a person was some hours ago, and so were the texts. */
  const hoursPass = async (number: string, hours: number): Promise<void> => {
    const { dataSource } = two.campaigns;
    await dataSource.query('DELETE FROM inbound_messages WHERE sender = ?', [number]);
    const ago = 'UPDATE inbound_answers SET answered_at = UTC_TIMESTAMP(3) - INTERVAL ? HOUR WHERE person = ?';
    await dataSource.query(ago, [hours, number]);
  };

  it('is one in 24 hours, also where two workers take two texts in one moment', async () => {
    const people = [await reached(), await reached(), await reached()];
    await Promise.all(people.flatMap((number) => [say(number, 'info', 0), say(number, 'help', 1)]));
    for (const number of people) {
      await vi.waitUntil(async () => !(await states(number)).includes('due'), PATIENCE);
      expect(await states(number)).toEqual(['sent', 'silent']);
      await vi.waitUntil(() => two.submitsTo(number).length === 2, PATIENCE);
    }
    const [number = ''] = people;
    await hoursPass(number, 23);
    // an equal text with the sequence of another bind would count as its repetition
    expect(await say(number, 'Info?', 1)).toBe(0);
    expect(await states(number)).toEqual(['silent']);
    await hoursPass(number, 25);
    expect(await say(number, 'Info!', 0)).toBe(0);
    await vi.waitUntil(() => two.submitsTo(number).length === 3, PATIENCE);
  });

  it('never meets another: a machine that answers every answer gets one', async () => {
    const number = await reached();
    expect(await say(number, 'INFO')).toBe(0);
    for (let heard = 1, rounds = 0; rounds < 4; rounds++) {
      await vi.waitUntil(() => two.submitsTo(number).length > heard, { ...PATIENCE, timeout: 3_000 }).catch(() => null);
      if (two.submitsTo(number).length <= heard) break;
      heard = two.submitsTo(number).length;
      expect(await say(number, `info${'.'.repeat(rounds)}`, rounds % 2)).toBe(0);
    }
    expect(two.submitsTo(number)).toHaveLength(2);
    for (const [more, text] of ['help', 'Help!', 'HELP'].entries()) expect(await say(number, text, more % 2)).toBe(0);
    expect(await states(number)).toEqual(['automatic', 'automatic', 'automatic', 'sent', 'silent']);
  });

  it.each(['S T O P', 'Stop. Stop! STOP!!!', 'Arrêt.', 'ARRE\u0302T !', '\u202Estop\u202C', 'ｓｔｏｐ', 'QUİT'])(
    'confirms %j, which START lifts',
    async (word) => {
      const number = await reached();
      expect(await say(number, word, 1)).toBe(0);
      expect(await two.stopped(member)).toEqual([number]);
      await vi.waitUntil(() => two.submitsTo(number).length === 2, PATIENCE);
      expect(await say(number, 'start', 0)).toBe(0);
      expect(await two.stopped(member)).toEqual([]);
    },
  );

  it('is not made for a text with more in it than a word', async () => {
    const number = await reached();
    for (const text of ['Stopp', 'please stop', 'STOP 1', 'info please', 'arret'])
      expect(await say(number, text)).toBe(0);
    expect(await two.stopped(member)).toEqual([]);
    expect(await states(number)).toEqual([null, null, null, null, null]);
  });
});
