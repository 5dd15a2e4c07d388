import net from 'node:net';
import tls from 'node:tls';
import type { SmppConfig } from './smpp-config.js';

/**
 * Begins to connect, over TLS where the route says so. An address that the guard refuses ends the socket with an error, as
 * any other fault of connecting does.
 */
export function openSocket({ host, port, tls: secure, tlsVerify, tlsCa, guard }: SmppConfig): net.Socket {
  // an address is connected to without a look-up
  if (guard && net.isIP(host) !== 0 && !guard.allows(host)) {
    return new net.Socket().destroy(new Error('Address is not allowed'));
  }
  const place = { host, port, ...(guard && { lookup: guard.lookup }) };
  if (!secure) return net.connect(place);
  return tls.connect({
    ...place,
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

const MOST_UNREAD = 1024 * 1024;

/** Answers that a carrier has not read. One that goes on asking without reading is not listened to, and given up in the end. */
export class UnreadAnswers {
  private since = performance.now();

  constructor(private readonly socket: net.Socket) {}

  get tooMany(): boolean {
    return this.socket.writableLength > MOST_UNREAD;
  }

  /** For how long there have been too many. @param now of `performance.now()`; asked at short intervals */
  sinceMs(now: number): number {
    if (!this.tooMany) this.since = now;
    return now - this.since;
  }
}
