import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

interface Addressed {
  ip?: string | undefined;
  socket?: { remoteAddress?: string | undefined };
  /** as it was read the first time: log, limits and handlers ask for it in turn */
  clientAddress?: string;
}

/**
 * The client's address, as limits and logs know it: `X-Forwarded-For` counts only behind `TRUST_PROXY` (set on the
 * application), and an IPv4 address in IPv6 clothes, however they are written, is the IPv4 address.
 */
export const clientIp = (request: Addressed): string => (request.clientAddress ??= readAddress(request));

function readAddress({ ip: said, socket }: Addressed): string {
  const ip = said ?? socket?.remoteAddress ?? 'unknown';
  return ip.includes(':') && ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : ip;
}

/** Addresses that a limit counts as one. */
export interface Network {
  /** `203.0.113.7`, `2001:db8:0:1::/64` */
  name: string;
  /** how many times the limit's figure it may have */
  share: number;
}

const IPV6_NETWORKS = [
  { bits: 64, share: 1 },
  { bits: 56, share: 10 },
];

/**
 * The networks by which limits know a client, narrowest first. A host with one IPv6 address has its whole /64, and
 * often a /56 of 256 of them; an IPv4 address stands for itself.
 * @param ip as `clientIp` gives it
 */
export function networksOf(ip: string): Network[] {
  // most of them, and told without reading it into numbers and back
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
/** `::ffff:1.2.3.4` is 1.2.3.4: clients are known by their IPv4 address (clientIp). */
const MAPPED_BITS = IPV6_BITS - IPV4_BITS;

/**
 * Reads an IPv4 or IPv6 address, or a range in CIDR notation, into its canonical form: `10.0.0.7/8` is `10.0.0.0/8`.
 * @returns null for anything else, such as `1` or `010.0.0.1`, which other programs read in other ways
 */
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

/** Whether a client's address lies in one of the ranges, each in its canonical form. */
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
