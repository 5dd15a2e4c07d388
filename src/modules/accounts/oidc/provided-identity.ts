import type { Environment } from '../../../platform/config/index.js';
import { isEmail, isUsername, normalEmail } from '../domain/identity.js';

const STAFF_ROLES = ['super', 'admin'] as const;
const LONGEST_NAME = 100;

/** Who the identity provider says that this is. */
export interface ProvidedIdentity {
  issuer: string;
  /** unique and never changed at the issuer */
  subject: string;
  /** null = none that OIDC_ROLES names */
  role: (typeof STAFF_ROLES)[number] | null;
  username: string;
  /** verified by the provider; null = none */
  email: string | null;
  firstname: string;
  lastname: string;
  /** when the person showed password or factor there; null = the provider does not say */
  authenticatedAt: Date | null;
}

/** Reads the claims of an ID token: the highest role that OIDC_ROLES maps a value of OIDC_ROLE_CLAIM to. */
export function providedIdentity(
  claims: Readonly<Record<string, unknown>>,
  { OIDC_ROLE_CLAIM, OIDC_ROLES }: Pick<Environment, 'OIDC_ROLE_CLAIM' | 'OIDC_ROLES'>,
): ProvidedIdentity {
  const given = claims[OIDC_ROLE_CLAIM];
  const values = (Array.isArray(given) ? given : [given]).map(String);
  const role = STAFF_ROLES.find((one) => OIDC_ROLES.some((pair) => pair.role === one && values.includes(pair.value)));
  const text = (name: string): string => {
    const value = claims[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const email = normalEmail(text('email'));
  const username = [text('preferred_username'), email.split('@')[0] ?? '', text('sub')].find(isUsername) ?? '';
  return {
    ...{ issuer: text('iss'), subject: text('sub'), role: role ?? null, username },
    email: claims['email_verified'] === true && isEmail(email) ? email : null,
    firstname: (text('given_name') || username).slice(0, LONGEST_NAME),
    lastname: text('family_name').slice(0, LONGEST_NAME),
    authenticatedAt: typeof claims['auth_time'] === 'number' ? new Date(claims['auth_time'] * 1000) : null,
  };
}
