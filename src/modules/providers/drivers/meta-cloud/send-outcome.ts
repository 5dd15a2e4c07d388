import { objectOrEmpty } from '../../../../kernel/objects.js';
import { cutCodePoints } from '../../../../kernel/text.js';
import type { SendOutcome } from '../../ports/message-driver.js';
import { outcomeOfAnswer, outcomeOfFault, type Verdict } from '../upstream-answers.js';
import { isTemporary, providerErrorCode, providerErrorText, throttleMs } from './error-codes.js';
import type { GraphExchange } from './graph-exchange.js';

export const TITLE = 'Provider';
const LONGEST_ID = 128;
const LONGEST_TEXT = 200;

/** What an exchange means for the message (reference/providers#answers-of-upstreams). */
export function outcomeOf(exchange: GraphExchange): SendOutcome {
  if (exchange.kind === 'fault') return outcomeOfFault(TITLE, exchange.error);
  const { status, retryAfter } = exchange;
  const body = exchange.kind === 'answer' ? exchange.body : null;
  if (status >= 200 && status < 300) return accepted(body);
  const code = providerErrorCode(body);
  const text = body ? cutCodePoints(providerErrorText(body), LONGEST_TEXT) : `Provider answered ${status}`;
  const afterMs = throttleMs(code);
  const said = { code: code ?? status, text, retryAfter, ...(afterMs !== null && { afterMs }) };
  return outcomeOfAnswer(status, said, verdictOfCode(code));
}

/** The upstream's own code tells more than the status it comes with. */
const verdictOfCode = (code: number | null): Verdict | null =>
  throttleMs(code) !== null ? 'busy' : isTemporary(code) ? 'fault' : null;

/** A success without an id: taken or not, it cannot be told. */
function accepted(body: Record<string, unknown> | null): SendOutcome {
  const messages = body?.['messages'];
  const { id } = objectOrEmpty(Array.isArray(messages) ? messages[0] : null);
  const usable = typeof id === 'string' && id.trim() !== '' && id.length <= LONGEST_ID;
  return usable ? { kind: 'accepted', providerMessageIds: [id] } : { kind: 'unknown' };
}
