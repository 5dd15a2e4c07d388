/** `unencrypted`: no TLS where it is required; `interrupted`: broken off, or a mail server's refusal; `redirect`: too many redirects. */
export type OutboundFault =
  'refused' | 'unencrypted' | 'unreachable' | 'timeout' | 'interrupted' | 'too_large' | 'redirect';

/** A call without an answer. Message and reason contain no URL, address or header. */
export class OutboundError extends Error {
  /** for staff, such as `connection refused` */
  readonly reason: string;
  /** the guard refused the address; the URL itself may be valid */
  readonly byGuard: boolean;

  /** @param sent whether the request, or a part of it, may have arrived */
  constructor(
    readonly fault: OutboundFault,
    readonly sent: boolean,
    cause?: unknown,
  ) {
    super(`Outbound request failed: ${fault}`, cause === undefined ? undefined : { cause });
    this.name = 'OutboundError';
    this.byGuard = fault === 'refused' && cause !== undefined;
    this.reason = reasonOf(cause) ?? REASONS[fault];
  }
}

const REASONS: Readonly<Record<OutboundFault, string>> = {
  refused: 'its address is not allowed',
  unencrypted: 'it is not https',
  unreachable: 'no connection',
  timeout: 'no answer in time',
  interrupted: 'the connection broke',
  too_large: 'its answer is too large',
  redirect: 'too many redirects',
};

const REASONS_BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENOTFOUND: 'its name is not known',
  ENODATA: 'its name is not known',
  EAI_AGAIN: 'its name cannot be resolved',
  ESERVFAIL: 'its name cannot be resolved',
  ETIMEOUT: 'its name cannot be resolved',
  EHOSTUNREACH: 'no way to its host',
  ENETUNREACH: 'no way to its network',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  EAUTH: 'the mail server refused the login',
  ENOAUTH: 'the mail server refused the login',
  EENVELOPE: 'the mail server refused the address',
  EMESSAGE: 'the mail server refused the message',
};
/** Codes of OpenSSL and of invalid certificates. */
const TLS_CODE = /^(ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/;

export const isTlsCode = (code: string): boolean => TLS_CODE.test(code);

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null ? String((error as { code?: unknown }).code) : '';

function reasonOf(cause: unknown): string | undefined {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = codeOf(first);
  return REASONS_BY_CODE[code] ?? (isTlsCode(code) ? 'no TLS connection' : undefined);
}
