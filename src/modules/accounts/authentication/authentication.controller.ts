import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { objectOrEmpty } from '../../../kernel/json-values.js';
import { textOrNull } from '../../../kernel/text.js';
import { ApiErrors, DoneAnswer, ExactAnswer } from '../../../platform/http/index.js';
import { clientIp } from '../../../platform/security/index.js';
import { accountErrors } from '../domain/account.errors.js';
import { LOGIN_ERRORS, REGISTER_ERRORS } from '../self-service.errors.js';
import { clientOf } from '../sessions/device.js';
import { AdminSessions } from './access-tokens.js';
import { LogInCommand, LogOutCommand, RegisterAccountCommand } from './authentication.commands.js';
import { accountView, LogInAnswer, LogInRequest, RegisterAnswer, RegisterRequest } from './authentication.dto.js';
import { Authenticated, ForLimitedSessions, type AuthenticatedRequest, Needs, Open } from './decorators.js';

/** Serves both `{base_url}/v6/api` and `{base_url}` (reference/requests#paths). */
@ApiTags('Authentication')
@ExactAnswer()
@Controller(['v6/api/v1/auth', 'v1/auth'])
export class AuthenticationController {
  constructor(
    private readonly commands: CommandBus,
    private readonly adminSessions: AdminSessions,
  ) {}

  @Post('login')
  @HttpCode(200)
  @Open('gives the token')
  @ApiOperation({
    summary: 'Log in',
    description:
      'Copy `token` from the answer into Authorize (bearer). Staff also get the cookie of the queue dashboard.',
  })
  @ApiBody({ type: LogInRequest })
  @ApiOkResponse({ type: LogInAnswer })
  @ApiErrors(...LOGIN_ERRORS)
  async logIn(
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LogInAnswer> {
    const fields = objectOrEmpty(body);
    const name = textOrNull(fields['email_or_username']);
    const password = textOrNull(fields['password']);
    if (name === null || password === null) throw accountErrors.missingCredentials();
    const { passkey, otp } = fields;
    const proof = { otp: textOrNull(otp), passkey: passkey ?? undefined, origin: request.headers.origin };
    const { token, account } = await this.commands.execute(new LogInCommand(name, password, clientOf(request), proof));
    this.adminSessions.open(request, response, account, token);
    return {
      success: true,
      message: 'Login successful',
      token,
      user: accountView(account),
    };
  }

  @Post('logout')
  @Needs('self')
  @HttpCode(200)
  @ForLimitedSessions()
  @Authenticated({ apiKey: false, cookie: true })
  @ApiOperation({
    summary: 'Log out',
    description: 'Ends the token of this request, on every instance in 3 s. Other tokens of the account stay good.',
  })
  @ApiOkResponse({ type: DoneAnswer })
  async logOut(
    @Req() request: AuthenticatedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DoneAnswer> {
    if (request.presentedToken) await this.commands.execute(new LogOutCommand(request.presentedToken.token));
    await this.adminSessions.close(request, response);
    return { success: true, message: 'Logged out successfully' };
  }

  @Post('register')
  @Open('makes the account')
  @ApiOperation({ summary: 'Register an account', description: 'Returns no token: log in afterwards.' })
  @ApiBody({ type: RegisterRequest })
  @ApiCreatedResponse({ type: RegisterAnswer })
  @ApiErrors(...REGISTER_ERRORS)
  async register(@Body() body: unknown, @Req() request: Request): Promise<RegisterAnswer> {
    const account = await this.commands.execute(new RegisterAccountCommand(objectOrEmpty(body), clientIp(request)));
    return { success: true, message: 'Account registered successfully', user: accountView(account) };
  }
}
