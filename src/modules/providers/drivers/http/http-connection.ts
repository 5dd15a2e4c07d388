import { type Address, type OutboundClient, readAddress } from '../../../../platform/outbound/index.js';
import type { OutboundMessage, RouteConnection, SendOutcome } from '../../ports/message-driver.js';
import { DLT_MISSING, lacksDlt } from '../dlt.js';
import { GatedConnection } from '../gated-connection.js';
import type { HttpRouteConfig } from './http-config.js';
import { outcomeOfFault } from '../upstream-answers.js';
import { outcomeOf } from './http-outcome.js';
import { buildRequest } from './http-request.js';
import { ItemizedConnection } from './itemized-connection.js';
import { placeholders } from '../template.js';

const TITLE = 'Gateway';
const MOST_ANSWER_BYTES = 256 * 1024;

/**
 * A connection to one gateway; a message with attachments leaves as several requests.
 * @param guarded the gateway's address goes through the guard of routes
 */
export function openGateway(config: HttpRouteConfig, outbound: OutboundClient, guarded = false): RouteConnection {
  const fixed = placeholders(config.url).length === 0 ? readAddress(config.url) : null;
  return new ItemizedConnection(
    new GatedConnection({
      title: TITLE,
      quotes: true,
      timeoutMs: config.timeout_ms,
      attempt: (message) => attempt(config, outbound, message, { fixed, guarded }),
    }),
    config.timeout_ms,
  );
}

async function attempt(
  config: HttpRouteConfig,
  outbound: OutboundClient,
  message: OutboundMessage,
  { fixed, guarded }: { fixed: Address | null; guarded: boolean },
): Promise<SendOutcome> {
  if (lacksDlt(config.dlt, message)) return DLT_MISSING;
  const { url, method, headers, body } = buildRequest(config, message);
  try {
    const response = await outbound.request({
      url: fixed ?? url,
      method,
      headers,
      ...(body !== null && { body }),
      timeoutMs: config.timeout_ms,
      maxBytes: MOST_ANSWER_BYTES,
      trusted: true,
      guardedRoute: guarded,
      onSending: message.leaving,
    });
    return outcomeOf(config, response, message.ref);
  } catch (error) {
    return outcomeOfFault(TITLE, error);
  }
}
