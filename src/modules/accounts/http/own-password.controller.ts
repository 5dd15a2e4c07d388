import { Body, Controller, Put, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors, OptionalIds, RequiredText } from '../../../platform/http/index.js';
import { clientIp } from '../../../platform/security/index.js';
import { type Actor, CurrentActor } from '../authentication/actor.js';
import { Authenticated } from '../authentication/decorators.js';
import { ChangePasswordCommand } from '../commands/change-password.command.js';
import { PASSWORD_ERRORS } from './self-service.errors.js';
import { ApiKeyAnswerData, DoneAnswer } from './api-key.schema.js';
import { UserAnswerData } from './user.schema.js';

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
}

/** Answer of a changed password: who may still act for the account without it. */
export class PasswordAnswer extends DoneAnswer {
  @ApiProperty({ type: [ApiKeyAnswerData], description: 'Keys that are good, newest first' })
  api_keys!: ApiKeyAnswerData[];

  @ApiProperty({ type: [UserAnswerData], description: 'People under the account, newest first' })
  users!: UserAnswerData[];
}

/** The password of whom the token was issued to. No key opens this route. */
@ApiTags('Account')
@Authenticated({ apiKey: false })
@Controller('v6/api/account/password')
export class OwnPasswordController {
  constructor(private readonly commands: CommandBus) {}

  @Put()
  @ApiOperation({
    summary: 'Change the own password',
    description:
      'Of the account, or of its user who is logged in. Every token issued before is refused: log in again. Keys and people stay, are listed, and end where you say so.',
  })
  @ApiOkResponse({ type: PasswordAnswer })
  @ApiErrors(...PASSWORD_ERRORS)
  async password(
    @Body() body: ChangePasswordRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<PasswordAnswer> {
    const revocations = { apiKeys: body.revoke_api_keys ?? false, users: body.revoke_users ?? false };
    const command = new ChangePasswordCommand(account, body.current, body.new, clientIp(request), revocations);
    return { success: true, message: 'Password updated successfully', ...(await this.commands.execute(command)) };
  }
}
