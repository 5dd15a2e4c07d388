import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Packets } from '../../src/platform/database/index.js';
import { type Member, openSms, type Sms } from '../support/sms.js';

const BODY = { broadcast_name: 'Spring', brodcast_service: 'main', message: 'Hello', contacts: ['919812345678'] };

let sms: Sms;
let serial = 0;
beforeAll(async () => {
  sms = await openSms();
});
afterAll(() => sms.stop());

describe('64 requests at once', () => {
  /** What this process asks of the database while it answers them. */
  const cost = async (member: Member, isKeyed: boolean): Promise<{ trips: number; commits: number }> => {
    const asked = vi.spyOn(MysqlQueryRunner.prototype, 'query');
    const packets = vi.spyOn(Packets.prototype, 'send');
    try {
      const answers = await Promise.all(
        Array.from({ length: 64 }, () =>
          sms.broadcast(member, { ...BODY }, isKeyed ? { 'idempotency-key': `key-${++serial}` } : {}),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(64).fill(200));
      const texts = asked.mock.calls.map(([text]) => text);
      const sent = packets.mock.calls.length;
      return { trips: texts.length + sent, commits: texts.filter((text) => text === 'COMMIT').length + sent };
    } finally {
      asked.mockRestore();
      packets.mockRestore();
    }
  };

  it('cost with keys about what they cost without', async () => {
    const member = await sms.join(1_000);
    // The first of each kind reads what is remembered afterwards; a busy machine makes smaller groups of some.
    const best = async (isKeyed: boolean): Promise<{ trips: number; commits: number }> => {
      await cost(member, isKeyed);
      const costs = [await cost(member, isKeyed), await cost(member, isKeyed), await cost(member, isKeyed)];
      return costs.toSorted((a, b) => a.trips - b.trips)[0]!;
    };
    const [without, keyed] = [await best(false), await best(true)];
    // the look-ups of keys
    expect(keyed.commits).toBeLessThanOrEqual(without.commits + 3);
    expect(keyed.trips).toBeLessThanOrEqual(without.trips + 8);
    expect(await sms.credits(member)).toBe(1_000 - 512);
  });
});
