import { digitsOf } from '../../../kernel/contacts.js';

/** Names unique over all accounts, in validation order (reference/authentication#registration). */
export const IDENTITY_KINDS = ['email', 'username', 'mobile'] as const;

export type IdentityKind = (typeof IDENTITY_KINDS)[number];

export interface Identity {
  kind: IdentityKind;
  value: string;
}

const USERNAME = /^[A-Za-z0-9._-]{3,64}$/;
const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Excludes @, which login reads as an e-mail (reference/authentication#registration). Expects trimmed text. */
export const isUsername = (text: string): boolean => USERNAME.test(text);

/** True for an address with a domain, up to 254 characters. Expects trimmed text. */
export const isEmail = (text: string): boolean => text.length <= 254 && EMAIL.test(text);

/** True for text with @ and a domain (reference/authentication#login). A single regex takes seconds for 64 KB of dots. */
export function looksLikeEmail(text: string): boolean {
  const domain = /@([^@\s]+)$/.exec(text.trim())?.[1] ?? '';
  return domain.slice(1, -1).includes('.');
}

export const normalEmail = (text: string): string => text.trim().toLowerCase();

/** Returns the digits of a mobile number; null for none or too many. */
export function normalMobile(text: string): string | null {
  const digits = digitsOf(text);
  return digits.length > 0 && digits.length <= 30 ? digits : null;
}

/** Returns the names of an account; usernames are unique regardless of case (reference/authentication#usernames). */
export function identitiesOf(account: { username: string; email: string | null; mobileNo: string | null }): Identity[] {
  const identities: Identity[] = [];
  if (account.email !== null) identities.push({ kind: 'email', value: account.email });
  identities.push({ kind: 'username', value: account.username.toLowerCase() });
  if (account.mobileNo !== null) identities.push({ kind: 'mobile', value: account.mobileNo });
  return identities;
}
