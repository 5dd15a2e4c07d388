import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { invalid } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json-values.js';
import { isTooLargeJson } from '../../kernel/text.js';
import {
  AnswerOf,
  LocalTime,
  OneOf,
  OptionalCount,
  OptionalFlag,
  OptionalSpeed,
  PageOf,
  RequiredText,
  RequiredWord,
  rule,
} from '../../platform/http/index.js';
import {
  DRIVERS,
  OPERATOR_ROUTE_KINDS,
  type OperatorRouteKind,
  SHOWN_HEALTHS,
  type ShownHealth,
} from '../providers/index.js';

export const MOST_BINDS = 1_000;

/** Errors of a `config` before its driver validates it. */
export const configErrors = {
  noObject: invalid('config_no_object', 'config must be an object', 'missing, or something else'),
  tooLarge: invalid('config_too_large', 'config must be at most 64 KB', 'more, as JSON'),
};

const Config = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'object',
      additionalProperties: true,
      description: 'As the driver wants it; `***` keeps a secret that stands, as long as the address does',
      example: { host: 'smpp.carrier.example', port: 2775, system_id: 'switchboard', password: 'secret', window: 100 },
    }),
    rule('config', configErrors.noObject, isObject),
    rule('configSize', configErrors.tooLarge, (value) => !isTooLargeJson(value)),
  );

class RouteFields {
  @RequiredWord('channel', OPERATOR_ROUTE_KINDS, 'sms')
  channel!: OperatorRouteKind;

  @OptionalSpeed('messages_per_second', 100)
  messages_per_second?: number | null;

  @OptionalCount('binds', MOST_BINDS, {
    example: 2,
    description: 'Sessions that all workers together have with the carrier; null: one a worker. Driver `smpp` only',
  })
  binds?: number | null;

  @OptionalFlag('is_default', true)
  is_default?: boolean | null;
}

/** A request or an answer for each driver: the fields that all share, and the driver's `config`. */
const variantsOf = (
  base: Type<object>,
  {
    name,
    schema,
    description,
  }: { name: (driver: string) => string; schema: (driver: string) => string; description: string },
): Record<string, Type<object>> =>
  Object.fromEntries(
    Object.entries(DRIVERS).map(([driver, { schemaName }]) => {
      const Variant = Object.defineProperty(class extends base {}, 'name', { value: name(schemaName) });
      const config = { allOf: [{ $ref: `#/components/schemas/${schema(schemaName)}` }], description };
      ApiProperty({ type: String, enum: [driver] })(Variant.prototype, 'driver');
      ApiProperty({ type: Object, ...config })(Variant.prototype, 'config');
      return [driver, Variant];
    }),
  );

@OneOf(
  'driver',
  variantsOf(RouteFields, {
    name: (driver) => `Put${driver}RouteRequest`,
    schema: (driver) => `${driver}RouteConfig`,
    description: '`***` keeps a secret that stands, as long as the address does',
  }),
)
export class PutRouteRequest {
  // declared here again, to keep the order of faults
  @RequiredWord('channel', OPERATOR_ROUTE_KINDS, 'sms')
  channel!: OperatorRouteKind;

  @RequiredText('driver', 'smpp')
  driver!: string;

  @Config()
  config!: Record<string, unknown>;

  @OptionalSpeed('messages_per_second', 100)
  messages_per_second?: number | null;

  @OptionalCount('binds', MOST_BINDS, {
    example: 2,
    description: 'Sessions that all workers together have with the carrier; null: one a worker. Driver `smpp` only',
  })
  binds?: number | null;

  @OptionalFlag('is_default', true)
  is_default?: boolean | null;
}

export class RouteBindData {
  @ApiProperty({ example: 1, description: 'From 1 to `binds`' })
  place!: number;

  @ApiProperty({
    example: 'worker-2:4711:9f0c21ab',
    description: 'Host, process id, and what tells it from the one before',
  })
  worker!: string;

  @ApiProperty({ example: true, description: 'Its session stands' })
  bound!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Why it does not, such as `The carrier refuses the bind: Already bound`',
  })
  last_error!: string | null;
}

export class RouteStopData {
  @LocalTime({ zone: 'asker', example: '2026-11-22 02:20:00' })
  at!: string;

  @ApiProperty({ example: 'admin' })
  by!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Carrier works on its side' })
  reason!: string | null;
}

class ShownRoute {
  @ApiProperty({ example: 'carrier-1' })
  name!: string;

  @ApiProperty({ enum: [...OPERATOR_ROUTE_KINDS], example: 'sms' })
  channel!: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 100, description: 'null: no limit of ours' })
  messages_per_second!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 2,
    description: 'Sessions that all workers together have with the carrier; null: one a worker',
  })
  binds!: number | null;

  @ApiProperty({
    type: [RouteBindData],
    nullable: true,
    description: 'The binds that workers hold now; null where `binds` is',
  })
  held_binds!: RouteBindData[] | null;

  @ApiProperty({ example: true })
  is_default!: boolean;

  @ApiProperty({
    example: false,
    description: 'Staff without super wrote its config: it reaches public addresses and `ROUTE_NETWORKS` alone',
  })
  guarded!: boolean;

  @ApiProperty({
    enum: [...SHOWN_HEALTHS],
    example: 'up',
    description:
      'Whether the workers reach the carrier: all, some, none, or none has said so in the last 15 seconds; `stopped`: by staff',
  })
  health!: ShownHealth;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Why a worker cannot use the carrier now, such as `Gateway is not reachable: connection refused`',
  })
  last_error!: string | null;

  @ApiProperty({
    type: [String],
    example: [],
    description:
      'Words of the stored `config` that the driver does not know, such as `receipt.id_pth`: they count for nothing, and a config that has them is not saved again',
  })
  unknown_settings!: string[];

  @ApiProperty({ type: RouteStopData, nullable: true, description: 'null while it carries' })
  stopped!: RouteStopData | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Where an HTTP gateway sends its receipts; its last segment is a secret',
  })
  callback_url!: string | null;

  @LocalTime({ zone: 'asker' })
  created_at!: string;

  @LocalTime({ zone: 'asker' })
  updated_at!: string;
}

@OneOf(
  'driver',
  variantsOf(ShownRoute, {
    name: (driver) => `${driver}RouteData`,
    schema: (driver) => `Shown${driver}RouteConfig`,
    description: 'Secrets read `***`',
  }),
)
export class RouteAnswerData extends ShownRoute {
  driver!: string;
  config!: Record<string, unknown>;
}

export class RouteAnswer extends AnswerOf(RouteAnswerData) {}

export class SavedRouteAnswer extends RouteAnswer {
  @ApiProperty({ example: 'Route saved successfully' })
  message!: string;
}

export class RemovedRouteAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Route deleted successfully' })
  message!: string;
}

export class RoutePageAnswer extends PageOf(RouteAnswerData) {}

export class RotatedCallbackData {
  @ApiProperty({
    example: 'https://sms.example/provider/sms/gateway-1/0PJnVc…',
    description: 'Give it to the carrier; its last segment is the new secret',
  })
  callback_url!: string;

  @LocalTime({ zone: 'asker', example: '2026-11-22 09:30:00', description: 'The address before is taken until then' })
  previous_valid_until!: string;
}

export class RotatedCallbackAnswer extends AnswerOf(RotatedCallbackData) {
  @ApiProperty({ example: 'Callback secret rotated successfully' })
  message!: string;
}
