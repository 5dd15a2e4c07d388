import { Inject, Injectable } from '@nestjs/common';
import { TtlCache } from '../../platform/concurrency/index.js';
import { ENVIRONMENT } from '../../platform/config/index.js';
import { OutboundClient } from '../../platform/outbound/index.js';
import { ChatNumberPairs } from './chat-number-pairs.store.js';
import { DRIVERS, type DriverSettings } from './drivers.js';
import { MetaCloudDriver } from './drivers/meta-cloud/meta-cloud.driver.js';
import { TestDriver } from './drivers/test/test.driver.js';
import type { CarrierDemands, InboundText, MessageDriver, Receipt, Route, RouteConnection } from './message-driver.js';
import { RouteDirectory } from './routes.store.js';

interface Patience {
  askMs: number | null;
  failMs: number | null;
}

/** All drivers. A stored config is validated again before use. */
@Injectable()
export class DriverRegistry {
  private readonly drivers: ReadonlyMap<string, MessageDriver>;
  private readonly patience = new WeakMap<object, Patience>();

  constructor(outbound: OutboundClient, @Inject(ENVIRONMENT) environment: DriverSettings, pairs: ChatNumberPairs) {
    const operators = Object.values(DRIVERS).map(({ make }) => make(outbound, environment));
    const chat = new MetaCloudDriver(outbound, (...answer) => pairs.learn(...answer));
    this.drivers = new Map([...operators, chat, new TestDriver()].map((driver) => [driver.name, driver]));
  }

  find(name: string): MessageDriver | null {
    return this.drivers.get(name) ?? null;
  }

  get(name: string): MessageDriver {
    const driver = this.find(name);
    if (!driver) throw new Error(`No driver is named ${name}`);
    return driver;
  }

  deduplicates(route: Route): boolean {
    return this.get(route.driver).deduplicates(route.config);
  }

  demandsOf(route: Route): CarrierDemands {
    return this.find(route.driver)?.demandsOf?.(route.config) ?? { dltTemplateId: false, dltEntityId: false };
  }

  sendsDlt(route: Route): boolean {
    return this.find(route.driver)?.sendsDlt?.(route.config) ?? false;
  }

  /** Milliseconds without a receipt until a message of the route is asked for, and until it fails; null = never, the usual. */
  patienceOf({ driver: name, config }: Route): Patience {
    const known = this.patience.get(config as object);
    if (known) return known;
    const driver = this.find(name);
    const read = driver?.configSchema.safeParse(config);
    const patience = {
      askMs: (read?.success && driver?.asksAfterMs?.(read.data)) || null,
      failMs: (read?.success && driver?.receiptTimeoutMs?.(read.data)) || null,
    };
    this.patience.set(config as object, patience);
    return patience;
  }

  /** Asks the carrier for the outcome of a message; null = not over, or it does not say. */
  async ask(route: Route, providerMessageId: string): Promise<Receipt | null> {
    const driver = this.find(route.driver);
    const config = driver?.configSchema.safeParse(route.config);
    return config?.success
      ? ((await driver?.ask?.({ ...route, config: config.data }, providerMessageId)) ?? null)
      : null;
  }

  /** @throws Error for an unknown driver, or an invalid stored config */
  open(
    route: Route,
    onReceipts: (receipts: Receipt[]) => Promise<void>,
    onInbound: (texts: InboundText[]) => Promise<void>,
    onAcknowledged?: (fingerprints: readonly string[]) => void,
  ): RouteConnection {
    const driver = this.get(route.driver);
    const config = driver.configSchema.parse(route.config);
    return driver.open({ ...route, config }, onReceipts, onInbound, onAcknowledged);
  }
}

const KEPT_MS = 2_000;

/** Routes that share a login: a carrier delivers receipts to any of its sessions, whichever route sent the message. */
@Injectable()
export class RouteLogins {
  private readonly cache = new TtlCache<'all', ReadonlyMap<number, readonly number[]>>(KEPT_MS, 1);

  constructor(
    private readonly directory: RouteDirectory,
    private readonly drivers: DriverRegistry,
  ) {}

  /** Finds the routes that share a route's login, itself included. Call it before a transaction: it may read routes. */
  async sharing(): Promise<(routeId: number) => readonly number[]> {
    const shared = await this.shared();
    return (routeId) => shared.get(routeId) ?? [routeId];
  }

  private shared(): Promise<ReadonlyMap<number, readonly number[]>> {
    return this.cache.get('all', async () => {
      const routes = new Map<string, number[]>();
      for (const route of await this.directory.list()) {
        const login = this.drivers.find(route.driver)?.loginOf?.(route.config);
        if (login !== undefined) routes.set(login, [...(routes.get(login) ?? []), route.id]);
      }
      return new Map([...routes.values()].filter((ids) => ids.length > 1).flatMap((ids) => ids.map((id) => [id, ids])));
    });
  }
}
