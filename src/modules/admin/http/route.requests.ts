import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { OptionalFlag, RequiredText, RequiredWord } from './fields.js';

const CHANNELS = ['sms', 'unofficial', 'voice'] as const;
const MOST_PER_SECOND = 1_000_000;

const Config = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'object',
      additionalProperties: true,
      description: 'As the driver wants it; `***` keeps a secret that stands',
      example: { host: 'smpp.carrier.example', port: 2775, system_id: 'switchboard', password: 'secret', window: 100 },
    }),
    ValidateBy({
      name: 'config',
      validator: {
        validate: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
        defaultMessage: () => 'config must be an object',
      },
    }),
  );

const Speed = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', nullable: true, minimum: 1, maximum: MOST_PER_SECOND, example: 100 }),
    ValidateBy({
      name: 'speed',
      validator: {
        validate: (value: unknown) =>
          value === undefined ||
          value === null ||
          (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_PER_SECOND),
        defaultMessage: () => `messages_per_second must be a whole number from 1 to ${MOST_PER_SECOND}`,
      },
    }),
  );

/** Body of PUT /routes/:name (decisions §8). */
export class PutRouteRequest {
  @RequiredWord('channel', CHANNELS, 'sms')
  channel!: (typeof CHANNELS)[number];

  @RequiredText('driver', 'smpp')
  driver!: string;

  @Config()
  config!: Record<string, unknown>;

  @Speed()
  messages_per_second?: number | null;

  @OptionalFlag('is_default', true)
  is_default?: boolean | null;
}
