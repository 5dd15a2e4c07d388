/**
 * The client's address, as limits and logs know it: `X-Forwarded-For` counts only behind `TRUST_PROXY` (set on the
 * application), and an IPv4 address in IPv6 clothes is the IPv4 address.
 */
export function clientIp(request: {
  ip?: string | undefined;
  socket?: { remoteAddress?: string | undefined };
}): string {
  const ip = request.ip ?? request.socket?.remoteAddress ?? 'unknown';
  return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice(7) : ip;
}
