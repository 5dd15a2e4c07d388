import { type LookupAddress, promises as dns } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { TtlCache, KeyedSemaphore, within } from '../concurrency/index.js';

const HOSTS = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const RESOLV_CONF = '/etc/resolv.conf';

interface MachineNames {
  hosts: ReadonlyMap<string, readonly LookupAddress[]>;
  /** search domains for the operator's short names */
  domains: readonly string[];
}

/** Reads a hosts file: an address, then its names; `#` begins a comment. */
function parseHosts(text: string): MachineNames['hosts'] {
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const known = hosts.get(name.toLowerCase()) ?? [];
      hosts.set(name.toLowerCase(), [...known, { address, family }]);
    }
  }
  return hosts;
}

/** The domains of the last `search` (or `domain`) line of a resolv.conf. */
function parseDomains(text: string): string[] {
  const lines = text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
  const last = lines.findLast(([word]) => word === 'search' || word === 'domain');
  return (last ?? []).slice(1).map((domain) => domain.replace(/\.$/, ''));
}

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

async function readMachineNames(): Promise<MachineNames> {
  const [hosts, settings] = await Promise.all([textOf(HOSTS), textOf(RESOLV_CONF)]);
  return { hosts: parseHosts(hosts), domains: parseDomains(settings) };
}

export interface NameSettings {
  /** addresses of name servers, port optional; empty = the machine's */
  DNS_SERVERS: readonly string[];
  /** milliseconds per name */
  DNS_TIMEOUT: number;
}

/** The requester: a customer (account id), the operator, or neither. */
export type Asker = number | 'operator' | null;

/** No address was found; nothing was sent. */
class NameUnresolved extends Error {
  /** from the name server, such as `ENOTFOUND`; `ETIMEOUT` without an answer */
  readonly code: string;

  constructor(cause?: AggregateError) {
    super('Name could not be resolved', cause === undefined ? undefined : { cause });
    this.name = 'NameUnresolved';
    const first = cause?.errors[0] as NodeJS.ErrnoException | undefined;
    this.code = first?.code ?? 'ETIMEOUT';
  }
}

const KEPT_MS = 10_000;
const MOST_KEPT = 5_000;
/** The machine's settings may change at runtime. */
const SETTINGS_KEPT_MS = 30_000;
/** The second of two attempts waits twice as long: three parts in total. */
const TRIES = 2;
const PARTS = 3;
/** Time that addresses of one family wait for the other. */
const OTHER_FAMILY_MS = 100;
/** Concurrent look-ups, in total and per customer. */
const MOST_AT_ONCE = 512;
const MOST_EACH = 8;
const MOST_WAITING_EACH = 64;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Resolves names over the network: `dns.lookup` blocks one of libuv's few threads per silent name server. */
export class NameResolver {
  private readonly answers = new TtlCache<string, LookupAddress[]>(KEPT_MS, MOST_KEPT);
  private readonly machine = new TtlCache<'machine', MachineNames>(KEPT_MS, 1);
  private readonly lookups: KeyedSemaphore<number>;
  private resolver: dns.Resolver | null = null;
  private resolverUntil = 0;

  constructor(private readonly settings: NameSettings) {
    const patienceMs = settings.DNS_TIMEOUT;
    const limits = { permits: MOST_AT_ONCE, each: MOST_EACH, waiting: MOST_WAITING_EACH, patienceMs };
    this.lookups = new KeyedSemaphore(limits, () => new NameUnresolved());
  }

  /** Addresses, IPv4 first. @param asker limits a customer's look-ups; 'operator': search domains too @throws NameUnresolved */
  async resolve(hostname: string, asker: Asker): Promise<LookupAddress[]> {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const family = isIP(name);
    if (family !== 0) return [{ address: name, family }];
    if (name === 'localhost' || name.endsWith('.localhost')) return [...LOOPBACK];
    const { hosts, domains } = await this.machine.get('machine', readMachineNames);
    const local = hosts.get(name);
    if (local) return [...local];
    if (asker === 'operator') {
      return this.answers.get(`${name} of the operator`, () =>
        this.search([name, ...domains.map((d) => `${name}.${d}`)]),
      );
    }
    const known = this.answers.known(name);
    if (known) return known;
    const resolve = (): Promise<LookupAddress[]> => this.answers.get(name, () => this.ask(name));
    // Permit before the shared look-up: other customers must not wait for this one's permit.
    return asker === null ? resolve() : this.lookups.run(asker, resolve);
  }

  /** Cancels pending queries. */
  close(): void {
    this.resolver?.cancel();
  }

  private async search(names: readonly string[]): Promise<LookupAddress[]> {
    let fault: unknown;
    for (const name of names) {
      try {
        return await this.ask(name);
      } catch (error) {
        fault ??= error;
        if (error instanceof NameUnresolved && error.cause === undefined) break; // timeout: further names would time out too
      }
    }
    throw fault;
  }

  private async ask(name: string): Promise<LookupAddress[]> {
    const resolver = this.current();
    const of = (family: 4 | 6): Promise<LookupAddress[]> =>
      (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name)).then((found) =>
        found.map((address) => ({ address, family })),
      );
    const found = await within(this.settings.DNS_TIMEOUT, both(of(4), of(6)));
    if (found === null) throw new NameUnresolved();
    return found;
  }

  private current(): dns.Resolver {
    if (this.resolver && performance.now() < this.resolverUntil) return this.resolver;
    const { DNS_SERVERS: servers, DNS_TIMEOUT: limit } = this.settings;
    const resolver = new dns.Resolver({ timeout: Math.ceil(limit / PARTS), tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    this.resolver = resolver;
    this.resolverUntil = performance.now() + SETTINGS_KEPT_MS;
    return resolver;
  }
}

/** The addresses of both families; waits only briefly for the second one. */
async function both(v4: Promise<LookupAddress[]>, v6: Promise<LookupAddress[]>): Promise<LookupAddress[]> {
  const families = [v4, v6];
  try {
    await Promise.any(families);
  } catch (error) {
    throw new NameUnresolved(error as AggregateError);
  }
  const found = families.map((family) =>
    within(
      OTHER_FAMILY_MS,
      family.catch(() => []),
    ),
  );
  return (await Promise.all(found)).flatMap((addresses) => addresses ?? []);
}
