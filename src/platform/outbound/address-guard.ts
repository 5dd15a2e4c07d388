import { networkInterfaces } from 'node:os';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import type { Asker, NameResolver } from './name-resolver.js';

type Ip = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Ip, number];

/** The guard refused an address or a URL. The text names no address, so that it tells nothing about our network. */
export class AddressRefused extends Error {
  constructor() {
    super('Address is not allowed');
    this.name = 'AddressRefused';
  }
}

/** Reads comma-separated CIDRs. @throws Error naming the variable when one is none */
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

/** The addresses of IPv6 that are given out to hosts; everything else is a tunnel, a translation or private. */
const GLOBAL_V6: Range = ipaddr.parseCIDR('2000::/3');
/** Public by their number, private by their use: a cloud's agent that answers every machine in it. */
const CLOSED: readonly Range[] = [ipaddr.parseCIDR('168.63.129.16/32')];

const isWithin = (ip: Ip, [range, bits]: Range): boolean => range.kind() === ip.kind() && ip.match(range, bits);

/** Whether the operator opened the network of an address on purpose. */
export const isOpened = (address: string, allowed: readonly Range[]): boolean =>
  ipaddr.isValid(address) && allowed.some((range) => isWithin(ipaddr.process(address), range));

/** The addresses of this machine. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));

/**
 * Public unicast addresses of other machines, and what the operator opened on purpose
 * (reference/providers#user-supplied-urls). Of IPv6 only what is given out to hosts counts, which closes every address
 * that has an IPv4 address in it.
 * @param own addresses of this machine, which are looked up each time: they change while we run
 */
export function isAllowedAddress(address: string, allowed: readonly Range[], own = ownAddresses): boolean {
  if (!ipaddr.isValid(address)) return false;
  if (isOpened(address, allowed)) return true;
  const ip = ipaddr.process(address);
  if (ip.range() !== 'unicast' || CLOSED.some((range) => isWithin(ip, range))) return false;
  if (ip.kind() === 'ipv6' && !isWithin(ip, GLOBAL_V6)) return false;
  return !own().some((mine) => ipaddr.isValid(mine) && ipaddr.process(mine).toString() === ip.toString());
}

/**
 * A connector for URLs that users give. Names are resolved here and only allowed addresses are tried; addresses in the
 * URL itself (in any spelling: the URL parser makes them canonical) are checked before, because no look-up happens for
 * them; and the address that was reached is checked once more before a byte is written.
 */
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

/** What a socket of a guarded route asks before it connects. */
export interface SocketGuard {
  /** resolves a name to its allowed addresses alone */
  lookup: LookupFunction;
  /** judges an address that is no name */
  allows(address: string): boolean;
}

/** The look-up of a connection. @param isAllowed which of the addresses are tried; default: all */
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
