import { z } from 'zod';
import { isObject } from '../../kernel/json-values.js';
import { type Environment, publicOrigin } from '../../platform/config/index.js';
import type { OutboundClient } from '../../platform/outbound/index.js';
import { httpConfigSchema } from './drivers/http/http-config.js';
import { HttpDriver } from './drivers/http/http.driver.js';
import { smppConfigSchema } from './drivers/smpp/smpp-config.js';
import { SmppDriver } from './drivers/smpp/smpp.driver.js';
import { twilioConfigSchema } from './drivers/twilio/call-request.js';
import { TwilioDriver } from './drivers/twilio/twilio.driver.js';
import type { MessageDriver, OperatorRouteKind } from './message-driver.js';

export type DriverSettings = Pick<Environment, 'PUBLIC_URL' | 'NODE_ENV' | 'PORT' | 'VOICE_MAX_CALL_SECONDS'>;

interface DriverEntry {
  /** begins the names of its schemas in the API: SmppRouteConfig, PutSmppRouteRequest */
  schemaName: string;
  configSchema: z.ZodType;
  /** a route, as `PUT /v6/api/admin/routes/:name` takes it */
  example: {
    summary: string;
    route: {
      channel: OperatorRouteKind;
      messages_per_second?: number;
      binds?: number;
      is_default?: boolean;
      config: Record<string, unknown>;
    };
  };
  make(outbound: OutboundClient, settings: DriverSettings): MessageDriver;
}

/**
 * The drivers of operators' routes. The registry, the API's schemas, examples and error text are made from it; docs and the
 * web application are compared with it (test/architecture/drivers.test.ts).
 */
export const DRIVERS = {
  smpp: {
    schemaName: 'Smpp',
    configSchema: smppConfigSchema,
    example: {
      summary: 'SMPP',
      route: {
        channel: 'sms',
        messages_per_second: 100,
        binds: 2,
        is_default: true,
        config: {
          host: 'smpp.carrier.example',
          port: 2775,
          system_id: 'switchboard',
          password: 'secret',
          window: 100,
          source_addr: 'Acme',
        },
      },
    },
    make: ({ routeGuard }) => new SmppDriver(routeGuard),
  },
  http: {
    schemaName: 'Http',
    configSchema: httpConfigSchema,
    example: {
      summary: 'HTTP gateway',
      route: {
        channel: 'sms',
        config: {
          url: 'https://gateway.example/messages',
          method: 'POST',
          headers: { authorization: 'Bearer secret' },
          body: { to: '{{to}}', text: '{{text}}', media: '{{media_url}}', reference: '{{ref}}' },
          id_path: 'data.id',
          receipt: {
            id_path: 'id',
            status_path: 'status',
            status_map: { ok: 'delivered', lost: 'failed' },
            receiver_path: 'to',
          },
          inbound: { from_path: 'from', text_path: 'text' },
        },
      },
    },
    make: (outbound) => new HttpDriver(outbound),
  },
  twilio: {
    schemaName: 'Twilio',
    configSchema: twilioConfigSchema,
    example: {
      summary: 'Programmable Voice; messages_per_second = calls per second',
      route: {
        channel: 'voice',
        messages_per_second: 10,
        is_default: true,
        config: {
          account_sid: 'AC0123456789abcdef0123456789abcdef',
          auth_token: 'secret',
          base_url: 'https://api.twilio.com',
          from: '15551234567',
        },
      },
    },
    make: (outbound, settings) => new TwilioDriver(outbound, publicOrigin(settings), settings.VOICE_MAX_CALL_SECONDS),
  },
} as const satisfies Record<string, DriverEntry>;

export type DriverName = keyof typeof DRIVERS;
export const DRIVER_NAMES = Object.keys(DRIVERS) as DriverName[];

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

const configs = Object.values(DRIVERS).map(
  ({ schemaName, configSchema }) => [`${schemaName}RouteConfig`, described(configSchema)] as const,
);

/** A shown config may lack fields that are required today: it is validated only at use. */
const shown = configs.map(([name, { required: _, ...said }]) => [`Shown${name}`, said] as const);

/** Schemas of `config` in the API's document, generated from the validators. */
export const DRIVER_CONFIGS: Readonly<Record<string, JsonSchema>> = Object.fromEntries([...configs, ...shown]);

const isDriverName = (name: string): name is DriverName => Object.hasOwn(DRIVERS, name);

/** Paths below `config` of settings that the driver does not know, such as `receipt.id_pth`; a validator drops them silently. */
export function unknownSettings(driver: string, config: unknown): string[] {
  if (!isDriverName(driver)) return [];
  const { properties } = DRIVER_CONFIGS[`${DRIVERS[driver].schemaName}RouteConfig`] as JsonSchema;
  return unknownIn({ properties }, config, []);
}

function unknownIn(schema: JsonSchema, value: unknown, path: readonly string[]): string[] {
  const options = schema['anyOf'] as JsonSchema[] | undefined;
  if (options) {
    const fitting = options.filter((option) => !isObject(value) || option['type'] === 'object');
    const found = fitting.map((option) => unknownIn(option, value, path));
    return found.find((paths) => paths.length === 0) ?? found[0] ?? [];
  }
  if (Array.isArray(value)) {
    const items = schema['items'] as JsonSchema | undefined;
    return items ? value.flatMap((item, index) => unknownIn(items, item, [...path, String(index)])) : [];
  }
  if (!isObject(value)) return [];
  const { properties, additionalProperties } = schema as { properties?: JsonSchema; additionalProperties?: unknown };
  return Object.entries(value).flatMap(([key, field]) => {
    const at = [...path, key];
    if (properties && Object.hasOwn(properties, key)) return unknownIn(properties[key] as JsonSchema, field, at);
    if (isObject(additionalProperties)) return unknownIn(additionalProperties, field, at);
    return properties ? [at.join('.')] : [];
  });
}
