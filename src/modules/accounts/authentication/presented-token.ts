import type { Request } from 'express';
import type { Environment } from '../../../platform/config/index.js';
import { isApiKey } from '../domain/api-key.js';
import type { PresentedToken } from './actor.js';
import type { AuthenticationRules, TokenErrors } from './rules.js';

const BEARER = /^Bearer +(\S+)$/i;
const ONE_WORD = /^\S+$/;
const JWT = /^(Bearer +)?[\w-]+\.[\w-]+\.[\w-]*$/i;

type Configuration = Pick<Environment, 'CORS_ORIGINS' | 'PUBLIC_URL'>;

/**
 * Finds the token or API key of a request (reference/authentication#where-a-token-stands). `Authorization` of any kind
 * wins over `X-API-Key`, and both win over the cookie: a bad header beside a good cookie is refused.
 * @param rules.scheme `standard` wants `Bearer <token>`; `v5` takes the bare token too
 * @returns null when there is none that counts
 */
export function presentedToken(
  request: Request,
  rules: Pick<AuthenticationRules, 'scheme' | 'cookie' | 'apiKey'>,
  configuration: Configuration,
): PresentedToken | null {
  const header = request.headers.authorization?.trim();
  if (header) {
    const token = BEARER.exec(header)?.[1] ?? (rules.scheme === 'v5' && ONE_WORD.test(header) ? header : null);
    return token ? { token, via: 'header' } : null;
  }
  const key = rules.apiKey ? request.headers['x-api-key'] : undefined;
  if (typeof key === 'string' && key.trim() !== '') return { token: key.trim(), via: 'key' };
  if (!rules.cookie) return null;
  const cookie = (request.cookies as Record<string, unknown> | undefined)?.['auth_token'];
  if (typeof cookie !== 'string' || cookie === '' || !cookieCounts(request, configuration)) return null;
  return { token: cookie, via: 'cookie' };
}

/**
 * Which of the token errors says best why a request has no acting account: by the form of what it carries alone, and for
 * every account alike.
 */
export function tokenFaultOf(
  request: Request,
  rules: Pick<AuthenticationRules, 'scheme' | 'apiKey'>,
): Exclude<keyof TokenErrors, 'expired'> {
  const header = request.headers.authorization?.trim();
  if (header) {
    const token = BEARER.exec(header)?.[1] ?? header;
    if (isApiKey(token)) return 'keyAsToken';
    return token === header && (rules.scheme !== 'v5' || !ONE_WORD.test(header)) ? 'noBearer' : 'invalid';
  }
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key.trim() === '') return 'missing';
  if (!rules.apiKey) return 'keyNotTaken';
  return JWT.test(key.trim()) ? 'tokenAsKey' : 'invalidKey';
}

/** A browser sends cookies by itself, so a page of another site must not be the one that makes it do so. */
function cookieCounts(request: Request, configuration: Configuration): boolean {
  if (request.headers['sec-fetch-site'] === 'cross-site') return false;
  const { origin } = request.headers;
  if (origin === undefined) return true;
  if (configuration.CORS_ORIGINS.includes(origin)) return true;
  const host = hostOf(origin);
  if (host === null) return false;
  return (
    host === request.headers.host ||
    (configuration.PUBLIC_URL !== undefined && host === hostOf(configuration.PUBLIC_URL))
  );
}

function hostOf(url: string): string | null {
  try {
    return new URL(url).host || null;
  } catch {
    return null;
  }
}
