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
