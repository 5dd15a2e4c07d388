import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import { OptionalText } from '../../../platform/http/index.js';
import { CURRENT_PASSWORD } from '../authentication/credentials.js';
import type { MadeThing } from './made-things.js';

export class MadeThingData implements MadeThing {
  @ApiProperty({
    enum: ['webhook', 'account', 'password', 'key', 'campaign', 'person', 'session_message', 'keyword'],
    example: 'webhook',
    description:
      'account: of staff; password: of an account of staff, set by the person; campaign, session_message: not sent yet; ' +
      'person: with the password that it was given; keyword: with an answer',
  })
  kind!: MadeThing['kind'];

  @ApiProperty({ type: 'integer', example: 3, description: '0: it has only a name' })
  id!: number;

  @ApiProperty({
    example: 'https://shop.example/hooks/switchboard',
    description:
      'URL of the webhook (its origin, to others than the account), username of the account or person, name of the key, ' +
      'request id, receiver of the message, word',
  })
  name!: string;

  @ApiProperty({ example: true })
  is_active!: boolean;
}

export class MadeThingsAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: [MadeThingData] })
  data!: MadeThingData[];
}

export class AllMadeThings {
  @ApiProperty({ type: [MadeThingData], description: 'By keys' })
  api_keys!: MadeThingData[];

  @ApiProperty({ type: [MadeThingData], description: 'By people' })
  users!: MadeThingData[];
}

export class AllMadeThingsAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: AllMadeThings })
  data!: AllMadeThings;
}

export const REVOKE_CREATED =
  'With revoke_api_keys or revoke_users: what these keys and people made ends with them, as with revoke at a removal';

/** Body of a removal, needed only to end what a staff account's person made. */
export class RemovalBody {
  @OptionalText('current_password', CURRENT_PASSWORD)
  current_password?: string | null;
}

export const RevokeQuery = (): MethodDecorator =>
  ApiQuery({
    name: 'revoke',
    required: false,
    enum: ['true', 'false'],
    description:
      'Of a person, true: accounts of staff that it made are closed, and passwords of staff that it set are ended; all else that ' +
      'it made ends in any case. Of a key, true: what it made ends.',
  });

/** Words other than `true` and `1` mean no. */
export const readRevoke = (value: unknown): boolean => value === 'true' || value === '1';
