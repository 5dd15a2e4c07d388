import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

interface Addressed {
  ip?: string | undefined;
  socket?: { remoteAddress?: string | undefined };
  /** cached: log, limits and handlers read it */
  clientAddress?: string;
}

/** The client's address. `X-Forwarded-For` counts only behind `TRUST_PROXY`; IPv4-mapped IPv6 becomes IPv4. */
export const clientIp = (request: Addressed): string => (request.clientAddress ??= readAddress(request));

function readAddress({ ip: said, socket }: Addressed): string {
  const ip = said ?? socket?.remoteAddress ?? 'unknown';
  return ip.includes(':') && ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : ip;
}

export interface Network {
  name: string;
  /** factor for the limit */
  share: number;
}

const IPV6_NETWORKS = [
  { bits: 64, share: 1 },
  { bits: 56, share: 10 },
];

/** Networks that limits count, narrowest first: an IPv6 host has its whole /64, often a /56. @param ip from `clientIp` */
export function networksOf(ip: string): Network[] {
  // Fast path for most addresses.
  if (isIPv4(ip) || !ipaddr.isValid(ip)) return [{ name: ip, share: 1 }];
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return [{ name: address.toString(), share: 1 }];
  const plain = address.toByteArray();
  return IPV6_NETWORKS.map(({ bits, share }) => {
    const bytes = plain.map((byte, index) => (index * 8 < bits ? byte : 0));
    return { name: `${ipaddr.fromByteArray(bytes).toString()}/${bits}`, share };
  });
}

const IPV4_BITS = 32;
const IPV6_BITS = 128;
const MAPPED_BITS = IPV6_BITS - IPV4_BITS;

/** Canonical address or range: `10.0.0.7/8` → `10.0.0.0/8`. @returns null otherwise, also for ambiguous `010.0.0.1` */
export function normalIpRange(text: string): string | null {
  const [address = '', length, ...rest] = text.trim().split('/');
  if (rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return null;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return rangeOf(address, Number(length ?? IPV4_BITS));
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return null;
  const bits = Number(length ?? IPV6_BITS);
  const parsed = ipaddr.IPv6.parse(address);
  if (!parsed.isIPv4MappedAddress()) return rangeOf(address, bits);
  return bits < MAPPED_BITS ? null : rangeOf(parsed.toIPv4Address().toString(), bits - MAPPED_BITS);
}

export function isInIpRanges(ip: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return ranges.some((range) => {
    const [base = '', length] = range.split('/');
    const network = ipaddr.parse(base);
    if (network.kind() !== address.kind()) return false;
    return address.match(network, Number(length ?? (network.kind() === 'ipv4' ? IPV4_BITS : IPV6_BITS)));
  });
}

function rangeOf(address: string, bits: number): string | null {
  const isV4 = !address.includes(':');
  const most = isV4 ? IPV4_BITS : IPV6_BITS;
  if (bits > most) return null;
  if (bits === most) return ipaddr.parse(address).toString();
  const kind = isV4 ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`;
}
