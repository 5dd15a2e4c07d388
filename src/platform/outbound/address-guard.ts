import { lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The guard refused an address or a URL. The text names no address, so that it tells nothing about our network. */
export class AddressRefused extends Error {
  constructor() {
    super('Address is not allowed');
    this.name = 'AddressRefused';
  }
}

/** Reads `OUTBOUND_ALLOW`: comma-separated CIDRs. @throws Error naming the variable when one is none */
export function readRanges(text: string): Range[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      try {
        return ipaddr.parseCIDR(item);
      } catch {
        throw new Error(`OUTBOUND_ALLOW: "${item}" is not a CIDR such as 10.0.0.0/8`);
      }
    });
}

/** Public unicast addresses, and what the operator opened on purpose (decisions §10). */
export function isAllowedAddress(address: string, allowed: readonly Range[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (ip.range() === 'unicast') return true;
  return allowed.some(([range, bits]) => range.kind() === ip.kind() && ip.match(range, bits));
}

/**
 * A connector for URLs that users give. Names are resolved here and only allowed addresses are tried; addresses in the
 * URL itself (in any spelling: the URL parser makes them canonical) are checked before, because no look-up happens for
 * them; and the address that was reached is checked once more before a byte is written.
 */
export function guardedConnector(allowed: readonly Range[], connectTimeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup: guardedLookup(allowed) });
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

function guardedLookup(allowed: readonly Range[]): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const usable = addresses.filter(({ address }) => isAllowedAddress(address, allowed));
      const [first] = usable;
      if (!first) callback(new AddressRefused(), '', 0);
      else if (options.all) callback(null, usable);
      else callback(null, first.address, first.family);
    });
  };
}
