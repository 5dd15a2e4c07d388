import { keepInexact } from '../../../../kernel/exact-numbers.js';
import type { OutboundResponse } from '../../../../platform/outbound/index.js';
import type { SendOutcome } from '../../ports/message-driver.js';
import type { HttpRouteConfig } from './http-config.js';
import { orElsewhere } from '../failover-codes.js';
import { outcomeOfAnswer, type Verdict, verdictOf } from '../upstream-answers.js';
import { asCode } from './http-receipts.js';
import { readPath, readScalar } from '../template.js';

const LONGEST_TEXT = 200;
const LONGEST_ID = 128;

const answered = (status: number): string => `Gateway answered ${status}`;

/** Verdicts that staff read as the route's state: what the gateway wrote is not quoted. */
const OWN_WORDS: Readonly<Partial<Record<Verdict, (status: number) => { code: number; text: string }>>> = {
  busy: (code) => ({ code, text: 'Throttled by the gateway' }),
  unreached: (code) => ({ code, text: answered(code) }),
};

/**
 * What an answer of the gateway means (port). @param ref stands for the id where the route names no `id_path`: the
 * gateway then uses our reference
 */
export function outcomeOf(config: HttpRouteConfig, response: OutboundResponse, ref: string): SendOutcome {
  const { status, headers } = response;
  if (status >= 200 && status < 300) return accepted(config, response, ref);
  const retryAfter = headers['retry-after'];
  const said = OWN_WORDS[verdictOf(status, retryAfter)]?.(status) ?? refusal(config, response);
  const outcome = outcomeOfAnswer(status, { ...said, retryAfter });
  return orElsewhere(outcome, config.failover_codes, [status, ownCode(config, response)]);
}

/** The gateway's own code, number or text. */
const ownCode = ({ error_code_path: path }: HttpRouteConfig, { body }: OutboundResponse): string | null =>
  path ? readScalar(readPath(json(body), path)) : null;

function accepted(config: HttpRouteConfig, response: OutboundResponse, ref: string): SendOutcome {
  if (config.id_path === undefined) return { kind: 'accepted', providerMessageIds: [ref] };
  const id = readScalar(readPath(json(response.body), config.id_path));
  // A 2xx without the promised id: taken or not, it cannot be told.
  const isId = id !== null && id.trim() !== '' && id.length <= LONGEST_ID;
  return isId ? { kind: 'accepted', providerMessageIds: [id] } : { kind: 'unknown' };
}

function refusal(config: HttpRouteConfig, response: OutboundResponse): { code: number; text: string } {
  const body = config.error_code_path || config.error_text_path ? json(response.body) : null;
  const code = config.error_code_path ? asCode(readScalar(readPath(body, config.error_code_path))) : null;
  const text = config.error_text_path ? readScalar(readPath(body, config.error_text_path)) : null;
  return {
    code: code ?? response.status,
    text: text === null ? answered(response.status) : withoutSecrets(config, text).slice(0, LONGEST_TEXT),
  };
}

/** A gateway that quotes our request must not publish its secrets. */
function withoutSecrets(config: HttpRouteConfig, text: string): string {
  let clean = text;
  for (const secret of [...Object.values(config.secrets), ...Object.values(config.headers)]) {
    if (secret.length >= 4) clean = clean.replaceAll(secret, '***');
  }
  return clean;
}

function json(body: Buffer): unknown {
  try {
    return JSON.parse(keepInexact(body.toString('utf8')));
  } catch {
    return null;
  }
}
