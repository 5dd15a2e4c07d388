import { cutCodePoints } from '../../../../kernel/text.js';
import type { SendOutcome } from '../../ports/message-driver.js';
import { retryAfterMs } from '../retry-after.js';
import { isTemporary, providerErrorCode, providerErrorText, throttleMs } from './error-codes.js';
import type { GraphExchange } from './graph-exchange.js';

const RETRY_MS = 1_000;
const LONGEST_ID = 128;
const LONGEST_TEXT = 200;
const TOO_MANY = 429;
const GATEWAY_TIMEOUT = 504;

/** What an exchange means for the message (decisions §10). */
export function outcomeOf(exchange: GraphExchange): SendOutcome {
  if (exchange.kind === 'fault') {
    if (exchange.sent) return { kind: 'unknown' };
    return { kind: 'retry', afterMs: RETRY_MS, code: null, text: 'Provider is not reachable', throttled: false };
  }
  const { status, retryAfter } = exchange;
  const body = exchange.kind === 'answer' ? exchange.body : null;
  if (status >= 200 && status < 300) return accepted(body);
  const code = providerErrorCode(body);
  const text = body ? cutCodePoints(providerErrorText(body), LONGEST_TEXT) : `Provider answered ${status}`;
  const busyMs = throttleMs(code) ?? (status === TOO_MANY ? retryAfterMs(retryAfter) : null);
  if (busyMs !== null) return { kind: 'retry', afterMs: busyMs, code: code ?? status, text, throttled: true };
  // A proxy gave up waiting; what stands behind it may have taken the message.
  if (status === GATEWAY_TIMEOUT && code === null) return { kind: 'unknown' };
  if (status >= 500 || isTemporary(code)) {
    return { kind: 'retry', afterMs: RETRY_MS, code: code ?? status, text, throttled: false };
  }
  return { kind: 'rejected', code: code ?? status, text, submitted: true };
}

/** A success without an id: taken or not, nobody can tell. */
function accepted(body: Record<string, unknown> | null): SendOutcome {
  const messages = body?.['messages'];
  const first: unknown = Array.isArray(messages) ? messages[0] : null;
  const id = typeof first === 'object' && first !== null ? (first as Record<string, unknown>)['id'] : null;
  const usable = typeof id === 'string' && id !== '' && id.length <= LONGEST_ID;
  return usable ? { kind: 'accepted', providerMessageIds: [id] } : { kind: 'unknown' };
}
