import { request } from 'undici';

/** Longer than anything takes, on a machine that is busy with other things too. */
const PATIENCE_MS = 25_000;
const READY_MS = 1_000;
const PROBE_EVERY_MS = 100;

/**
 * Asks one of the APIs, each request over a connection of its own, as behind a load balancer that goes by `/health/ready`.
 */
export class Balancer {
  #ready = new Set();
  #turn = 0;
  #timer;

  constructor(apis) {
    this.apis = apis;
  }

  async start() {
    await this.#probe();
    this.#timer = setInterval(() => void this.#probe(), PROBE_EVERY_MS);
  }

  stop() {
    clearInterval(this.#timer);
  }

  #probe() {
    const probe = async (api) => {
      const options = { headersTimeout: READY_MS, bodyTimeout: READY_MS, reset: true };
      const ok = await request(`${api.url}/health/ready`, options).then(
        async ({ statusCode, body }) => {
          await body.dump();
          return statusCode === 200;
        },
        () => false,
      );
      if (ok) this.#ready.add(api);
      else this.#ready.delete(api);
    };
    return Promise.all(this.apis.map(probe));
  }

  /** The next one that says it is ready; when none does, all, to be asked until one takes the connection. */
  get #candidates() {
    const turn = this.#turn++;
    const ready = this.apis.filter((api) => this.#ready.has(api));
    if (ready.length > 0) return [ready[turn % ready.length]];
    return this.apis.map((_, index) => this.apis[(turn + index) % this.apis.length]);
  }

  /**
   * One that says it is ready and refuses the connection is at fault. Of those that do not, balancers pass over what is down:
   * nothing was sent to it.
   * @returns {Promise<{ outcome: 'answered' | 'refused' | 'unknown', status: number | null, said: object | string | null, api: string }>} unknown: no
   * answer, or one that says that something went wrong
   */
  async send(asked) {
    let answer;
    for (const api of this.#candidates) {
      answer = await this.#ask(api, asked);
      if (!answer.isRefusedConnection) break;
    }
    return answer;
  }

  async #ask(api, { method, path, body, token, key }) {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const options = { method, headers, body: sent, reset: true, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS };
    try {
      const response = await request(api.url + path, options);
      const text = await response.body.text();
      return { ...verdict(response.statusCode), said: parse(text), api: api.name };
    } catch (error) {
      const { code = '', message } = error;
      const isRefusedConnection = code === 'ECONNREFUSED';
      return { outcome: 'unknown', status: null, said: `${code} ${message}`, api: api.name, isRefusedConnection };
    }
  }
}

function verdict(status) {
  if (status >= 200 && status < 300) return { outcome: 'answered', status };
  // 503 is said before anything is written; another fault of the server says nothing of what it has done
  return { outcome: status < 500 || status === 503 ? 'refused' : 'unknown', status };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
