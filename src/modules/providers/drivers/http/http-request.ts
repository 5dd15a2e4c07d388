import type { OutboundMessage } from '../../ports/message-driver.js';
import type { HttpRouteConfig } from './http-config.js';
import { fillJson, fillJsonText, fillText, type TemplateValues } from '../template.js';

/** A request ready to leave. */
export interface GatewayRequest {
  url: string;
  method: HttpRouteConfig['method'];
  headers: Record<string, string>;
  body: string | null;
}

const FORM = 'application/x-www-form-urlencoded';

/** Fills the route's template for one message: values stand as JSON in JSON, escaped in a form and in the URL. */
export function buildRequest(config: HttpRouteConfig, message: OutboundMessage): GatewayRequest {
  const values: Record<string, string | number | null> = {
    to: message.to,
    from: message.sender ?? config.from ?? null,
    text: message.text,
    media_url: message.mediaUrl ?? null,
    ref: message.ref,
    dlt_entity_id: message.dlt?.entityId ?? config.dlt?.entity_id ?? null,
    dlt_template_id: message.dlt?.templateId ?? null,
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

/** A header takes no line ends and nothing beyond Latin-1. */
const headerSafe = (value: string): string => value.replace(/[^\x20-\x7e\xa0-\xff]/g, ' ');

/** Half a surrogate pair, on which encodeURIComponent throws, becomes the replacement character. */
const urlSafe = (value: string): string => encodeURIComponent(Buffer.from(value, 'utf8').toString('utf8'));
