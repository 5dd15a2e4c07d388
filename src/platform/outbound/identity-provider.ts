import { Inject, Injectable } from '@nestjs/common';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { TtlCache } from '../concurrency/index.js';
import { type Environment, ENVIRONMENT, publicAddress } from '../config/index.js';

const KEPT_MS = 3_600_000;
const PATIENCE_SECONDS = 10;
const AGAIN_SECONDS = 600;

/** What one login needs to remember between leaving and coming back; secret of the browser. */
export interface OidcAttempt {
  state: string;
  nonce: string;
  verifier: string;
  again: boolean;
}

/** The OpenID provider of `OIDC_ISSUER`: authorization code with PKCE, state and nonce. The operator's own, so trusted. */
@Injectable()
export class IdentityProvider {
  private readonly configurations = new TtlCache<'provider', Configuration>(KEPT_MS, 1);

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  get isConfigured(): boolean {
    return this.environment.OIDC_ISSUER !== undefined;
  }

  /**
   * The address to send the browser to, and what to remember. @param callback path of this service @param again the provider asks
   * for the login even of who is logged in there
   */
  async begin(callback: string, again: boolean): Promise<{ url: string; attempt: OidcAttempt }> {
    const attempt = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), again };
    const url = buildAuthorizationUrl(await this.configuration(), {
      ...{ redirect_uri: publicAddress(this.environment, callback), scope: this.environment.OIDC_SCOPE },
      ...{ state: attempt.state, nonce: attempt.nonce, code_challenge_method: 'S256' },
      code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
      ...(again && { prompt: 'login', max_age: String(AGAIN_SECONDS) }),
    });
    return { url: url.href, attempt };
  }

  /** Exchanges the code that the browser brings back. Returns the claims of a valid ID token and of userinfo. @throws Error otherwise */
  async finish(
    callback: string,
    search: string,
    { state, nonce, verifier, again }: OidcAttempt,
  ): Promise<Record<string, unknown>> {
    const url = new URL(publicAddress(this.environment, callback) + search);
    const tokens = await authorizationCodeGrant(await this.configuration(), url, {
      ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
      ...{ idTokenExpected: true, ...(again && { maxAge: AGAIN_SECONDS }) },
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('The identity provider sent no ID token');
    const configuration = await this.configuration();
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return { ...claims };
    const info = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    // whether an e-mail is verified counts for the address beside it alone
    const { email_verified: verified } = claims['email'] === undefined ? info : claims;
    return { ...info, ...claims, email_verified: verified };
  }

  private configuration(): Promise<Configuration> {
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, NODE_ENV } = this.environment;
    const issuer = new URL(OIDC_ISSUER ?? '');
    // plain HTTP is for development and tests alone
    const execute = NODE_ENV === 'production' ? [] : [allowInsecureRequests];
    return this.configurations.get('provider', () =>
      discovery(issuer, OIDC_CLIENT_ID ?? '', OIDC_CLIENT_SECRET, undefined, { execute, timeout: PATIENCE_SECONDS }),
    );
  }
}

/** A fault of a login in one word, without what was exchanged: `access_denied`, `OAUTH_TIMEOUT`. */
export function oidcFault(error: unknown): string {
  const { error: answered, code, name } = (error ?? {}) as { error?: unknown; code?: unknown; name?: unknown };
  const word = [answered, code, name].find((one) => typeof one === 'string' && /^[\w.-]{1,60}$/.test(one));
  return typeof word === 'string' ? word : 'unknown';
}
