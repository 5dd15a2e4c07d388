import type { OutboundClient } from '../../../../platform/outbound/index.js';
import type { MessageDriver, OutboundMessage, Route, RouteConnection, SendOutcome } from '../../message-driver.js';
import { chatAccountErrors } from '../../chat-account.js';
import { GatedConnection } from '../gated-connection.js';
import { neverSent } from '../carrier-answers.js';
import { type GraphAccount, type MetaCloudConfig, metaCloudConfigSchema, phoneNumberIdOf } from './config.js';
import { CALL_MS, endpointOf, exchangeAt } from './graph-exchange.js';
import { MessageBodies, messagesCall, toGraphMessage, outcomeOf, TITLE } from './messages.js';

/** The chat provider's messages API (reference/providers#chat-network). It does not deduplicate: only statuses return `ref`. */
export class MetaCloudDriver implements MessageDriver<MetaCloudConfig> {
  readonly name = 'meta_cloud';
  readonly channels = ['chat'] as const;
  readonly bringsTexts = false;
  readonly configSchema = metaCloudConfigSchema;
  readonly secretFields = ['token', 'app_secret', 'verify_token', 'former_app_secret', 'former_verify_token'];
  readonly addressFields = ['url'];

  /** @param learn receives the provider's answer to each send, with the number it was sent to */
  constructor(
    private readonly outbound: OutboundClient,
    private readonly learn: (routeId: number, to: string, answer: unknown) => void = () => undefined,
  ) {}

  deduplicates(): boolean {
    return false;
  }

  open({ id, config, guarded = false }: Route<MetaCloudConfig>): RouteConnection {
    return new GatedConnection({
      title: TITLE,
      timeoutMs: CALL_MS,
      attempt: this.sender({ id, guarded, ...config }),
    });
  }

  /** What all messages of the account share is computed once. */
  private sender(account: GraphAccount): (message: OutboundMessage) => Promise<SendOutcome> {
    const phoneNumberId = account.provider === 'other' ? null : phoneNumberIdOf(account);
    const endpoint = phoneNumberId === null ? null : endpointOf(account, messagesCall(phoneNumberId));
    if (!endpoint) return () => Promise.resolve(neverSent(chatAccountErrors.noEndpoint.text));
    if (account.token === null) return () => Promise.resolve(neverSent(chatAccountErrors.noToken.text));
    const bodies = new MessageBodies();
    return (message) =>
      exchangeAt(this.outbound, endpoint, bodies.of(toGraphMessage(message)), { onSending: message.leaving }).then(
        (exchange) => {
          if (exchange.kind === 'answer') this.learn(account.id, message.to, exchange.body);
          return outcomeOf(exchange);
        },
      );
  }
}
