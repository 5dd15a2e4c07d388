import ipaddr from 'ipaddr.js';

/**
 * The client's address, as limits and logs know it: `X-Forwarded-For` counts only behind `TRUST_PROXY` (set on the
 * application), and an IPv4 address in IPv6 clothes, however they are written, is the IPv4 address.
 */
export function clientIp(request: {
  ip?: string | undefined;
  socket?: { remoteAddress?: string | undefined };
}): string {
  const ip = request.ip ?? request.socket?.remoteAddress ?? 'unknown';
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
  if (!ipaddr.isValid(ip)) return [{ name: ip, share: 1 }];
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return [{ name: address.toString(), share: 1 }];
  const plain = address.toByteArray();
  return IPV6_NETWORKS.map(({ bits, share }) => {
    const bytes = plain.map((byte, index) => (index * 8 < bits ? byte : 0));
    return { name: `${ipaddr.fromByteArray(bytes).toString()}/${bits}`, share };
  });
}
