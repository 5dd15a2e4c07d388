import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const HOSTS = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const RESOLV_CONF = '/etc/resolv.conf';

/** What this machine says of names before any name server is asked. */
export interface MachineNames {
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
export async function readMachineNames(): Promise<MachineNames> {
  const [hosts, settings] = await Promise.all([textOf(HOSTS), textOf(RESOLV_CONF)]);
  return { hosts: parseHosts(hosts), domains: parseDomains(settings) };
}
