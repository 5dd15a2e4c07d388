import net from 'node:net';
import tls from 'node:tls';
import type { SmppConfig } from './smpp-config.js';

/** Begins to connect, over TLS where the route says so. */
export function openSocket({ host, port, tls: secure, tlsVerify, tlsCa }: SmppConfig): net.Socket {
  if (!secure) return net.connect({ host, port });
  return tls.connect({
    host,
    port,
    rejectUnauthorized: tlsVerify,
    // server name indication takes no bare address
    ...(net.isIP(host) === 0 && { servername: host }),
    ...(tlsCa !== null && { ca: tlsCa }),
  });
}

/** Resolves when `begin` calls back, at the latest after `milliseconds`. */
export function within(milliseconds: number, begin: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    begin(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
