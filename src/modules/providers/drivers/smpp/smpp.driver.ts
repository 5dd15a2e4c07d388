import type { SocketGuard } from '../../../../platform/outbound/index.js';
import type { InboundText } from '../../ports/inbound-sink.js';
import type { CarrierDemands, MessageDriver, Receipt, Route, RouteConnection } from '../../ports/message-driver.js';
import { demandsOf, namesDlt } from '../dlt.js';
import { sessionConfig, smppConfigSchema, type SmppRouteConfig } from './smpp-config.js';
import { SmppConnection } from './smpp-connection.js';

/** SMPP 3.4 as a transceiver (reference/providers#smpp). A carrier takes a repeated message for a new one. */
export class SmppDriver implements MessageDriver<SmppRouteConfig> {
  readonly name = 'smpp';
  readonly channels = ['sms'] as const;
  readonly bringsTexts = true;
  readonly bindsSessions = true;
  readonly configSchema = smppConfigSchema;
  readonly secretFields = ['password'];
  /** without TLS, or with an unchecked certificate, the password goes to any party in between */
  readonly addressFields = ['host', 'port', 'system_id', 'tls', 'tls_verify'];

  /** @param guard for routes whose config staff without super wrote; without one such routes are not opened */
  constructor(private readonly guard: SocketGuard | null = null) {}

  demandsOf({ dlt }: Pick<SmppRouteConfig, 'dlt'>): CarrierDemands {
    return demandsOf(dlt);
  }

  sendsDlt({ dlt, tlvs = [] }: Partial<Pick<SmppRouteConfig, 'dlt' | 'tlvs'>>): boolean {
    return dlt !== undefined || namesDlt(tlvs.map(({ value }) => value));
  }

  deduplicates(): boolean {
    return false;
  }

  loginOf({ host, system_id: systemId }: Pick<SmppRouteConfig, 'host' | 'system_id'>): string {
    return JSON.stringify([this.name, host.toLowerCase(), systemId]);
  }

  open(
    route: Route<SmppRouteConfig>,
    onReceipts: (receipts: Receipt[]) => Promise<void>,
    onInbound: (texts: InboundText[]) => Promise<void>,
  ): RouteConnection {
    if (route.guarded && !this.guard) throw new Error('A guarded route needs the guard of addresses');
    const guard = route.guarded ? this.guard : null;
    return new SmppConnection(route.name, sessionConfig(route.config, guard), onReceipts, onInbound);
  }
}
