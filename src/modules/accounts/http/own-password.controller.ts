import { Body, Controller, Get, Put, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors } from '../../../platform/http/index.js';
import { clientIp } from '../../../platform/security/index.js';
import { type Actor, CurrentActor } from '../authentication/actor.js';
import { Authenticated } from '../authentication/decorators.js';
import { ChangePasswordCommand } from '../commands/change-password.command.js';
import { accountErrors } from '../domain/account.errors.js';
import { ListAllMadeThingsQuery } from '../queries/list-all-made-things.query.js';
import { AllMadeThingsAnswer } from './made-thing.dto.js';
import { PASSWORD_ERRORS } from './self-service.errors.js';
import { ChangePasswordRequest, PasswordAnswer } from './password.dto.js';

/** The password of the account or person that the token was issued to, and what may end with it. No key opens these routes. */
@ApiTags('Account')
@Authenticated({ apiKey: false })
@Controller('v6/api/account')
export class OwnPasswordController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('created')
  @ApiOperation({
    summary: 'What the keys and people made that goes on by itself',
    description: '`revoke_created` of a password change ends it, with the keys and people that are revoked.',
  })
  @ApiOkResponse({ type: AllMadeThingsAnswer })
  @ApiErrors(accountErrors.permissionDenied.because('an assigned user'))
  async created(@CurrentActor() { account }: Actor): Promise<AllMadeThingsAnswer> {
    return { success: true, data: await this.queries.execute(new ListAllMadeThingsQuery(account)) };
  }

  @Put('password')
  @ApiOperation({
    summary: 'Change the own password',
    description:
      'Of the account, or of its user who is logged in. Every token issued before is refused: log in again. Keys and people stay, are listed, and end where you say so, with what they made.',
  })
  @ApiOkResponse({ type: PasswordAnswer })
  @ApiErrors(...PASSWORD_ERRORS)
  async password(
    @Body() body: ChangePasswordRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<PasswordAnswer> {
    const revocations = {
      apiKeys: body.revoke_api_keys ?? false,
      users: body.revoke_users ?? false,
      created: body.revoke_created ?? false,
    };
    const command = new ChangePasswordCommand(account, body.current, body.new, clientIp(request), revocations);
    return { success: true, message: 'Password updated successfully', ...(await this.commands.execute(command)) };
  }
}
