import { readJsonObject } from '../../../../kernel/json-values.js';
import { cutCodePoints } from '../../../../kernel/text.js';
import type { OutboundClient, OutboundResponse } from '../../../../platform/outbound/index.js';
import type {
  MessageDriver,
  OutboundMessage,
  Receipt,
  Route,
  RouteConnection,
  SendOutcome,
} from '../../message-driver.js';
import { neverSent, orElsewhere, outcomeOfAnswer, outcomeOfFault } from '../carrier-answers.js';
import { GatedConnection } from '../gated-connection.js';
import { receiptOf } from './callbacks.js';
import { CallRequests, type TwilioConfig, twilioConfigSchema } from './call-request.js';

const LONGEST_ID = 128;
const LONGEST_TEXT = 200;
/** Shorter tokens are not masked in answers: they might be ordinary words. */
const SHORTEST_SECRET = 8;

/** Throttling codes: too many requests, too many concurrent calls. */
const THROTTLES: ReadonlySet<number> = new Set([20429, 10004]);

/** The outcome of an answer to a call's creation (reference/providers#answers-of-carriers-and-providers). @param secret masked in texts */
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

/** A call with a menu ends after twice the time of a forwarded leg (`VOICE_MAX_CALL_SECONDS`). */
const LEGS = 2;
const SPARE_SECONDS = 60;

const TITLE = 'Telephone network';
const MOST_ANSWER_BYTES = 256 * 1024;

/** Programmable Voice and compatible APIs (reference/providers#twilio). `AcceptCallCallbackCommand` answers menus. */
export class TwilioDriver implements MessageDriver<TwilioConfig> {
  readonly name = 'twilio';
  readonly channels = ['voice'] as const;
  readonly bringsTexts = false;
  readonly configSchema = twilioConfigSchema;
  readonly secretFields = ['auth_token'];
  readonly addressFields = ['base_url', 'account_sid'];

  /** @param origin `PUBLIC_URL`; null = no calls @param maxSeconds of a forwarded leg (`VOICE_MAX_CALL_SECONDS`) */
  constructor(
    private readonly outbound: OutboundClient,
    private readonly origin: string | null,
    private readonly maxSeconds = 600,
  ) {}

  deduplicates(): boolean {
    return false;
  }

  open({ name, config, guarded }: Route<TwilioConfig>): RouteConnection {
    const { origin } = this;
    const requests = origin === null ? null : new CallRequests(config, { origin, route: name }, this.maxSeconds);
    return new GatedConnection({
      title: TITLE,
      timeoutMs: config.timeout_ms,
      attempt: (message) => (requests ? this.attempt(config, requests, message, guarded) : HOMELESS),
    });
  }

  /** Ringing, the longest call, and a minute: by then the carrier has said how it ended. */
  asksAfterMs({ ring_seconds: ring }: TwilioConfig): number {
    return (ring + LEGS * this.maxSeconds + SPARE_SECONDS) * 1_000;
  }

  async ask({ name, config, guarded }: Route<TwilioConfig>, callId: string): Promise<Receipt | null> {
    const { account, headers } = new CallRequests(config, { origin: '', route: name }, this.maxSeconds);
    try {
      const { status, body } = await this.outbound.request({
        url: `${account}/Calls/${encodeURIComponent(callId)}.json`,
        method: 'GET',
        headers,
        timeoutMs: config.timeout_ms,
        maxBytes: MOST_ANSWER_BYTES,
        trusted: true,
        guardedRoute: guarded ?? false,
      });
      return status === 200 ? receiptOf(callId, readJsonObject(body.toString('utf8')) ?? {}) : null;
    } catch {
      return null;
    }
  }

  private async attempt(
    config: TwilioConfig,
    requests: CallRequests,
    message: OutboundMessage,
    guarded = false,
  ): Promise<SendOutcome> {
    const request = await requests.formOf(message);
    if ('fault' in request) return neverSent(request.fault);
    try {
      const response = await this.outbound.request({
        url: requests.url,
        method: 'POST',
        headers: requests.headers,
        body: request.form,
        timeoutMs: config.timeout_ms,
        maxBytes: MOST_ANSWER_BYTES,
        trusted: true,
        guardedRoute: guarded,
        onSending: message.leaving,
      });
      return outcomeOf(response, config.auth_token, config.failover_codes);
    } catch (error) {
      return outcomeOfFault(TITLE, error);
    }
  }
}

const HOMELESS = Promise.resolve(neverSent('PUBLIC_URL is not set'));
