import { ApiProperty } from '@nestjs/swagger';
import { DoneAnswer, OptionalFlag, OptionalIds, RequiredText } from '../../../platform/http/index.js';
import { ApiKeyAnswerData } from './api-key.dto.js';
import { REVOKE_CREATED } from './made-thing.dto.js';
import { UserAnswerData } from './user.dto.js';

/** Body of PUT /account/password. */
export class ChangePasswordRequest {
  @RequiredText('current', 'Sunny-Day-7')
  current!: string;

  @RequiredText('new', 'Rainy-Day-8')
  new!: string;

  @OptionalIds('revoke_api_keys', 1_000, 'Keys to revoke with the old password: all of them, or those with these ids')
  revoke_api_keys?: boolean | number[] | null;

  @OptionalIds('revoke_users', 1_000, 'People to make inactive: all of them, or those with these ids')
  revoke_users?: boolean | number[] | null;

  @OptionalFlag('revoke_created', false, REVOKE_CREATED)
  revoke_created?: boolean | null;
}

/** Answer of a changed password: who may still act for the account without it. */
export class PasswordAnswer extends DoneAnswer {
  @ApiProperty({ type: [ApiKeyAnswerData], description: 'Keys that are good, newest first' })
  api_keys!: ApiKeyAnswerData[];

  @ApiProperty({ type: [UserAnswerData], description: 'People under the account, newest first' })
  users!: UserAnswerData[];
}
