import { OutboundClient, OutboundError } from '../../platform/outbound/index.js';
import { Failure } from './failure.js';
import { readPassword } from './terminal.js';

const TIMEOUT_MS = 120_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** How the operator shows who he is: one of the three. */
export interface Access {
  url: string;
  token?: string;
  apiKey?: string;
  /** whose password is asked for */
  user?: string;
}

/** The public API, as the operator's own program would call it. */
export class ApiClient {
  private readonly outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
  private headers: Record<string, string> | null = null;

  constructor(private readonly access: Access) {}

  /** @returns the body of the answer @throws Failure with the API's own text */
  async call<Body>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Body> {
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
    const answer = await this.send<{ token: string }>(
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
  ): Promise<Body> {
    const response = await this.outbound
      .request({
        url: `${this.access.url.replace(/\/+$/, '')}${path}`,
        method,
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MOST_BYTES,
        trusted: true,
      })
      .catch((error: unknown) => {
        if (error instanceof OutboundError) throw new Failure(`${this.access.url} does not answer`);
        throw error;
      });
    const answer = readJson(response.body.toString('utf8'));
    if (response.status >= 400 || answer === null) {
      const text = answer?.['message'];
      throw new Failure(typeof text === 'string' ? text : `${this.access.url} answered ${response.status}`);
    }
    return answer as Body;
  }
}

function readJson(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
