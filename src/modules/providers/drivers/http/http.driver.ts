import type { OutboundClient } from '../../../../platform/outbound/index.js';
import type { InboundText } from '../../ports/inbound-sink.js';
import type {
  CarrierDemands,
  MessageDriver,
  ProviderCallback,
  Receipt,
  Route,
  RouteConnection,
} from '../../ports/message-driver.js';
import { demandsOf, namesDlt } from '../dlt.js';
import { httpConfigSchema, type HttpRouteConfig } from './http-config.js';
import { openGateway } from './http-connection.js';
import { readReceipts, readTexts } from './http-receipts.js';

/**
 * Any HTTP gateway whose request and receipts a template can describe (reference/providers#http-gateway): SMS, and
 * self-hosted chat gateways.
 */
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

  parseCallback(route: Route<HttpRouteConfig>, callback: ProviderCallback): Receipt[] {
    return readReceipts(route.config.receipt, callback);
  }

  parseInbound(route: Route<HttpRouteConfig>, callback: ProviderCallback): InboundText[] {
    return readTexts(route.config, callback);
  }
}
