import { isIP } from 'node:net';
import { Global, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher } from 'undici';
import { uriDecoded } from '../../kernel/urls.js';
import { within } from '../concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import {
  guardedConnector,
  isAllowedAddress,
  isOpened,
  lookupWith,
  readRanges,
  type SocketGuard,
} from './address-guard.js';
import { exchange, type OutboundResponse } from './exchange.js';
import { Mailer } from './mailer.js';
import { NameResolver, type NameSettings } from './name-resolver.js';
import { OutboundError } from './outbound-error.js';

/** A parsed target: parsing costs much when many calls go to one place. */
export interface Address {
  url: URL;
  origin: string;
  path: string;
  /** `authorization` header from the URL's user and password */
  login: string | null;
}

/** @throws OutboundError `refused` when the text is no http(s) URL */
export function readAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw new OutboundError('refused', false);
  const { origin, username, password } = url;
  const hasLogin = username !== '' || password !== '';
  const login = hasLogin ? `${uriDecoded(username)}:${uriDecoded(password)}` : null;
  return {
    url,
    origin,
    path: url.pathname + url.search,
    login: login === null ? null : `Basic ${Buffer.from(login).toString('base64')}`,
  };
}

export interface OutboundRequest {
  url: string | Address;
  /** default GET */
  method?: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** total, including redirects and the wait for a connection; default 15,000 */
  timeoutMs?: number;
  /** of the answer; default 1 MB */
  maxBytes?: number;
  /** true for carriers and providers that an operator configured: no address guard, more connections */
  trusted?: boolean;
  /** true, with `trusted`: staff without super set the address, so only public addresses and `ROUTE_NETWORKS` are allowed */
  guardedRoute?: boolean | undefined;
  /** account of the address: limits its look-ups, so that it cannot delay others */
  customer?: number;
  /** true: in production, plain HTTP only to `OUTBOUND_ALLOW` (reference/webhooks#own-routes) */
  tlsOutside?: boolean;
  /** true: truncates an answer at `maxBytes` instead of failing */
  cutAnswer?: boolean;
  /** true if the caller limits its concurrency: calls never queue for a connection, so slow hosts delay only their caller */
  ownConnections?: boolean;
  /** called before the first byte; throwing prevents the request */
  onSending?: (() => void) | undefined;
  /** followed on GET and checked like the first URL; default 0: returns the 3xx */
  maxRedirects?: number;
}

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_BYTES = 1024 * 1024;
const CONNECT_TIMEOUT_MS = 5_000;
/** for programs without settings */
const DNS_TIMEOUT_MS = 3_000;
const TRUSTED_CONNECTIONS = 256;
const GUARDED_CONNECTIONS = 16;
const KEEP_ALIVE_MS = 15_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The only HTTP client. Checks user-supplied URLs (reference/providers#user-supplied-urls); limits size and time. */
@Injectable()
export class OutboundClient implements OnApplicationShutdown {
  private readonly guarded: Agent;
  private readonly trusted: Agent;
  private readonly unshared: Agent;
  private readonly guardedRoutes: Agent;

  private readonly names: NameResolver;
  private readonly opened;
  private readonly routeNetworks;
  /** outside production, customers may test webhooks without certificates */
  private readonly isProduction;

  constructor(
    @Inject(ENVIRONMENT)
    environment: Pick<Environment, 'OUTBOUND_ALLOW'> &
      Partial<NameSettings & Pick<Environment, 'NODE_ENV' | 'ROUTE_NETWORKS'>>,
  ) {
    this.isProduction = environment.NODE_ENV === 'production';
    this.opened = readRanges(environment.OUTBOUND_ALLOW);
    this.routeNetworks = readRanges(environment.ROUTE_NETWORKS ?? '', 'ROUTE_NETWORKS');
    this.names = new NameResolver({ DNS_SERVERS: [], DNS_TIMEOUT: DNS_TIMEOUT_MS, ...environment });
    const keepAlive = { keepAliveTimeout: KEEP_ALIVE_MS, pipelining: 1 };
    const connector = guardedConnector(this.names, this.opened, CONNECT_TIMEOUT_MS);
    this.guarded = new Agent({ ...keepAlive, connections: GUARDED_CONNECTIONS, connect: connector });
    this.unshared = new Agent({ ...keepAlive, connect: connector });
    this.trusted = new Agent({
      ...keepAlive,
      connections: TRUSTED_CONNECTIONS,
      connect: { timeout: CONNECT_TIMEOUT_MS, lookup: lookupWith(this.names, 'operator') },
    });
    this.guardedRoutes = new Agent({
      ...keepAlive,
      connections: TRUSTED_CONNECTIONS,
      connect: guardedConnector(this.names, this.routeNetworks, CONNECT_TIMEOUT_MS, 'operator'),
    });
  }

  /** @returns the answer, whatever its status @throws OutboundError with the fault and whether the request may have arrived */
  async request(request: OutboundRequest): Promise<OutboundResponse> {
    const { url, headers = {}, maxRedirects = 0 } = request;
    const deadline = performance.now() + (request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const target = targetOf(typeof url === 'string' ? readAddress(url) : url, headers);
    const response = await this.once(target, request, deadline);
    return maxRedirects === 0 ? response : this.follow(response, target, request, deadline);
  }

  private async follow(
    first: OutboundResponse,
    start: Target,
    request: OutboundRequest,
    deadline: number,
  ): Promise<OutboundResponse> {
    let response = first;
    let target = start;
    for (let redirects = 1; isRedirect(request, response); redirects++) {
      if (redirects > (request.maxRedirects ?? 0)) throw new OutboundError('redirect', true);
      target = redirected(target, response.headers.location ?? '');
      response = await this.once(target, request, deadline);
    }
    return response;
  }

  private async once(
    { address, headers }: Target,
    request: OutboundRequest,
    deadline: number,
  ): Promise<OutboundResponse> {
    if (!request.trusted) await this.find(address.url, request, deadline);
    return exchange(this.agentOf(request), {
      origin: address.origin,
      path: address.path,
      headers,
      method: request.method ?? 'GET',
      body: request.body ?? null,
      timeoutMs: Math.max(1, deadline - performance.now()),
      maxBytes: request.maxBytes ?? DEFAULT_MAX_BYTES,
      cutAnswer: request.cutAnswer ?? false,
      onSending: request.onSending,
    });
  }

  private agentOf({ trusted, guardedRoute, ownConnections }: OutboundRequest): Agent {
    if (trusted) return guardedRoute ? this.guardedRoutes : this.trusted;
    return ownConnections ? this.unshared : this.guarded;
  }

  /** Guard for guarded routes that do not use HTTP. */
  get routeGuard(): SocketGuard {
    const allows = (address: string): boolean => isAllowedAddress(address, this.routeNetworks);
    return { lookup: lookupWith(this.names, 'operator', allows), allows };
  }

  /** Whether a guarded route to this host is refused now. False if unresolved in `patienceMs`: connections check again. */
  async refusesRoute(host: string, patienceMs: number): Promise<boolean> {
    const found = await within(patienceMs, this.names.resolve(host, 'operator')).catch(() => null);
    return found !== null && !found.some(({ address }) => isAllowedAddress(address, this.routeNetworks));
  }

  /** Whether `tlsOutside` may allow a URL; checks no name, which happens at each call. */
  takesPlain(url: string): boolean {
    const { protocol, host } = hostOf(new URL(url));
    if (!this.isProduction || protocol === 'https:') return true;
    return isIP(host) === 0 ? this.opened.length > 0 : isOpened(host, this.opened);
  }

  /** The fault that a customer's URL would cause now. Unresolved within `patienceMs`: null, as each call checks again. */
  async refusal(
    request: Pick<OutboundRequest, 'customer' | 'tlsOutside'> & { url: string; patienceMs: number },
  ): Promise<'refused' | 'unencrypted' | null> {
    const { url } = readAddress(request.url);
    try {
      const found = await this.find(url, request, performance.now() + request.patienceMs);
      return found.some((address) => isAllowedAddress(address, this.opened)) ? null : 'refused';
    } catch (error) {
      if (error instanceof OutboundError) return error.fault === 'unencrypted' ? 'unencrypted' : null;
      throw error;
    }
  }

  /** Resolves the host with the customer's limits; the connection then finds the cached answer. */
  private async find(
    url: URL,
    request: Pick<OutboundRequest, 'customer' | 'tlsOutside'>,
    deadline: number,
  ): Promise<string[]> {
    const { protocol, host } = hostOf(url);
    const found = isIP(host) === 0 ? await this.addressesOf(host, request.customer ?? null, deadline) : [host];
    if (!request.tlsOutside || !this.isProduction || protocol === 'https:') return found;
    const usable = found.filter((address) => isAllowedAddress(address, this.opened));
    if (!usable.every((address) => isOpened(address, this.opened))) throw new OutboundError('unencrypted', false);
    return found;
  }

  private async addressesOf(host: string, customer: number | null, deadline: number): Promise<string[]> {
    const left = Math.max(1, deadline - performance.now());
    const found = await within(left, this.names.resolve(host, customer)).catch((error: unknown) => {
      throw new OutboundError('unreachable', false, error);
    });
    if (found === null) throw new OutboundError('timeout', false);
    return found.map(({ address }) => address);
  }

  async onApplicationShutdown(): Promise<void> {
    this.names.close();
    await Promise.all([this.guarded, this.trusted, this.unshared, this.guardedRoutes].map((agent) => agent.destroy()));
  }
}

/** The host without the brackets of IPv6. */
const hostOf = ({ protocol, hostname }: URL): { protocol: string; host: string } => ({
  protocol,
  host: hostname.replace(/^\[|\]$/g, ''),
});

interface Target {
  address: Address;
  headers: Record<string, string>;
}

const targetOf = (address: Address, headers: Record<string, string>): Target => ({
  address,
  headers: address.login === null ? headers : { authorization: address.login, ...headers },
});

const isRedirect = ({ method = 'GET' }: OutboundRequest, { status, headers }: OutboundResponse): boolean =>
  method === 'GET' && REDIRECTS.has(status) && Boolean(headers.location);

/** Drops all headers for another origin, since they may hold secrets. */
function redirected(from: Target, location: string): Target {
  const { url, origin } = from.address;
  const next = readAddress(URL.canParse(location, url.href) ? new URL(location, url).href : '');
  return targetOf(next, next.origin === origin ? from.headers : {});
}

@Global()
@Module({ providers: [OutboundClient, Mailer], exports: [OutboundClient, Mailer] })
export class OutboundModule {}
