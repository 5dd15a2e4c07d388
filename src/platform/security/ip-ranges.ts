import ipaddr from 'ipaddr.js';

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
