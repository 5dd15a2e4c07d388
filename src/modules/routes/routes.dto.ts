import { applyDecorators } from '@nestjs/common';
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
  type DriverName,
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

const Driver = (name: DriverName): PropertyDecorator => ApiProperty({ enum: [name] });

/** Schema of a driver's `config`, generated from its validator. */
const ConfigOf = (name: DriverName, description: string): PropertyDecorator =>
  ApiProperty({ allOf: [{ $ref: `#/components/schemas/${DRIVERS[name]}` }], description });

const KEEPS = '`***` keeps a secret that stands, as long as the address does';
const ShownConfigOf = (name: DriverName): PropertyDecorator =>
  ApiProperty({
    allOf: [{ $ref: `#/components/schemas/Shown${DRIVERS[name]}` }],
    description: 'Secrets read `***`',
  });

class PutSmppRouteRequest extends RouteFields {
  @Driver('smpp')
  driver!: 'smpp';

  @ConfigOf('smpp', KEEPS)
  config!: object;
}

class PutHttpRouteRequest extends RouteFields {
  @Driver('http')
  driver!: 'http';

  @ConfigOf('http', KEEPS)
  config!: object;
}

class PutTwilioRouteRequest extends RouteFields {
  @Driver('twilio')
  driver!: 'twilio';

  @ConfigOf('twilio', KEEPS)
  config!: object;
}

@OneOf('driver', { smpp: PutSmppRouteRequest, http: PutHttpRouteRequest, twilio: PutTwilioRouteRequest })
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

class SmppRouteData extends ShownRoute {
  @Driver('smpp')
  driver!: 'smpp';

  @ShownConfigOf('smpp')
  config!: object;
}

class HttpRouteData extends ShownRoute {
  @Driver('http')
  driver!: 'http';

  @ShownConfigOf('http')
  config!: object;
}

class TwilioRouteData extends ShownRoute {
  @Driver('twilio')
  driver!: 'twilio';

  @ShownConfigOf('twilio')
  config!: object;
}

@OneOf('driver', { smpp: SmppRouteData, http: HttpRouteData, twilio: TwilioRouteData })
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
