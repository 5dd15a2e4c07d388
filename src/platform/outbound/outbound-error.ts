/**
 * - `refused`: the URL or its address is not allowed
 * - `unencrypted`: plain HTTP to a place that takes TLS only
 * - `unreachable`: no connection came about
 * - `timeout`: the time limit passed
 * - `interrupted`: the connection broke
 * - `too_large`: the answer exceeds `maxBytes`
 * - `redirect`: more redirects than allowed
 */
export type OutboundFault =
  'refused' | 'unencrypted' | 'unreachable' | 'timeout' | 'interrupted' | 'too_large' | 'redirect';

/** Why a call brought no answer. The message holds no URL and no header. */
export class OutboundError extends Error {
  /** @param sent whether the request, or a part of it, may have reached the other side */
  constructor(
    readonly fault: OutboundFault,
    readonly sent: boolean,
    cause?: unknown,
  ) {
    super(`Outbound request failed: ${fault}`, cause === undefined ? undefined : { cause });
    this.name = 'OutboundError';
  }
}

const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Says whether an error of undici came before a connection stood. */
export function isConnectFault(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isConnectFault);
  return typeof error === 'object' && error !== null && NOT_CONNECTED.has(String((error as { code?: unknown }).code));
}
