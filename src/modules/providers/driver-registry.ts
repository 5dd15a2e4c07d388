import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { TtlCache } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT, publicOrigin } from '../../platform/config/index.js';
import { OutboundClient } from '../../platform/outbound/index.js';
import { httpConfigSchema } from './drivers/http/http-config.js';
import { HttpDriver } from './drivers/http/http.driver.js';
import { MetaCloudDriver } from './drivers/meta-cloud/meta-cloud.driver.js';
import { smppConfigSchema } from './drivers/smpp/smpp-config.js';
import { SmppDriver } from './drivers/smpp/smpp.driver.js';
import { twilioConfigSchema } from './drivers/twilio/call-request.js';
import { TwilioDriver } from './drivers/twilio/twilio.driver.js';
import type { CarrierDemands, InboundText, MessageDriver, Receipt, Route, RouteConnection } from './message-driver.js';
import { RouteDirectory } from './routes.store.js';

/** All drivers. A stored config is validated again before use. */
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

  get names(): string[] {
    const drivers = [...this.drivers.values()];
    return drivers.filter(({ channels }) => channels.some((channel) => channel !== 'chat')).map(({ name }) => name);
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

  /** @throws Error for an unknown driver, or an invalid stored config */
  open(
    route: Route,
    onReceipts: (receipts: Receipt[]) => Promise<void>,
    onInbound: (texts: InboundText[]) => Promise<void>,
  ): RouteConnection {
    const driver = this.get(route.driver);
    return driver.open({ ...route, config: driver.configSchema.parse(route.config) }, onReceipts, onInbound);
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

export const DRIVERS = { smpp: 'SmppRouteConfig', http: 'HttpRouteConfig', twilio: 'TwilioRouteConfig' } as const;
export type DriverName = keyof typeof DRIVERS;

type JsonSchema = Record<string, unknown>;

/** JSON Schema without patterns (secrets read back as `***`) and defaults, which type generators take for required fields. */
function described(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...said } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      delete jsonSchema.propertyNames;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.default === undefined) return;
      jsonSchema.description = `Without it: \`${JSON.stringify(jsonSchema.default)}\``;
      delete jsonSchema.default;
    },
  });
  return { ...said, additionalProperties: true };
}

const schemas = {
  [DRIVERS.smpp]: described(smppConfigSchema),
  [DRIVERS.http]: described(httpConfigSchema),
  [DRIVERS.twilio]: described(twilioConfigSchema),
};

/** A shown config may lack fields that are required today: it is validated only at use. */
const shown = Object.entries(schemas).map(([name, { required: _, ...said }]) => [`Shown${name}`, said] as const);

export const DRIVER_CONFIGS: Readonly<Record<string, JsonSchema>> = { ...schemas, ...Object.fromEntries(shown) };
