import { Body, Controller, Put, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors } from '../../../platform/http/index.js';
import { clientIp } from '../../../platform/security/index.js';
import { type Actor, CurrentActor } from '../authentication/actor.js';
import { Authenticated } from '../authentication/decorators.js';
import { ChangePasswordCommand } from '../commands/change-password.command.js';
import { PASSWORD_ERRORS } from './self-service.errors.js';
import { ChangePasswordRequest, PasswordAnswer } from './password.dto.js';

/** The password of the account or person that the token was issued to. No key opens this route. */
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
