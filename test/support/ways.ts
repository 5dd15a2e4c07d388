import { expect } from 'vitest';
import { type Answer, type Member, PASSWORD, type Sms } from './sms.js';

export const USERS = '/v6/api/account/users';
export const KEYS = '/v6/api/account/api-keys';

/** One way into an account: its header, and what `created_by` says of it. */
export interface Way {
  headers: Record<string, string>;
  maker: Record<string, unknown>;
  /** of the account, the person or the key */
  id: number;
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** The data of an answer; an answer without fails the test with its body. */
export const dataOf = <Data = Record<string, unknown>>({ body }: Answer): Data => {
  expect(body, JSON.stringify(body)).toHaveProperty('data');
  return body['data'] as Data;
};

/** The account itself, by its token. */
export const account = ({ account: { id, username }, token }: Member): Way => ({
  headers: bearer(token),
  maker: { kind: 'account', id, name: username },
  id,
});

let names = 0;

/** Makes people and keys under accounts, and calls the API as them. */
export function waysOf(sms: Sms) {
  const call = (method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> =>
    sms.request(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const logIn = (username: string, password: string): Promise<Answer> =>
    call('POST', '/v1/auth/login', {}, { email_or_username: username, password });
  return {
    call,
    logIn,

    get: async (path: string, by: Member): Promise<Record<string, unknown>[]> =>
      dataOf<Record<string, unknown>[]>(await call('GET', path, bearer(by.token))),

    /** A person under an account, logged in. */
    person: async (of: Member, password = PASSWORD): Promise<Way> => {
      const username = `way.person${++names}`;
      const draft = { username, password, firstname: 'Ann', lastname: 'Other', current_password: PASSWORD };
      const { id } = dataOf<{ id: number }>(await call('POST', USERS, bearer(of.token), draft));
      const login = await logIn(username, password);
      return { headers: bearer(String(login.body['token'])), maker: { kind: 'person', id, name: username }, id };
    },

    key: async (of: Member): Promise<Way> => {
      const name = `way key ${++names}`;
      const body = { name, current_password: PASSWORD };
      const made = dataOf<{ id: number; key: string }>(await call('POST', KEYS, bearer(of.token), body));
      return { headers: { 'x-api-key': made.key }, maker: { kind: 'key', id: made.id, name }, id: made.id };
    },

    /** A webhook of the account that the way leads to. @returns its id */
    hook: async ({ headers }: Way): Promise<number> => {
      const body = { url: `http://127.0.0.1:9/${++names}?token=hook-secret`, events: ['gsm.status.update'] };
      return dataOf<{ id: number }>(await call('POST', '/v6/api/webhooks', headers, body)).id;
    },

    webhook: async (of: Member, id: number): Promise<Record<string, unknown>> =>
      dataOf(await call('GET', `/v6/api/webhooks/${id}`, bearer(of.token))),
  };
}
