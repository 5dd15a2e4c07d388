import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../src/platform/database/index.js';
import { AccessTokens, type Account, AccountRegistrar, type NewAccount } from '../../src/modules/accounts/index.js';
import type { RunningApi } from './api.js';
import { hashOf } from './passwords.js';

/** The password of every account that `accountsOf` makes. */
export const PASSWORD = 'Sunny-Day-7';

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { message?: string };
}

export interface Call {
  token?: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** the client's address; needs TRUST_PROXY=1 */
  ip?: string;
}

const TOO_MANY = 429;
const AGAIN_MS = 250;

/** Asks again while the machine is busy: a password that waits too long for its turn is answered 429. */
export async function unhurried<T extends Pick<Answer, 'status'> | [status: number, text: string | undefined]>(
  ask: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if ((Array.isArray(answer) ? answer[0] : answer.status) !== TOO_MANY) return answer;
    await sleep(AGAIN_MS);
  }
}

export type Accounts = ReturnType<typeof accountsOf>;

let count = 0;

/** Makes accounts straight in the database of an API, and calls the API. */
export function accountsOf({ app, url }: RunningApi) {
  const call = async (method: string, path: string, { token, headers = {}, body, ip }: Call = {}): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(ip === undefined ? {} : { 'x-forwarded-for': ip }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  };
  return {
    call,

    /** An account with the password `PASSWORD` and a username of its own unless given. */
    account: async (fields: Partial<NewAccount> = {}): Promise<Account> => {
      const passwordHash = await hashOf(PASSWORD);
      const input = { username: `user${++count}`, passwordHash, firstname: 'Test', lastname: 'User', ...fields };
      return inTransaction(app.get(DataSource), (tx) => app.get(AccountRegistrar).create(tx, input));
    },

    token: (account: Account): string => app.get(AccessTokens).issue(account),

    /** Status and text of an answer, for comparing with a row of an error table. */
    row: async (method: string, path: string, details: Call = {}): Promise<[number, string | undefined]> => {
      const { status, body } = await call(method, path, details);
      return [status, body.message];
    },
  };
}
