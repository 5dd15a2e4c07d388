import { readJsonObject } from '../../../../kernel/objects.js';
import { cutCodePoints } from '../../../../kernel/text.js';
import type { OutboundResponse } from '../../../../platform/outbound/index.js';
import type { SendOutcome } from '../../ports/message-driver.js';
import { orElsewhere } from '../failover-codes.js';
import { outcomeOfAnswer } from '../upstream-answers.js';

const LONGEST_ID = 128;
const LONGEST_TEXT = 200;
/** Only tokens from this length on are masked in answers: a shorter one might be an ordinary word of the text. */
const SHORTEST_SECRET = 8;

/** Busy, by the network's code: too many requests, too many calls at once. */
const THROTTLES: ReadonlySet<number> = new Set([20429, 10004]);

/**
 * What an answer to the creation of a call means (reference/providers#answers-of-upstreams).
 * @param secret blotted out, should it be quoted
 * @param failoverCodes refusals that another route may take over
 */
export function outcomeOf(
  { status, headers, body }: OutboundResponse,
  secret: string,
  failoverCodes: readonly (string | number)[] = [],
): SendOutcome {
  const answer = readJsonObject(body.toString('utf8')) ?? {};
  if (status >= 200 && status < 300) return accepted(answer);
  const said = refusal(status, answer, secret);
  const own = THROTTLES.has(said.code) ? 'busy' : null;
  const outcome = outcomeOfAnswer(status, { ...said, retryAfter: headers['retry-after'] }, own);
  return orElsewhere(outcome, failoverCodes, [status, said.code]);
}

function accepted(answer: Record<string, unknown>): SendOutcome {
  const id = answer['sid'];
  const usable = typeof id === 'string' && id.trim() !== '' && id.length <= LONGEST_ID;
  return usable ? { kind: 'accepted', providerMessageIds: [id] } : { kind: 'unknown' };
}

function refusal(status: number, answer: Record<string, unknown>, secret: string): { code: number; text: string } {
  const { code, message } = answer;
  const isText = typeof message === 'string' && message.trim() !== '';
  const said = isText ? message : `Telephone network answered ${status}`;
  const text = secret.length >= SHORTEST_SECRET ? said.replaceAll(secret, '***') : said;
  return {
    code: typeof code === 'number' && Number.isSafeInteger(code) ? code : status,
    text: cutCodePoints(text, LONGEST_TEXT),
  };
}
