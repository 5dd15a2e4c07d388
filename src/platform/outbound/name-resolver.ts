import { type LookupAddress, promises as dns } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { TtlCache, KeyedSemaphore, within } from '../concurrency/index.js';

const HOSTS = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const RESOLV_CONF = '/etc/resolv.conf';

/** What this machine says of names before any name server is asked. */
interface MachineNames {
  /** addresses by name, in the order of the hosts file */
  hosts: ReadonlyMap<string, readonly LookupAddress[]>;
  /** domains in which short names of the operator are looked for too */
  domains: readonly string[];
}

/** Reads a hosts file: an address, then its names; `#` begins a comment. */
export function parseHosts(text: string): MachineNames['hosts'] {
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
export function parseDomains(text: string): string[] {
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

/** Reads both from this machine; empty where a file is missing. */
async function readMachineNames(): Promise<MachineNames> {
  const [hosts, settings] = await Promise.all([textOf(HOSTS), textOf(RESOLV_CONF)]);
  return { hosts: parseHosts(hosts), domains: parseDomains(settings) };
}

/** What the resolver needs to know of the environment. */
export interface NameSettings {
  /** addresses of name servers, with or without port; empty = those of the machine */
  DNS_SERVERS: readonly string[];
  /** milliseconds for one name */
  DNS_TIMEOUT: number;
}

/** On whose behalf a name is looked up: a customer (id of the account), the operator, or neither. */
export type Asker = number | 'operator' | null;

/** No address was found; nothing has left. */
export class NameUnresolved extends Error {
  /** that of the name server's answer, such as `ENOTFOUND`; `ETIMEOUT` when there was none */
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
/** The machine's own settings may change while we run. */
const SETTINGS_KEPT_MS = 30_000;
/** Two tries, of which the second waits twice as long, come to three of these. */
const TRIES = 2;
const PARTS = 3;
/** How long the addresses of one family wait for those of the other. */
const OTHER_FAMILY_MS = 100;
/** Look-ups under way, in all and of one customer. */
const MOST_AT_ONCE = 512;
const MOST_EACH = 8;
const MOST_WAITING_EACH = 64;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Names of other hosts, asked over the network by ourselves. The system's own way (`dns.lookup`) keeps one of libuv's few
 * threads for as long as a name server is silent, so a handful of names under a silent server would hold up every
 * connection of the process. The hosts file counts; answers are kept for a short time, faults are not.
 */
export class NameResolver {
  private readonly answers = new TtlCache<string, LookupAddress[]>(KEPT_MS, MOST_KEPT);
  private readonly machine = new TtlCache<'machine', MachineNames>(KEPT_MS, 1);
  private readonly lookUps: KeyedSemaphore<number>;
  private resolver: dns.Resolver | null = null;
  private resolverUntil = 0;

  constructor(private readonly settings: NameSettings) {
    const patienceMs = settings.DNS_TIMEOUT;
    const limits = { permits: MOST_AT_ONCE, each: MOST_EACH, waiting: MOST_WAITING_EACH, patienceMs };
    this.lookUps = new KeyedSemaphore(limits, () => new NameUnresolved());
  }

  /**
   * Every address of a name, IPv4 first; an address is its own.
   * @param asker a customer has no more than a few look-ups under way; short names of the operator are looked for in the
   * machine's search domains too
   * @throws NameUnresolved
   */
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
    const look = (): Promise<LookupAddress[]> => this.answers.get(name, () => this.ask(name));
    // The permit comes first: others that ask for this name wait for an answer, never for this customer's permit.
    return asker === null ? look() : this.lookUps.run(asker, look);
  }

  /** Questions under way get no answer any more. */
  close(): void {
    this.resolver?.cancel();
  }

  /** The first of several names that is there. */
  private async search(names: readonly string[]): Promise<LookupAddress[]> {
    let fault: unknown;
    for (const name of names) {
      try {
        return await this.ask(name);
      } catch (error) {
        fault ??= error;
        if (error instanceof NameUnresolved && error.cause === undefined) break; // silence: a further name has no better luck
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

/** What both families have; the one that is first to have any does not wait long for the other. */
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
