import { networkInterfaces } from 'node:os';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import type { Asker, NameResolver } from './name-resolver.js';

type Ip = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Ip, number];

/** The guard refused an address or URL. The message contains no address, to reveal nothing about our network. */
export class AddressRefused extends Error {
  constructor() {
    super('Address is not allowed');
    this.name = 'AddressRefused';
  }
}

/** Reads comma-separated CIDRs. @throws Error that names the variable */
export function readRanges(text: string, variable = 'OUTBOUND_ALLOW'): Range[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      try {
        return ipaddr.parseCIDR(item);
      } catch {
        throw new Error(`${variable}: "${item}" is not a CIDR such as 10.0.0.0/8`);
      }
    });
}

/** The IPv6 range of hosts; all others are tunnels, translations or private. */
const GLOBAL_V6: Range = ipaddr.parseCIDR('2000::/3');
/** Public address, private use: a cloud's agent that answers all its machines. */
const CLOSED: readonly Range[] = [ipaddr.parseCIDR('168.63.129.16/32')];

const isWithin = (ip: Ip, [range, bits]: Range): boolean => range.kind() === ip.kind() && ip.match(range, bits);

/** Whether the operator explicitly allowed the network of an address. */
export const isOpened = (address: string, allowed: readonly Range[]): boolean =>
  ipaddr.isValid(address) && allowed.some((range) => isWithin(ipaddr.process(address), range));

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));

/** Whether a host's address is public and not this machine's, or opened (reference/providers#user-supplied-urls). */
export function isAllowedAddress(address: string, allowed: readonly Range[], own = ownAddresses): boolean {
  if (!ipaddr.isValid(address)) return false;
  if (isOpened(address, allowed)) return true;
  const ip = ipaddr.process(address);
  if (ip.range() !== 'unicast' || CLOSED.some((range) => isWithin(ip, range))) return false;
  if (ip.kind() === 'ipv6' && !isWithin(ip, GLOBAL_V6)) return false;
  return !own().some((mine) => ipaddr.isValid(mine) && ipaddr.process(mine).toString() === ip.toString());
}

/** Connector for user-supplied URLs: checks literal addresses, resolved ones and, before the first byte, the connected one. */
export function guardedConnector(
  names: NameResolver,
  allowed: readonly Range[],
  connectTimeoutMs: number,
  asker: Asker = null,
): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup: lookupWith(names, asker, (address) => isAllowedAddress(address, allowed)),
  });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (ipaddr.isValid(host) && !isAllowedAddress(host, allowed)) {
      callback(new AddressRefused(), null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      if (!isAllowedAddress(socket.remoteAddress ?? '', allowed)) {
        socket.destroy();
        callback(new AddressRefused(), null);
        return;
      }
      callback(null, socket);
    });
  };
}

/** Address checks of a guarded route's socket. */
export interface SocketGuard {
  /** resolves a name to its allowed addresses */
  lookup: LookupFunction;
  /** checks a literal address */
  allows(address: string): boolean;
}

/** The look-up function of a connection. @param isAllowed filters the addresses; default: all */
export function lookupWith(names: NameResolver, asker: Asker, isAllowed: (address: string) => boolean = () => true) {
  const lookup: LookupFunction = (hostname, { all, family }, callback) => {
    names.resolve(hostname, asker).then(
      (addresses) => {
        const usable = addresses.filter(({ address }) => isAllowed(address));
        const wanted = family === 4 || family === 6 ? usable.filter((one) => one.family === family) : usable;
        const [first] = wanted;
        if (!first) callback(new AddressRefused(), '', 0);
        else if (all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0),
    );
  };
  return lookup;
}
