import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIONAL, READ, REFUSED } from '../support/number-texts.js';
import type { Answer, Member } from '../support/sms.js';
import { openVerifications, type Verifications } from './support.js';

/** Verifications and feedback are doors of the strict reader (docs/reference/numbers.md). */
describe('numbers of verifications', () => {
  let api: Verifications;
  let member: Member;

  beforeAll(async () => {
    api = await openVerifications();
    member = await api.join(1_000);
  });
  afterAll(() => api.stop());

  /** One person has one open verification: it is cancelled, so that the next is another. */
  const started = async (given: string): Promise<unknown> => {
    const answer = await api.start(member, { to: given });
    if (answer.status !== 201) return answer.body['message'];
    const { id, to } = answer.body['data'] as Record<string, unknown>;
    expect((await api.cancel(member, id)).status).toBe(200);
    return to;
  };
  const feedback = (given: string): Promise<Answer> =>
    api.post('/v6/api/feedback', member, { number: given, outcome: 'converted' });

  it.each(READ)('takes %s as %s', async (given, digits) => {
    expect(await started(given)).toBe(digits);
    expect((await feedback(given)).status).toBe(200);
  });

  it.each(REFUSED)('refuses %s: it %s', async (given, reason) => {
    expect(await started(given)).toBe(`to ${reason}`);
    const { status, body } = await feedback(given);
    expect([status, body['message']]).toEqual([400, `to ${reason}`]);
  });

  it('reads national numbers by the country of the account', async () => {
    await api.alter(member, 'country_code', 'IN');
    for (const [given, digits] of NATIONAL) expect([given, await started(given)]).toEqual([given, digits]);
  });
});
