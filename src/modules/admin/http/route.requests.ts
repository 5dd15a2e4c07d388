import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { invalid } from '../../../kernel/define-error.js';
import { isTooLargeJson } from '../../../kernel/text.js';
import { OptionalFlag, OptionalSpeed, RequiredText, RequiredWord } from '../../../platform/http/index.js';
import { OPERATOR_ROUTE_KINDS, type OperatorRouteKind } from '../../providers/index.js';

/** What is said of a `config` before its driver looks at it. */
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
    ValidateBy({
      name: 'config',
      validator: {
        validate: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
        defaultMessage: () => configErrors.noObject.text,
      },
    }),
    ValidateBy({
      name: 'configSize',
      validator: {
        validate: (value: unknown) => !isTooLargeJson(value),
        defaultMessage: () => configErrors.tooLarge.text,
      },
    }),
  );

/** Body of PUT /routes/:name (reference/admin#routes). */
export class PutRouteRequest {
  @RequiredWord('channel', OPERATOR_ROUTE_KINDS, 'sms')
  channel!: OperatorRouteKind;

  @RequiredText('driver', 'smpp')
  driver!: string;

  @Config()
  config!: Record<string, unknown>;

  @OptionalSpeed('messages_per_second', 100)
  messages_per_second?: number | null;

  @OptionalFlag('is_default', true)
  is_default?: boolean | null;
}
