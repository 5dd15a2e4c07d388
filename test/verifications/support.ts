import { expect } from 'vitest';
import { AccessTokens } from '../../src/modules/accounts/index.js';
import { Sealer } from '../../src/platform/security/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { placeOfCode } from '../../src/modules/verifications/verification-sends.js';
import { VerificationRounds } from '../../src/modules/verifications/verification-stepper.js';
import { dataOf, type Json } from '../support/campaigns.js';
import type { Answer, Member } from '../support/sms.js';
import { openWebhooks } from '../support/webhooks.js';

export const PATH = '/v6/api/verifications';
export const NUMBER = '919812345678';

export type Verifications = Awaited<ReturnType<typeof openVerifications>>;

/** An API that verifies numbers. The limits hold only where a test sets them. */
export async function openVerifications(overrides: Partial<Environment> = {}) {
  const webhooks = await openWebhooks({
    VERIFICATIONS_PER_DAY: 0,
    VERIFICATIONS_PER_NUMBER: 0,
    VERIFICATIONS_PER_RANGE: 0,
    VERIFICATIONS_PER_NETWORK: 0,
    ...overrides,
  });
  const { dataSource, part, request, post } = webhooks;
  const numberOf = (id: unknown): number => Number(String(id).replace('ver_', ''));
  const start = (member: Member, body: unknown, headers?: Record<string, string>): Promise<Answer> =>
    post(PATH, member, body, headers);

  return {
    ...webhooks,
    start,
    numberOf,
    tokenOf: (account: Member['account']): string => part(AccessTokens).issue(account),

    /** Starts one that must be accepted. */
    started: async (member: Member, body: object = {}): Promise<Json> => {
      const answer = await start(member, { to: `+${NUMBER}`, ...body });
      expect(answer).toMatchObject({ status: 201, body: { success: true } });
      return dataOf(answer);
    },

    /** The code, as only the sender can read it. */
    codeOf: async (id: unknown): Promise<string> => {
      const [row] = await dataSource.query<{ code_sealed: string | null }[]>(
        'SELECT code_sealed FROM verifications WHERE id = ?',
        [numberOf(id)],
      );
      if (!row?.code_sealed) throw new Error('the verification has no code');
      return part(Sealer).open(row.code_sealed, placeOfCode(numberOf(id)));
    },

    check: (member: Member, id: unknown, code: unknown): Promise<Answer> =>
      post(`${PATH}/${String(id)}/check`, member, { code }),

    next: (member: Member, id: unknown): Promise<Answer> => post(`${PATH}/${String(id)}/next`, member, {}),

    cancel: (member: Member, id: unknown): Promise<Answer> =>
      request(`${PATH}/${String(id)}`, { method: 'DELETE', headers: { authorization: `Bearer ${member.token}` } }),

    shown: (member: Member, id: unknown): Promise<Answer> => webhooks.get(`${PATH}/${String(id)}`, member),

    /** Lets time pass for one verification. */
    later: (id: unknown, seconds: number): Promise<unknown> =>
      dataSource.query(
        `UPDATE verifications SET created_at = created_at - INTERVAL ? SECOND, expires_at = expires_at - INTERVAL ? SECOND,
           next_at = next_at - INTERVAL ? SECOND, look_at = look_at - INTERVAL ? SECOND WHERE id = ?`,
        [seconds, seconds, seconds, seconds, numberOf(id)],
      ),

    round: (): Promise<void> => part(VerificationRounds).round(),
  };
}

/** A code that is not the right one. */
export const wrong = (code: string): string => `${code.startsWith('9') ? '0' : '9'}${code.slice(1)}`;
