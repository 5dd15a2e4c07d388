import { Body, Controller, Get, Patch } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/index.js';
import { type Actor, CurrentActor } from '../authentication/actor.js';
import { Authenticated } from '../authentication/decorators.js';
import { ChooseSecurityCommand } from '../commands/choose-security.command.js';
import { FindOwnSecurityQuery } from '../queries/find-own-security.query.js';
import { ChosenSecurityAnswer, SecurityAnswer, SecurityRequest } from './security.dto.js';
import { SECURITY_ERRORS } from './self-service.errors.js';

/** What those may do who come without the account's token (reference/accounts#security). */
@ApiTags('Account')
@Authenticated({ apiKey: false })
@Controller('v6/api/account/security')
export class SecurityController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What those may do who come without a token' })
  @ApiOkResponse({ type: SecurityAnswer })
  async show(@CurrentActor() { account }: Actor): Promise<SecurityAnswer> {
    return { success: true, data: await this.queries.execute(new FindOwnSecurityQuery(account)) };
  }

  @Patch()
  @ApiOperation({
    summary: 'Choose what those may do who come without a token',
    description:
      'Closes the two broadcasts to a username in the body, or takes it from some addresses only, and closes reports and templates. An empty body leaves all as it is: that is a choice too, and ends the notice of the first page.',
  })
  @ApiOkResponse({ type: ChosenSecurityAnswer })
  @ApiErrors(...SECURITY_ERRORS)
  async choose(@Body() body: SecurityRequest, @CurrentActor() { account }: Actor): Promise<ChosenSecurityAnswer> {
    const { require_token: token, protect_reports: reports, body_username_addresses: addresses } = body;
    await this.commands.execute(
      new ChooseSecurityCommand(account, {
        ...(typeof token === 'boolean' && { requireToken: token }),
        ...(typeof reports === 'boolean' && { protectReports: reports }),
        ...(addresses && { bodyUsernameAddresses: addresses }),
      }),
    );
    const data = await this.queries.execute(new FindOwnSecurityQuery(account));
    return { success: true, message: 'Security saved successfully', data };
  }
}
