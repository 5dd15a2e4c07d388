import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { textOrNull } from '../../../kernel/text.js';
import { AnswersFirst, ApiErrors, DoneAnswer } from '../../../platform/http/index.js';
import { clientIp } from '../../../platform/security/index.js';
import { Open } from '../authentication/decorators.js';
import { RESET_ERRORS, USE_LINK_ERRORS } from '../self-service.errors.js';
import { ShowLinkQuery } from './access.queries.js';
import { RequestResetCommand, UseLinkCommand } from './link-uses.commands.js';
import { LinkViewAnswer, ResetPasswordRequest, ShowLinkRequest, UseLinkRequest } from './links.dto.js';

/** What people do with one-time links before they can log in (reference/accounts#links). */
@ApiTags('Authentication')
@Controller('v6/api/v1/auth')
export class LinksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('password-resets')
  @HttpCode(202)
  @Open('asks for a new password')
  @AnswersFirst()
  @ApiOperation({
    summary: 'Ask for a link to set a new password',
    description:
      'The same answer for every name. The link goes to the e-mail of the login, if it has one and the operator has set up a mail server; else its owner or staff make one.',
  })
  @ApiAcceptedResponse({ type: DoneAnswer })
  @ApiErrors(...RESET_ERRORS)
  async reset(@Body() body: ResetPasswordRequest, @Req() request: Request): Promise<DoneAnswer> {
    await this.commands.execute(new RequestResetCommand(body.email_or_username, clientIp(request)));
    return { success: true, message: 'If the login has an e-mail address, a link is on its way' };
  }

  @Post('links/show')
  @HttpCode(200)
  @Open('shows a link to who has it')
  @ApiOperation({ summary: 'Show what a link is for' })
  @ApiOkResponse({ type: LinkViewAnswer })
  @ApiErrors(...USE_LINK_ERRORS.slice(0, 3))
  async show(@Body() { token }: ShowLinkRequest, @Req() request: Request): Promise<LinkViewAnswer> {
    return { success: true, data: await this.queries.execute(new ShowLinkQuery(token, clientIp(request))) };
  }

  @Post('links/use')
  @HttpCode(200)
  @Open('sets the password of its login')
  @ApiOperation({
    summary: 'Use a link: join, or set a new password',
    description: 'Works once. Tokens issued before are refused on every instance in 3 s; keys stay. Log in afterwards.',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(...USE_LINK_ERRORS)
  async use(@Body() body: UseLinkRequest, @Req() request: Request): Promise<DoneAnswer> {
    const { token, password } = body;
    const answer = { password, firstname: textOrNull(body.firstname), lastname: textOrNull(body.lastname) };
    await this.commands.execute(new UseLinkCommand(token, answer, clientIp(request)));
    return { success: true, message: 'Password set successfully' };
  }
}
