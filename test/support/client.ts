import { until } from './processes.js';

/** Report of `getGSMreport.php`, as clients see it. */
export interface Report {
  success: boolean;
  request_id: string;
  data: {
    summary: Record<string, string>;
    total_rows: number;
    status_counts: Record<string, number>;
    records: { receiver: string; status: string; errorMessage: string | null; error_code: number | null }[];
  };
}

/** A client of the public API, with one token. */
export class Client {
  private constructor(
    readonly url: string,
    readonly username: string,
    readonly token: string,
  ) {}

  static async login(url: string, username: string, password: string): Promise<Client> {
    const response = await fetch(`${url}/v6/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email_or_username: username, password }),
    });
    const body = (await response.json()) as { token?: string; message: string };
    if (!body.token) throw new Error(`login of ${username}: ${response.status} ${body.message}`);
    return new Client(url, username, body.token);
  }

  async call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Body }> {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  /** An SMS broadcast; answers its request id. */
  async broadcast(contacts: string[], fields: Record<string, unknown> = {}): Promise<string> {
    const { status, body } = await this.call('POST', '/webhook/api/addbroadcastgsm.php', {
      broadcast_name: 'test',
      brodcast_service: 'sandbox',
      message: 'Hello from Switchboard',
      contacts,
      ...fields,
    });
    if (status !== 200) throw new Error(`broadcast: ${status} ${JSON.stringify(body)}`);
    return String(body['request_id']);
  }

  async report(requestId: string, query = ''): Promise<Report> {
    return (await this.call<Report>('GET', `/webhook/api/getGSMreport.php?request_id=${requestId}${query}`)).body;
  }

  /** The campaign's internal state. */
  async state(requestId: string): Promise<string> {
    const { body } = await this.call<{ data: { state: string } }>('GET', `/v6/api/campaigns/${requestId}`);
    return body.data.state;
  }

  /** Waits until every recipient is final; at every look the counters must add up to the total. */
  async completed(requestId: string, timeoutMs = 120_000): Promise<Report> {
    await until(`${requestId} to be completed`, async () => (await this.state(requestId)) === 'completed', timeoutMs);
    return this.report(requestId);
  }
}

/** Numbers that differ in their last five digits, so that every fate of the sandbox is among 1,000 of them. */
export const numbers = (count: number, prefix = '9198765'): string[] =>
  Array.from({ length: count }, (_, index) => prefix + String(index).padStart(5, '0'));

/** Numbers of one fate only: the last three digits decide. */
export const numbersEnding = (count: number, ending: string, prefix = '917'): string[] =>
  Array.from({ length: count }, (_, index) => prefix + String(index).padStart(6, '0') + ending);
