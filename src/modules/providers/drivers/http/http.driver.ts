import { type Address, type OutboundClient, readAddress } from '../../../../platform/outbound/index.js';
import type {
  CallbackContent,
  CarrierDemands,
  MessageDriver,
  OutboundMessage,
  ProviderCallback,
  Route,
  RouteConnection,
  SendOutcome,
} from '../../message-driver.js';
import { outcomeOfFault, receiptTimeoutMs } from '../carrier-answers.js';
import { demandsOf, DLT_MISSING, dltValues, lacksDlt, namesDlt } from '../dlt.js';
import { GatedConnection } from '../gated-connection.js';
import { fillJson, fillJsonText, fillText, placeholders, type TemplateValues } from '../request-template.js';
import { GatewayAnswers, readCallback } from './http-answers.js';
import { httpConfigSchema, type HttpRouteConfig } from './http-config.js';
import { ItemizedConnection } from './itemized-connection.js';

export interface GatewayRequest {
  url: string;
  method: HttpRouteConfig['method'];
  headers: Record<string, string>;
  body: string | null;
}

const FORM = 'application/x-www-form-urlencoded';

/** Fills the route's template: JSON values in JSON, escaped values in a form and in the URL. */
function buildRequest(config: HttpRouteConfig, message: OutboundMessage): GatewayRequest {
  const values: Record<string, string | number | null> = {
    to: message.to,
    from: message.sender ?? config.from ?? null,
    text: message.text,
    media_url: message.mediaUrl ?? null,
    ref: message.ref,
    ...dltValues(config.dlt, message),
    validity_s: message.validitySeconds ?? null,
  };
  for (const [name, secret] of Object.entries(config.secrets)) values[`secrets.${name}`] = secret;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(config.headers)) {
    headers[name.toLowerCase()] = fillText(value, values, headerSafe);
  }
  const url = fillText(config.url, values, urlSafe);
  if (config.method === 'GET' || config.body === undefined) return { url, method: config.method, headers, body: null };
  headers['content-type'] ??= 'application/json';
  return { url, method: config.method, headers, body: buildBody(config.body, headers['content-type'], values) };
}

function buildBody(template: unknown, contentType: string, values: TemplateValues): string {
  if (contentType.toLowerCase().startsWith(FORM)) {
    if (typeof template === 'string') return fillText(template, values, urlSafe);
    const fields = Object.entries((fillJson(template, values) ?? {}) as Record<string, unknown>);
    const pairs = fields.flatMap(([key, value]): [string, string][] => (value === null ? [] : [[key, asText(value)]]));
    return new URLSearchParams(pairs).toString();
  }
  if (typeof template === 'string') return fillJsonText(template, values);
  return JSON.stringify(fillJson(template, values));
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Headers take no line ends, and only Latin-1. */
const headerSafe = (value: string): string => value.replace(/[^\x20-\x7e\xa0-\xff]/g, ' ');

/** encodeURIComponent throws on half a surrogate pair, which this replaces. */
const urlSafe = (value: string): string => encodeURIComponent(Buffer.from(value, 'utf8').toString('utf8'));

const TITLE = 'Gateway';
const MOST_ANSWER_BYTES = 256 * 1024;

/** A message with attachments leaves as several requests. @param guarded the address goes through the guard of routes */
function openGateway(config: HttpRouteConfig, outbound: OutboundClient, guarded = false): RouteConnection {
  const answers = new GatewayAnswers(config);
  const fixed = placeholders(config.url).length === 0 ? readAddress(config.url) : null;
  return new ItemizedConnection(
    new GatedConnection({
      title: TITLE,
      quotes: true,
      timeoutMs: config.timeout_ms,
      attempt: (message) => attempt(config, outbound, message, { answers, fixed, guarded }),
    }),
    config.timeout_ms,
  );
}

async function attempt(
  config: HttpRouteConfig,
  outbound: OutboundClient,
  message: OutboundMessage,
  { answers, fixed, guarded }: { answers: GatewayAnswers; fixed: Address | null; guarded: boolean },
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
    return answers.outcomeOf(response, message);
  } catch (error) {
    return outcomeOfFault(TITLE, error);
  }
}

/** Any HTTP gateway that a template can describe: SMS and self-hosted chat gateways (reference/providers#http-gateway). */
export class HttpDriver implements MessageDriver<HttpRouteConfig> {
  readonly name = 'http';
  readonly channels = ['sms', 'unofficial'] as const;
  readonly bringsTexts = true;
  readonly configSchema = httpConfigSchema;
  readonly secretFields = ['headers.*', 'secrets.*'];
  readonly addressFields = ['url'];
  readonly quotesAnswers = true;

  constructor(private readonly outbound: OutboundClient) {}

  demandsOf({ dlt }: Pick<HttpRouteConfig, 'dlt'>): CarrierDemands {
    return demandsOf(dlt);
  }

  sendsDlt({ url, headers, body }: Pick<HttpRouteConfig, 'url' | 'headers' | 'body'>): boolean {
    return namesDlt([url, headers, body]);
  }

  deduplicates(config: HttpRouteConfig): boolean {
    return config.deduplicates;
  }

  open(route: Route<HttpRouteConfig>): RouteConnection {
    return openGateway(route.config, this.outbound, route.guarded);
  }

  receiptTimeoutMs(config: HttpRouteConfig): number | null {
    return receiptTimeoutMs(config);
  }

  parseCallback(route: Route<HttpRouteConfig>, callback: ProviderCallback): CallbackContent {
    return readCallback(route.config, callback);
  }
}
