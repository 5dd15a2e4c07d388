import { Controller, Get, HttpCode, Inject, Logger, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { CookieOptions, Request, Response } from 'express';
import { AppError } from '../../../kernel/errors.js';
import { readJsonObject } from '../../../kernel/json-values.js';
import { type Environment, ENVIRONMENT, publicPath } from '../../../platform/config/index.js';
import { AnswersFirst, ApiErrors } from '../../../platform/http/index.js';
import { IdentityProvider, type OidcAttempt, oidcFault } from '../../../platform/outbound/index.js';
import { sealedIn, Sealer } from '../../../platform/security/index.js';
import { AdminSessions } from '../authentication/access-tokens.js';
import { accountView, LogInAnswer, OidcAnswer } from '../authentication/authentication.dto.js';
import { Open } from '../authentication/decorators.js';
import { accountErrors } from '../domain/account.errors.js';
import { clientOf } from '../sessions/device.js';
import { BeginProvidedSessionCommand, LogInByProviderCommand, type LoginTicket } from './oidc.commands.js';
import { providedIdentity } from './provided-identity.js';

const PATH = 'v6/api/auth/oidc';
const CALLBACK = `/${PATH}/callback`;
const COOKIE = 'oidc_login';
const ATTEMPT_MS = 10 * 60_000;
const DONE_MS = 60_000;
const NOT_DONE = 'oidc_failed';

@ApiTags('Authentication')
@Controller(PATH)
export class OidcController {
  private readonly logger = new Logger('IdentityProvider');

  constructor(
    private readonly commands: CommandBus,
    private readonly provider: IdentityProvider,
    private readonly adminSessions: AdminSessions,
    private readonly sealer: Sealer,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Get()
  @AnswersFirst()
  @Open('says whether there is an identity provider')
  @ApiOperation({ summary: 'Whether staff can log in by an identity provider' })
  @ApiOkResponse({ type: OidcAnswer })
  show(): OidcAnswer {
    return { success: true, data: { is_available: this.provider.isConfigured } };
  }

  @Get('start')
  @AnswersFirst()
  @Open('sends the browser to the identity provider')
  @ApiOperation({
    summary: 'Log staff in by the identity provider',
    description: 'For a browser: it goes there and comes back.',
  })
  @ApiQuery({
    name: 'confirm',
    required: false,
    example: 'true',
    description: '`true`: the provider asks for the login again, so that the session is confirmed',
  })
  @ApiFoundResponse({ description: 'To the identity provider, or back to the login of the web application.' })
  @ApiErrors(accountErrors.oidcOff)
  async start(@Req() request: Request, @Res() response: Response, @Query('confirm') confirm?: unknown): Promise<void> {
    if (!this.provider.isConfigured) throw accountErrors.oidcOff();
    const begun = await this.provider.begin(CALLBACK, confirm === 'true').catch((error: unknown) => this.warn(error));
    if (begun === null) return this.backTo(response, NOT_DONE);
    this.keep(request, response, 'attempt', begun.attempt, ATTEMPT_MS);
    response.redirect(302, begun.url);
  }

  @Get('callback')
  @AnswersFirst()
  @Open('the browser comes back from the identity provider')
  @ApiOperation({ summary: 'Where the identity provider sends the browser back to' })
  @ApiFoundResponse({ description: 'To the login of the web application, with `?oidc=done` or the code of an error.' })
  @ApiErrors(accountErrors.oidcOff)
  async callback(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (!this.provider.isConfigured) throw accountErrors.oidcOff();
    const attempt = this.kept(request, 'attempt') as unknown as OidcAttempt | null;
    response.clearCookie(COOKIE, this.options(request));
    if (!attempt) return this.backTo(response, NOT_DONE);
    try {
      const search = request.originalUrl.slice(request.path.length);
      const claims = await this.provider.finish(CALLBACK, search, attempt);
      const identity = providedIdentity(claims, this.environment);
      const ticket = await this.commands.execute(new LogInByProviderCommand(identity));
      if (ticket === null) return this.backTo(response, 'oidc_no_role');
      this.keep(request, response, 'done', ticket, DONE_MS);
      this.backTo(response, 'done');
    } catch (error) {
      if (!(error instanceof AppError)) this.warn(error);
      this.backTo(response, error instanceof AppError ? error.code : NOT_DONE);
    }
  }

  @Post('token')
  @HttpCode(200)
  @AnswersFirst()
  @Open('the cookie of the callback proves the login')
  @ApiOperation({
    summary: 'Take the token of a login by the identity provider',
    description: 'Once, within a minute.',
  })
  @ApiOkResponse({ type: LogInAnswer })
  @ApiErrors(accountErrors.oidcOff, accountErrors.invalidToken)
  async token(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<LogInAnswer> {
    if (!this.provider.isConfigured) throw accountErrors.oidcOff();
    const ticket = this.kept(request, 'done') as unknown as LoginTicket | null;
    response.clearCookie(COOKIE, this.options(request));
    if (!ticket) throw accountErrors.invalidToken();
    const command = new BeginProvidedSessionCommand(ticket, clientOf(request));
    const { token, account } = await this.commands.execute(command);
    this.adminSessions.open(request, response, account, token);
    return { success: true, message: 'Login successful', token, user: accountView(account) };
  }

  /** A code alone: messages of the provider and the library may hold tokens, and go to no page. */
  private warn(error: unknown): null {
    this.logger.warn({ fault: oidcFault(error) }, 'a login by the identity provider failed');
    return null;
  }

  private backTo(response: Response, outcome: string): void {
    response.redirect(302, `${publicPath(this.environment)}/app/login?oidc=${outcome}`);
  }

  /** Only this service reads it, only for this step, and only until it is over. */
  private keep(request: Request, response: Response, step: string, value: object, forMs: number): void {
    const text = JSON.stringify({ ...value, until: Date.now() + forMs });
    response.cookie(COOKIE, this.sealer.seal(text, placeOf(step)), { ...this.options(request), maxAge: forMs });
  }

  private kept(request: Request, step: string): Record<string, unknown> | null {
    const sealed = (request.cookies as Record<string, unknown> | undefined)?.[COOKIE];
    if (typeof sealed !== 'string') return null;
    try {
      const value = readJsonObject(this.sealer.open(sealed, placeOf(step)));
      return value && typeof value['until'] === 'number' && value['until'] > Date.now() ? value : null;
    } catch {
      return null; // not sealed here, or for another step
    }
  }

  /** `lax`: the browser comes back from another site. */
  private options(request: Request): CookieOptions {
    const secure = this.environment.NODE_ENV === 'production' || request.secure;
    return { httpOnly: true, sameSite: 'lax', path: `${publicPath(this.environment)}/${PATH}`, secure };
  }
}

const placeOf = (step: string): string => sealedIn('cookie', COOKIE, step);
