import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import { OptionalText } from '../../../platform/http/index.js';
import { CURRENT_PASSWORD } from '../authentication/credentials.js';
import type { MadeThing } from './made-things.js';

/** A thing that goes on by itself when the person or key that made it is removed. */
export class MadeThingData implements MadeThing {
  @ApiProperty({
    enum: ['webhook', 'account', 'password'],
    example: 'webhook',
    description: 'account: of staff; password: of an account of staff, set by the person',
  })
  kind!: MadeThing['kind'];

  @ApiProperty({ type: 'integer', example: 3 })
  id!: number;

  @ApiProperty({
    example: 'https://shop.example/hooks/switchboard',
    description: 'URL of the webhook (its origin, to others than the account), username of the account',
  })
  name!: string;

  @ApiProperty({ example: true })
  is_active!: boolean;
}

/** What a person or a key made, all of it. */
export class MadeThingsAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: [MadeThingData] })
  data!: MadeThingData[];
}

/** What all keys and all people of an account made. */
export class AllMadeThings {
  @ApiProperty({ type: [MadeThingData], description: 'By keys' })
  api_keys!: MadeThingData[];

  @ApiProperty({ type: [MadeThingData], description: 'By people' })
  users!: MadeThingData[];
}

/** Answer with what `revoke_created` of a password change can end. */
export class AllMadeThingsAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: AllMadeThings })
  data!: AllMadeThings;
}

/** Description of `revoke_created`. */
export const REVOKE_CREATED =
  'With revoke_api_keys or revoke_users: what these keys and people made ends with them, as with revoke at a removal';

/** Body of a removal, only to revoke what a person under an account of staff made. */
export class RemovalBody {
  @OptionalText('current_password', CURRENT_PASSWORD)
  current_password?: string | null;
}

/** `?revoke=true`: what the person or key made ends with it. */
export const RevokeQuery = (): MethodDecorator =>
  ApiQuery({
    name: 'revoke',
    required: false,
    enum: ['true', 'false'],
    description:
      'true: webhooks that it made are disabled, accounts of staff that it made are closed, and passwords of staff that it set are ended',
  });

/** Whether a removal takes along what was made. Another word is no. */
export const readRevoke = (value: unknown): boolean => value === 'true' || value === '1';
