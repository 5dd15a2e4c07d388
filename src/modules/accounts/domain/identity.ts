import { digitsOf } from '../../../kernel/contacts.js';

/**
 * Names an account can be known by; each is unique over all accounts, in this order of judgement
 * (reference/authentication#registration).
 */
export const IDENTITY_KINDS = ['email', 'username', 'mobile'] as const;

export type IdentityKind = (typeof IDENTITY_KINDS)[number];

/** One row of `login_identities`. */
export interface Identity {
  kind: IdentityKind;
  value: string;
}

const USERNAME = /^[A-Za-z0-9._-]{3,64}$/;
const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * Usernames have no @, else login would take them for an e-mail (reference/authentication#registration). Expects
 * trimmed text.
 */
export const isUsername = (text: string): boolean => USERNAME.test(text);

/** A plain address with a domain, at most 254 characters. Expects trimmed text. */
export const isEmail = (text: string): boolean => text.length <= 254 && EMAIL.test(text);

/**
 * How login tells an e-mail from a username: it contains @ and a domain (reference/authentication#login). The text is a stranger's:
 * one expression for all of it, dot included, takes seconds for 64 KB of dots.
 */
export function looksLikeEmail(text: string): boolean {
  const domain = /@([^@\s]+)$/.exec(text.trim())?.[1] ?? '';
  return domain.slice(1, -1).includes('.');
}

/** Stored and compared in lower case. */
export const normalEmail = (text: string): string => text.trim().toLowerCase();

/** Digits of a mobile number, or null when there are none or more than a number can have. */
export function normalMobile(text: string): string | null {
  const digits = digitsOf(text);
  return digits.length > 0 && digits.length <= 30 ? digits : null;
}

/** The rows an account holds; uniqueness of usernames ignores case (reference/authentication#usernames). */
export function identitiesOf(account: { username: string; email: string | null; mobileNo: string | null }): Identity[] {
  const identities: Identity[] = [];
  if (account.email !== null) identities.push({ kind: 'email', value: account.email });
  identities.push({ kind: 'username', value: account.username.toLowerCase() });
  if (account.mobileNo !== null) identities.push({ kind: 'mobile', value: account.mobileNo });
  return identities;
}
