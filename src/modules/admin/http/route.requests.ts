import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { isTooLargeJson } from '../../../kernel/text.js';
import { OptionalFlag, OptionalSpeed, RequiredText, RequiredWord } from '../../../platform/http/index.js';

const CHANNELS = ['sms', 'unofficial', 'voice'] as const;

const Config = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'object',
      additionalProperties: true,
      description: 'As the driver wants it; `***` keeps a secret that stands, as long as the address does',
      example: { host: 'smpp.carrier.example', port: 2775, system_id: 'switchboard', password: 'secret', window: 100 },
    }),
    ValidateBy({
      name: 'config',
      validator: {
        validate: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
        defaultMessage: () => 'config must be an object',
      },
    }),
    ValidateBy({
      name: 'configSize',
      validator: {
        validate: (value: unknown) => !isTooLargeJson(value),
        defaultMessage: () => 'config must be at most 64 KB',
      },
    }),
  );

/** Body of PUT /routes/:name (reference/admin#routes). */
export class PutRouteRequest {
  @RequiredWord('channel', CHANNELS, 'sms')
  channel!: (typeof CHANNELS)[number];

  @RequiredText('driver', 'smpp')
  driver!: string;

  @Config()
  config!: Record<string, unknown>;

  @OptionalSpeed('messages_per_second', 100)
  messages_per_second?: number | null;

  @OptionalFlag('is_default', true)
  is_default?: boolean | null;
}
