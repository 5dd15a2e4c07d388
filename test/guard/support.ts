import { type GuardTerms, OPEN_TERMS } from '../../src/modules/accounts/index.js';
import type { Member, Sms } from '../support/sms.js';

export const MESSAGES = '/v6/api/messages';

/** Terms without a limit, but for these. */
export const termsOf = (terms: Partial<GuardTerms>): GuardTerms => ({ ...OPEN_TERMS, ...terms });

export const perDay = (limit: number): GuardTerms['limits'] => ({
  ...OPEN_TERMS.limits,
  sms: { ...OPEN_TERMS.limits.sms, per_day: limit },
});

type Party = Pick<Sms, 'alter' | 'join' | 'dataSource' | 'broadcast' | 'post' | 'request'>;

/** What tests of the guard need beside accounts and requests. */
export function guardedOf(sms: Party) {
  const guarded = async (terms: Partial<GuardTerms>, change: Parameters<Sms['join']>[1] = {}): Promise<Member> => {
    const member = await sms.join(100_000, change);
    await sms.alter(member, 'guard', JSON.stringify(termsOf(terms)));
    await sms.alter(member, 'country_code', 'IN');
    return member;
  };
  return {
    guarded,
    send: (member: Member, to: string) => sms.post(MESSAGES, member, { channel: 'sms', to, text: 'Hello' }),
    broadcastTo: (member: Member, contacts: readonly unknown[]) =>
      sms.broadcast(member, { broadcast_name: 'a', brodcast_service: 'main', contacts, message: 'Hello' }),
    freezes: (member: Member): Promise<{ id: number; prefix: string; reason: string; times: number }[]> =>
      sms.dataSource.query('SELECT id, prefix, reason, times FROM account_freezes WHERE account_id = ?', [
        member.account.id,
      ]),
    call: (method: string, path: string, member: Member, body?: unknown) =>
      sms.request(path, {
        method,
        headers: { authorization: `Bearer ${member.token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}
