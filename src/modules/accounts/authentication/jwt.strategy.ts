import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { tokenKey } from '../../../platform/security/index.js';
import { isOrdinaryToken } from '../domain/access-token.js';
import type { Account } from '../domain/account.js';
import { AccessTokens } from './access-tokens.js';
import type { AuthenticatedRequest } from './actor.js';

/** Verifies the token that `AuthenticationGuard` found: signature (HS256 alone) and expiry, then claims and account. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly tokens: AccessTokens,
  ) {
    super({
      jwtFromRequest: ({ presentedToken }: AuthenticatedRequest) =>
        presentedToken && isOrdinaryToken(presentedToken.token) ? presentedToken.token : null,
      algorithms: ['HS256'],
      passReqToCallback: true,
      // passport-jwt hands the key to jsonwebtoken as it is; its types know only texts and buffers, which jsonwebtoken
      // would try to read as a public key on every request
      secretOrKey: tokenKey(environment) as unknown as Buffer,
    });
  }

  /** @returns the acting account, or null for a token that is not valid now */
  validate({ presentedToken }: AuthenticatedRequest, payload: unknown): Promise<Account | null> {
    return this.tokens.accountOf(presentedToken?.token ?? '', payload);
  }
}
