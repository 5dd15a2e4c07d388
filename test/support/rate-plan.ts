import { expect } from 'vitest';
import type { Answer, Member } from './sms.js';

/** What of an API the giving of a plan needs. */
interface Staffed {
  join: (credits: number, fields: { userType: 'super' }) => Promise<Member>;
  request: (path: string, init: RequestInit) => Promise<Answer>;
}

/** A row of a plan as staff write it. */
export interface RateRow {
  channel: string;
  prefix: string;
  credits_per_segment: number;
}

/** Lets an account pay by a rate plan of its own, which staff write, or write anew. */
export async function giveRatePlan(api: Staffed, { account }: Member, rates: readonly RateRow[]): Promise<void> {
  const root = await api.join(0, { userType: 'super' });
  const call = async (method: string, path: string, body: unknown): Promise<void> => {
    const answer = await api.request(`/v6/api/admin${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${root.token}` },
      body: JSON.stringify(body),
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  };
  const plan = `plan-${account.id}`;
  await call('PUT', `/rates/${plan}`, rates);
  await call('PATCH', `/accounts/${account.username}`, { rate_plan: plan });
}
