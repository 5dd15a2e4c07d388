import { setTimeout as sleep } from 'node:timers/promises';
import { now, readRetryAfter } from '../../kernel/clock.js';
import { readJsonObject } from '../../kernel/json-values.js';
import { OutboundClient, OutboundError, type OutboundResponse } from '../../platform/outbound/index.js';
import { EXIT, Failure, Unanswered, plain, readPassword } from './terminal.js';

const TIMEOUT_MS = 120_000;
const MOST_BYTES = 64 * 1024 * 1024;
const SHORTEST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** The operator's login: one of token, key and user. */
export interface Access {
  url: string;
  token?: string;
  apiKey?: string;
  // prompts for the password
  user?: string;
}

interface Hinted<Body> {
  answer: Body;
  hints: { code: string; field?: string; count?: number }[];
}

function hintsOf(header: string | string[] | undefined): Hinted<unknown>['hints'] {
  try {
    const hints: unknown = JSON.parse(typeof header === 'string' ? header : '[]');
    return Array.isArray(hints) ? (hints as Hinted<unknown>['hints']) : [];
  } catch {
    return [];
  }
}

/** A client of the public API. */
export class ApiClient {
  private readonly outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
  private headers: Record<string, string> | null = null;

  constructor(private readonly access: Access) {}

  /** Returns the body. Throws Failure with the API's own text, Unanswered without an answer. */
  async call<Body>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Body> {
    return (await this.callWithHints<Body>(method, path, body)).answer;
  }

  /** `call` with the hints of the header `Switchboard-Warnings` (reference/requests#warnings). */
  async callWithHints<Body>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Hinted<Body>> {
    this.headers ??= await this.credentials();
    return this.send<Body>(method, path, this.headers, body);
  }

  async close(): Promise<void> {
    await this.outbound.onApplicationShutdown();
  }

  private async credentials(): Promise<Record<string, string>> {
    const { token, apiKey, user } = this.access;
    if (token !== undefined) return { authorization: `Bearer ${token}` };
    if (apiKey !== undefined) return { 'x-api-key': apiKey };
    if (user === undefined) {
      throw new Failure('Say who you are: SWITCHBOARD_TOKEN, SWITCHBOARD_API_KEY, or --user <name> and the password');
    }
    const password = await readPassword(`Password of ${user}: `);
    const { answer } = await this.send<{ token: string }>(
      'POST',
      '/v6/api/v1/auth/login',
      {},
      { email_or_username: user, password },
    );
    return { authorization: `Bearer ${answer.token}` };
  }

  private async send<Body>(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<Hinted<Body>> {
    let response = await this.exchange(method, path, headers, body);
    // Reading many accounts exceeds the limit of a minute, so reads wait; the operator repeats writes.
    while (method === 'GET' && response.status === 429) {
      const wait = readRetryAfter(response.headers['retry-after'], now()) ?? 0;
      await sleep(Math.min(Math.max(wait, SHORTEST_WAIT_MS), LONGEST_WAIT_MS));
      response = await this.exchange(method, path, headers, body);
    }
    const answer = readJsonObject(response.body.toString('utf8'));
    if (response.status >= 400 || answer === null) {
      const { message, hint } = answer ?? {};
      const said = typeof message === 'string' ? message : `${this.access.url} answered ${response.status}`;
      const Kind = response.status >= 500 ? Unanswered : Failure;
      throw new Kind(plain(said), EXIT.failed, typeof hint === 'string' ? plain(hint) : null);
    }
    return { answer: answer as Body, hints: hintsOf(response.headers['switchboard-warnings']) };
  }

  private async exchange(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<OutboundResponse> {
    try {
      return await this.outbound.request({
        url: `${this.access.url.replace(/\/+$/, '')}${path}`,
        method,
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MOST_BYTES,
        trusted: true,
      });
    } catch (error) {
      if (error instanceof OutboundError) throw new Unanswered(`${this.access.url} does not answer`);
      throw error;
    }
  }
}

/** Runs a command's work over the API; `json` = print for programs. */
export type WithApi = (work: (api: ApiClient, json: boolean) => Promise<void>) => Promise<void>;
