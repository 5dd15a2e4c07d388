import { DataSource } from 'typeorm';
import { inTransaction } from '../../src/platform/database/index.js';
import { AccessTokens, type Account, AccountRegistrar, type NewAccount } from '../../src/modules/accounts/index.js';
import type { RunningApi } from './api.js';
import { hashOf } from './passwords.js';

/** The password of every account that the desk makes. */
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

let count = 0;

/** Makes accounts straight in the database and calls the API. */
export class AccountsDesk {
  constructor(private readonly api: RunningApi) {}

  /** An account with the password `PASSWORD` and a username of its own unless given. */
  async account(fields: Partial<NewAccount> = {}): Promise<Account> {
    const passwordHash = await hashOf(PASSWORD);
    const input = { username: `user${++count}`, passwordHash, firstname: 'Test', lastname: 'User', ...fields };
    return inTransaction(this.api.app.get(DataSource), (tx) => this.api.app.get(AccountRegistrar).create(tx, input));
  }

  token(account: Account): string {
    return this.api.app.get(AccessTokens).issue(account);
  }

  async call(method: string, path: string, { token, headers = {}, body, ip }: Call = {}): Promise<Answer> {
    const response = await fetch(this.api.url + path, {
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
  }

  /** Status and text of an answer, for comparing with a row of an error table. */
  async row(method: string, path: string, call: Call = {}): Promise<[number, string | undefined]> {
    const { status, body } = await this.call(method, path, call);
    return [status, body.message];
  }
}
