import { z } from 'zod';
import { httpConfigSchema } from './http/http-config.js';
import { smppConfigSchema } from './smpp/smpp-config.js';
import { twilioConfigSchema } from './twilio/config.js';

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
