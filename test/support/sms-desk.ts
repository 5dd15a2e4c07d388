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

/** The API with what SMS tests need around it: accounts with credits, a default route, and requests of all kinds. */
export class SmsDesk {
  constructor(protected readonly api: RunningApi) {}

  static async open<Desk extends SmsDesk>(
    this: new (api: RunningApi) => Desk,
    overrides: Partial<Environment> = {},
    options: { route: boolean } = { route: true },
  ): Promise<Desk> {
    const desk = new this(
      await startApi({ BROADCAST_RATE_LIMIT: 0, OPEN_MISS_LIMIT: 0, USER_RATE_LIMIT: 0, ...overrides }),
    );
    if (options.route) await desk.addRoute('main', true);
    return desk;
  }

  get url(): string {
    return this.api.url;
  }

  get dataSource(): DataSource {
    return this.api.app.get(DataSource, { strict: false });
  }

  /** Connections the server holds at this moment. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.api.app.getHttpServer().getConnections((error: Error | null, count: number) => {
        if (error) reject(error);
        else resolve(count);
      });
    });
  }

  stop(): Promise<void> {
    return this.api.stop();
  }

  async addRoute(name: string, isDefault: boolean, channel: 'sms' | 'unofficial' = 'sms'): Promise<number> {
    const routes = this.api.app.get(RouteDirectory, { strict: false });
    const draft = { name, channel, driver: 'http', config: {}, messagesPerSecond: null, isDefault };
    const { id } = await this.dataSource.transaction((tx) => routes.put(tx, draft));
    routes.forget();
    return id;
  }

  async removeRoute(id: number): Promise<void> {
    const routes = this.api.app.get(RouteDirectory, { strict: false });
    await this.dataSource.transaction((tx) => routes.remove(tx, id));
    routes.forget();
  }

  /** A new account with a random name and that many gsm_credits, or the credits as listed. */
  async join(
    credits: number | Partial<Record<BalanceName, number>> = 1_000,
    change: { userType?: string; isActive?: boolean; timeZone?: string; parentId?: number } = {},
  ): Promise<Member> {
    const { app } = this.api;
    const passwordHash = await hashOf(PASSWORD);
    const account = await this.dataSource.transaction((tx) =>
      app.get(AccountRegistrar, { strict: false }).create(tx, {
        username: `u${randomBytes(6).toString('hex')}`,
        passwordHash,
        firstname: 'Test',
        lastname: 'Member',
        startingCredits: typeof credits === 'number' ? { gsm_credits: credits } : credits,
        ...change,
      }),
    );
    return { account, token: app.get(AccessTokens, { strict: false }).issue(account) };
  }

  /** Changes a column of an account past every cache. */
  async alter(member: Member, column: string, value: unknown): Promise<void> {
    await this.dataSource.query(`UPDATE accounts SET ${column} = ? WHERE id = ?`, [value, member.account.id]);
    this.api.app.get(AccountDirectory, { strict: false }).forget(member.account.id);
  }

  credits(member: Member, balance: BalanceName = 'gsm_credits'): Promise<number> {
    return this.api.app.get(CreditBook, { strict: false }).available(member.account.id, balance);
  }

  async request(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(this.url + path, init);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  }

  /** A broadcast as JSON; `member` sends his token. */
  broadcast(member: Member | null, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/webhook/api/addbroadcastgsm.php', member, body, headers);
  }

  /** A JSON request; a body that is a text goes as it is. `member` sends his token. */
  post(path: string, member: Member | null, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(member && { authorization: `Bearer ${member.token}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  smsGet(query: Record<string, string>): Promise<Answer> {
    return this.request(`/v5/api/sms_get.php?${new URLSearchParams(query).toString()}`);
  }
}

/** The error answer in the standard shape (reference/requests#error-bodies). */
export const refusal = (status: number, message: string): Record<string, unknown> => ({
  success: false,
  statusCode: status,
  message,
  error: STATUS_CODES[status],
});

/** Judges status and body at once. */
export function expectRefused(answer: Answer, status: number, message: string): void {
  expect(answer.body).toEqual(refusal(status, message));
  expect(answer.status).toBe(status);
}
