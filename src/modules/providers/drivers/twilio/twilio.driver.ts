import type { OutboundClient } from '../../../../platform/outbound/index.js';
import type {
  MessageDriver,
  OutboundMessage,
  Route,
  RouteConnection,
  SendOutcome,
} from '../../ports/message-driver.js';
import { GatedConnection } from '../gated-connection.js';
import { neverSent } from '../never-sent.js';
import { outcomeOfFault } from '../upstream-answers.js';
import { outcomeOf } from './call-outcome.js';
import { CallRequests } from './call-request.js';
import { type TwilioConfig, twilioConfigSchema } from './config.js';

const TITLE = 'Telephone network';
const MOST_ANSWER_BYTES = 256 * 1024;

/**
 * Programmable Voice (reference/providers#twilio), also of networks that speak its API. Menus are answered by
 * `AcceptCallCallbackCommand`; a second call with the same reference rings a second time.
 */
export class TwilioDriver implements MessageDriver<TwilioConfig> {
  readonly name = 'twilio';
  readonly channels = ['voice'] as const;
  readonly bringsTexts = false;
  readonly configSchema = twilioConfigSchema;
  readonly secretFields = ['auth_token'];
  readonly addressFields = ['base_url', 'account_sid'];

  /**
   * @param origin where the network finds us (`PUBLIC_URL`); null = nowhere, so no call can be made
   * @param maxSeconds of a forwarded leg (`VOICE_MAX_CALL_SECONDS`)
   */
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
