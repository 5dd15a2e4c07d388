import { Body, Controller, Put, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors, RequiredText } from '../../../platform/http/index.js';
import { clientIp } from '../../../platform/security/index.js';
import { type Actor, CurrentActor } from '../authentication/actor.js';
import { Authenticated } from '../authentication/decorators.js';
import { ChangePasswordCommand } from '../commands/change-password.command.js';
import { PASSWORD_ERRORS } from './account-desk.errors.js';
import { DoneAnswer } from './api-key.schema.js';

/** Body of PUT /account/password. */
export class ChangePasswordRequest {
  @RequiredText('current', 'Sunny-Day-7')
  current!: string;

  @RequiredText('new', 'Rainy-Day-8')
  new!: string;
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
    description: 'Of the account, or of its user who is logged in. Every token issued before is refused: log in again.',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(PASSWORD_ERRORS)
  async password(
    @Body() body: ChangePasswordRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<DoneAnswer> {
    await this.commands.execute(new ChangePasswordCommand(account, body.current, body.new, clientIp(request)));
    return { success: true, message: 'Password updated successfully' };
  }
}
