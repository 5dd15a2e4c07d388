import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { TokenExpiredError } from '@nestjs/jwt';
import { AuthGuard } from '@nestjs/passport';
import { AppError } from '../../../kernel/app-error.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { Bodies, isCompressed } from '../../../platform/http/index.js';
import { accountErrors } from '../domain/account.errors.js';
import type { Account } from '../domain/account.js';
import { clientIp, RouteRules } from '../../../platform/security/index.js';
import type { AuthenticatedRequest, PresentedToken } from './actor.js';
import { AccessTokens } from './access-tokens.js';
import { ApiKeys } from './api-keys.js';
import { BodyUsernames } from './body-username.js';
import { presentedToken, tokenFaultOf } from './presented-token.js';
import { AUTHENTICATION_METADATA, type AuthenticationRules, PATH_USERNAME_METADATA, tokenErrorsOf } from './rules.js';

/**
 * On every route that wants it (global, the first of three): establishes who acts and puts that on the request as `actor`: by username in the body where the route takes it,
 * otherwise by token or API key. Bodies are read after it, but for those of that route. Then compares the username of the path. Nothing is read from the database while the directory
 * remembers the account.
 */
@Injectable()
export class AuthenticationGuard extends AuthGuard('jwt') {
  private readonly rules = new RouteRules<AuthenticationRules>(AUTHENTICATION_METADATA);
  private readonly pathUsernames = new RouteRules<string>(PATH_USERNAME_METADATA);

  constructor(
    private readonly bodyUsernames: BodyUsernames,
    private readonly apiKeys: ApiKeys,
    private readonly tokens: AccessTokens,
    private readonly bodies: Bodies,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const rules = this.rules.of(context);
    if (!rules) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (rules.bodyUsername) await this.byTokenOrBody(context, request, rules);
    else await this.byToken(context, request, rules);
    this.comparePath(context, request);
    return true;
  }

  /** passport's answer: an error is ours (the database …), no user is the client's. */
  override handleRequest<User = Account>(
    error: unknown,
    user: User | false | null,
    problem: unknown,
    context: ExecutionContext,
  ): User {
    if (error) throw error instanceof Error ? error : new Error('Authentication failed', { cause: error });
    const rules = this.rules.of(context);
    if (!rules) throw new Error('passport was asked on a route without @Authenticated');
    if (user) return user;
    if (problem instanceof TokenExpiredError) throw tokenErrorsOf(rules).expired();
    throw failure(context.switchToHttp().getRequest<AuthenticatedRequest>(), rules);
  }

  /** The head is judged first: the body of a caller whom it proves may be larger, and compressed. */
  private async byTokenOrBody(
    context: ExecutionContext,
    request: AuthenticatedRequest,
    rules: AuthenticationRules,
  ): Promise<void> {
    const proven = await this.byToken(context, request, rules).catch((error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    });
    const account = proven instanceof AppError ? null : proven;
    if (!account) await this.bodyUsernames.refuseBlocked(clientIp(request));
    // a bad token is a better reason than a body that only a good one could have brought
    if (
      proven instanceof AppError &&
      isCompressed(request.headers) &&
      presentedToken(request, rules, this.environment)
    ) {
      throw proven;
    }
    await this.bodies.read(request, account?.username ?? null);
    const named = await this.bodyUsernames.read(request);
    if (named?.kind === 'open') {
      request.actor = { account: named.account, via: 'body' };
      return;
    }
    // who names an account is told no more than who names one that does not exist
    if (proven instanceof AppError) throw named && isRefusal(proven) ? tokenErrorsOf(rules).invalid() : proven;
    if (named && named.account.id !== proven.id) throw tokenErrorsOf(rules).invalid();
  }

  private async byToken(
    context: ExecutionContext,
    request: AuthenticatedRequest,
    rules: AuthenticationRules,
  ): Promise<Account> {
    const presented = presentedToken(request, rules, this.environment);
    if (!presented) throw failure(request, rules);
    const account = await this.accountOf(context, request, presented);
    if (!account) throw failure(request, rules);
    request.actor = { account, via: presented.via };
    return account;
  }

  private async accountOf(
    context: ExecutionContext,
    request: AuthenticatedRequest,
    presented: PresentedToken,
  ): Promise<Account | null> {
    if (presented.via === 'key') return this.apiKeys.authenticate(presented.token, clientIp(request));
    request.presentedToken = presented;
    const remembered = await this.tokens.remembered(presented.token);
    if (remembered !== undefined) return remembered;
    await super.canActivate(context);
    return request.user as Account;
  }

  private comparePath(context: ExecutionContext, request: AuthenticatedRequest): void {
    const parameter = this.pathUsernames.of(context);
    if (parameter !== undefined && request.params[parameter] !== request.actor?.account.username) {
      throw accountErrors.pathUsername();
    }
  }
}

const failure = (request: AuthenticatedRequest, rules: AuthenticationRules): AppError =>
  tokenErrorsOf(rules)[tokenFaultOf(request, rules)]();

const isRefusal = ({ kind }: AppError): boolean => kind === 'unauthenticated';
