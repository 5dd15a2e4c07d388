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

const KEPT_MS = 2_000;

/** Which routes share a login: a carrier hands receipts and answers to any session of it, whichever route sent the message. */
@Injectable()
export class RouteLogins {
  private readonly cache = new TtlCache<'all', ReadonlyMap<number, readonly number[]>>(KEPT_MS, 1);

  constructor(
    private readonly directory: RouteDirectory,
    private readonly drivers: DriverRegistry,
  ) {}

  /** Says of a route which ones share its login, itself among them. Asked before a transaction, since it may read the routes. */
  async sharing(): Promise<(routeId: number) => readonly number[]> {
    const shared = await this.shared();
    return (routeId) => shared.get(routeId) ?? [routeId];
  }

  /** The routes of one login, by each of them; routes that have theirs for themselves are absent. Kept for 2 s. */
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

/** What the API document calls the `config` of each driver that an operator's route can have. */
export const DRIVERS = { smpp: 'SmppRouteConfig', http: 'HttpRouteConfig', twilio: 'TwilioRouteConfig' } as const;
export type DriverName = keyof typeof DRIVERS;

type JsonSchema = Record<string, unknown>;

/**
 * Says a schema in JSON Schema. Patterns are left out: theirs know no case, and secrets are shown as `***`. Defaults stand
 * in the description, since generators of types take a field with a default for one that must be there.
 */
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

/** A stored config is judged again when it is used only: what is shown may lack what must be there today. */
const shown = Object.entries(schemas).map(([name, { required: _, ...said }]) => [`Shown${name}`, said] as const);

/** The `config` of each driver, for the API document: made of what judges it. */
export const DRIVER_CONFIGS: Readonly<Record<string, JsonSchema>> = { ...schemas, ...Object.fromEntries(shown) };
