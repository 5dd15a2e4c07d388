import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher } from 'undici';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { guardedConnector, readRanges } from './address-guard.js';
import { exchange, type OutboundResponse } from './exchange.js';
import { OutboundError } from './outbound-error.js';

/** A call to another host. */
export interface OutboundRequest {
  url: string;
  /** default GET */
  method?: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** for the whole call, redirects and waiting for a connection too; default 15,000 */
  timeoutMs?: number;
  /** the answer's size; default 1 MB */
  maxBytes?: number;
  /** true for upstreams that an operator configured: no address guard, and many connections for throughput */
  trusted?: boolean;
  /** redirects followed on GET, each checked like the first URL; default 0: the 3xx is the answer */
  maxRedirects?: number;
}

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_BYTES = 1024 * 1024;
const CONNECT_TIMEOUT_MS = 5_000;
const TRUSTED_CONNECTIONS = 256;
const GUARDED_CONNECTIONS = 16;
const KEEP_ALIVE_MS = 15_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The only way out by HTTP. Keeps connections alive per origin. Calls to addresses that users gave go through the
 * guard of decisions §10; answers are bounded in size and time.
 */
@Injectable()
export class OutboundClient implements OnApplicationShutdown {
  private readonly guarded: Agent;
  private readonly trusted: Agent;

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'OUTBOUND_ALLOW'>) {
    const keepAlive = { keepAliveTimeout: KEEP_ALIVE_MS, pipelining: 1 };
    const connector = guardedConnector(readRanges(environment.OUTBOUND_ALLOW), CONNECT_TIMEOUT_MS);
    this.guarded = new Agent({ ...keepAlive, connections: GUARDED_CONNECTIONS, connect: connector });
    this.trusted = new Agent({
      ...keepAlive,
      connections: TRUSTED_CONNECTIONS,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
  }

  /**
   * @returns the answer, whatever its status
   * @throws OutboundError saying what failed and whether the request may have arrived
   */
  async request(request: OutboundRequest): Promise<OutboundResponse> {
    const dispatcher = request.trusted ? this.trusted : this.guarded;
    const deadline = performance.now() + (request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const method = request.method ?? 'GET';
    let target = readTarget(request.url, request.headers ?? {});
    for (let redirects = 0; ; redirects++) {
      const response = await exchange(dispatcher, {
        ...target,
        method,
        body: request.body ?? null,
        timeoutMs: Math.max(1, deadline - performance.now()),
        maxBytes: request.maxBytes ?? DEFAULT_MAX_BYTES,
      });
      const { location } = response.headers;
      const allowed = request.maxRedirects ?? 0;
      if (allowed === 0 || method !== 'GET' || !REDIRECTS.has(response.status) || !location) return response;
      if (redirects >= allowed) throw new OutboundError('redirect', true);
      target = redirected(target, location);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.guarded.destroy(), this.trusted.destroy()]);
  }
}

interface Target {
  url: URL;
  headers: Record<string, string>;
}

/** @throws OutboundError `refused` when the text is no http(s) URL */
function readTarget(text: string, headers: Record<string, string>): Target {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw new OutboundError('refused', false);
  if (url.username === '' && url.password === '') return { url, headers };
  const login = `${decoded(url.username)}:${decoded(url.password)}`;
  return { url, headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}`, ...headers } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Another origin gets none of the headers, since they may hold secrets. */
function redirected(from: Target, location: string): Target {
  const text = URL.canParse(location, from.url.href) ? new URL(location, from.url).href : '';
  const next = readTarget(text, {});
  return next.url.origin === from.url.origin ? { url: next.url, headers: from.headers } : next;
}
