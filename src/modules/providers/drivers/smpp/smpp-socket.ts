import net from 'node:net';
import tls from 'node:tls';
import type { SmppConfig } from './smpp-config.js';

/** Connects, over TLS if configured. An address that the guard refuses ends the socket with an error. */
export function openSocket({ host, port, tls: secure, tlsVerify, tlsCa, guard }: SmppConfig): net.Socket {
  // for an IP address, net.connect does not call the guard's `lookup`
  if (guard && net.isIP(host) !== 0 && !guard.allows(host)) {
    return new net.Socket().destroy(new Error('Address is not allowed'));
  }
  const target = { host, port, ...(guard && { lookup: guard.lookup }) };
  if (!secure) return net.connect(target);
  return tls.connect({
    ...target,
    rejectUnauthorized: tlsVerify,
    // server name indication takes no IP address
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

/** Answers that the carrier has not read. If it keeps sending without reading, the session stops reading, and then fails. */
export class UnreadAnswers {
  private since = performance.now();

  constructor(private readonly socket: net.Socket) {}

  get tooMany(): boolean {
    return this.socket.writableLength > MOST_UNREAD;
  }

  /** How long there have been too many. @param now of `performance.now()`; called at short intervals */
  sinceMs(now: number): number {
    if (!this.tooMany) this.since = now;
    return now - this.since;
  }
}
