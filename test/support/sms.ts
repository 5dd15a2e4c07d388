import { randomBytes } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { DataSource } from 'typeorm';
import { expect } from 'vitest';
import { type Account, AccessTokens, AccountDirectory, AccountRegistrar } from '../../src/modules/accounts/index.js';
import { type BalanceName, CreditBook } from '../../src/modules/credits/index.js';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { type RunningApi, startApi } from './api.js';
import { hashOf } from './passwords.js';

export const PASSWORD = 'Correct-Horse-1';

/** An account of a test with its token. */
export interface Member {
  account: Account;
  token: string;
}

/** An answer whose body was JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** How an API for tests is opened. */
export interface Opening {
  /** a default SMS route `main`; there is one unless a test says otherwise */
  route?: boolean;
}

export type Sms = ReturnType<typeof smsOf>;

/** An API without the limits that tests would run into, with a default route for SMS. */
export async function openApi(
  overrides: Partial<Environment> = {},
  { route = true }: Opening = {},
): Promise<RunningApi> {
  const api = await startApi({ BROADCAST_RATE_LIMIT: 0, OPEN_MISS_LIMIT: 0, USER_RATE_LIMIT: 0, ...overrides });
  if (route) await smsOf(api).addRoute('main', true);
  return api;
}

export const openSms = async (overrides?: Partial<Environment>, opening?: Opening): Promise<Sms> =>
  smsOf(await openApi(overrides, opening));

/** What SMS tests need around an API: accounts with credits, routes, and requests of all kinds. */
export function smsOf(api: RunningApi) {
  /** A part of the running API. */
  const part = <T>(type: abstract new (...parameters: never[]) => T): T => api.app.get<T>(type, { strict: false });
  const dataSource = part(DataSource);

  const request = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(api.url + path, init);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  };

  /** A JSON request with the member's token; a body that is a text goes as it is. */
  const post = (
    path: string,
    member: Member | null,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    request(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(member && { authorization: `Bearer ${member.token}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  return {
    api,
    url: api.url,
    /** for a second instance of the same installation: `startApi(environment, database)` */
    environment: api.environment,
    database: api.database,
    dataSource,
    part,
    request,
    post,
    stop: (): Promise<void> => api.stop(),

    /** Connections the server holds at this moment. */
    connections: (): Promise<number> =>
      new Promise((resolve, reject) => {
        api.app.getHttpServer().getConnections((error: Error | null, count: number) => {
          if (error) reject(error);
          else resolve(count);
        });
      }),

    addRoute: async (name: string, isDefault: boolean, channel: 'sms' | 'unofficial' = 'sms'): Promise<number> => {
      const routes = part(RouteDirectory);
      const draft = { name, channel, driver: 'http', config: {}, messagesPerSecond: null, isDefault };
      const { id } = await dataSource.transaction((tx) => routes.put(tx, draft));
      routes.forget();
      return id;
    },

    removeRoute: async (id: number): Promise<void> => {
      const routes = part(RouteDirectory);
      await dataSource.transaction((tx) => routes.remove(tx, id));
      routes.forget();
    },

    /** A new account with a random name and that many gsm_credits, or the credits as listed. */
    join: async (
      credits: number | Partial<Record<BalanceName, number>> = 1_000,
      change: { userType?: string; isActive?: boolean; timeZone?: string; parentId?: number } = {},
    ): Promise<Member> => {
      const passwordHash = await hashOf(PASSWORD);
      const account = await dataSource.transaction((tx) =>
        part(AccountRegistrar).create(tx, {
          username: `u${randomBytes(6).toString('hex')}`,
          passwordHash,
          firstname: 'Test',
          lastname: 'Member',
          startingCredits: typeof credits === 'number' ? { gsm_credits: credits } : credits,
          ...change,
        }),
      );
      return { account, token: part(AccessTokens).issue(account) };
    },

    /** Changes a column of an account past every cache. */
    alter: async (member: Member, column: string, value: unknown): Promise<void> => {
      await dataSource.query(`UPDATE accounts SET ${column} = ? WHERE id = ?`, [value, member.account.id]);
      part(AccountDirectory).forget(member.account.id);
    },

    credits: (member: Member, balance: BalanceName = 'gsm_credits'): Promise<number> =>
      part(CreditBook).available(member.account.id, balance),

    /** A broadcast as JSON, with the member's token. */
    broadcast: (member: Member | null, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      post('/webhook/api/addbroadcastgsm.php', member, body, headers),

    smsGet: (query: Record<string, string>): Promise<Answer> =>
      request(`/v5/api/sms_get.php?${new URLSearchParams(query).toString()}`),
  };
}

/**
 * The error answer in the standard shape (reference/requests#error-bodies); what helps beside it is the matter of
 * error-help.test.ts.
 */
export const refusal = (status: number, message: string): unknown =>
  expect.objectContaining({ success: false, statusCode: status, message, error: STATUS_CODES[status] });

/** Checks status and body at once. */
export function expectRefused(answer: Answer, status: number, message: string): void {
  expect(answer.body).toEqual(refusal(status, message));
  expect(answer.status).toBe(status);
}
