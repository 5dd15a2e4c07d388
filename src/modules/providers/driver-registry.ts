import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment, publicOrigin } from '../../platform/config/index.js';
import { OutboundClient } from '../../platform/outbound/index.js';
import { HttpDriver } from './drivers/http/http.driver.js';
import { MetaCloudDriver } from './drivers/meta-cloud/meta-cloud.driver.js';
import { SmppDriver } from './drivers/smpp/smpp.driver.js';
import { TwilioDriver } from './drivers/twilio/twilio.driver.js';
import type { InboundText } from './ports/inbound-sink.js';
import type { CarrierDemands, MessageDriver, Receipt, Route, RouteConnection } from './ports/message-driver.js';

/** The kinds of upstream there are. A driver checks a stored config again before it uses it. */
@Injectable()
export class DriverRegistry {
  private readonly drivers: ReadonlyMap<string, MessageDriver>;

  constructor(
    outbound: OutboundClient,
    @Inject(ENVIRONMENT) environment: Pick<Environment, 'PUBLIC_URL' | 'NODE_ENV' | 'PORT' | 'VOICE_MAX_CALL_SECONDS'>,
  ) {
    const drivers: MessageDriver[] = [
      new SmppDriver(outbound.routeGuard),
      new HttpDriver(outbound),
      new MetaCloudDriver(outbound),
      new TwilioDriver(outbound, publicOrigin(environment), environment.VOICE_MAX_CALL_SECONDS),
    ];
    this.drivers = new Map(drivers.map((driver) => [driver.name, driver]));
  }

  /** The drivers that an operator's route can have. */
  get names(): string[] {
    const drivers = [...this.drivers.values()];
    return drivers.filter(({ channels }) => channels.some((channel) => channel !== 'chat')).map(({ name }) => name);
  }

  find(name: string): MessageDriver | null {
    return this.drivers.get(name) ?? null;
  }

  /** @throws Error for a name that no driver has */
  get(name: string): MessageDriver {
    const driver = this.find(name);
    if (!driver) throw new Error(`No driver is named ${name}`);
    return driver;
  }

  /** True when the upstream of this route drops a second message with the same reference. */
  deduplicates(route: Route): boolean {
    return this.get(route.driver).deduplicates(route.config);
  }

  /** What messages must have on this route. */
  demandsOf(route: Route): CarrierDemands {
    return this.find(route.driver)?.demandsOf?.(route.config) ?? { dltTemplateId: false, dltEntityId: false };
  }

  /** Whether the ids of India's DLT that a message has go to the upstream of this route. */
  sendsDlt(route: Route): boolean {
    return this.find(route.driver)?.sendsDlt?.(route.config) ?? false;
  }

  /** @throws Error when the driver is unknown or the stored config is not valid any more */
  open(
    route: Route,
    onReceipts: (receipts: Receipt[]) => Promise<void>,
    onInbound: (texts: InboundText[]) => Promise<void>,
  ): RouteConnection {
    const driver = this.get(route.driver);
    return driver.open({ ...route, config: driver.configSchema.parse(route.config) }, onReceipts, onInbound);
  }
}
