import type { AssignedUser } from './assigned-user.js';
import type { Permissions } from './permissions.js';

export const USER_TYPES = ['super', 'admin', 'reseller', 'client'] as const;

export type UserType = (typeof USER_TYPES)[number];

/** What an account may reach: `super` and `admin` the admin API (resellers a part of it), `user` its own things. */
export type Role = 'super' | 'admin' | 'user';

export const NUMBER_CHECKS = ['refuse', 'warn', 'off'] as const;

/** What becomes of a number that no numbering plan has (reference/numbers#checks). */
export type NumberCheckMode = (typeof NUMBER_CHECKS)[number];

/** What the owner of an account chose about those who come without its token (reference/accounts#security). */
export interface OwnSecurity {
  /** a username in the body does not send */
  requireToken: boolean;
  /** reports and templates need the account's token */
  protectReports: boolean;
  /** canonical addresses and ranges from which alone a username in the body sends; [] = from anywhere */
  bodyUsernameAddresses: readonly string[];
  /** null = the owner has not chosen yet */
  chosenAt: Date | null;
}

/** An account as every other module sees it; it carries no secret. */
export interface Account {
  id: number;
  username: string;
  email: string | null;
  mobileNo: string | null;
  firstname: string;
  lastname: string;
  /** super, admin, reseller, client, or whatever an imported account had */
  userType: string | null;
  parentId: number | null;
  isActive: boolean;
  /** the last usable moment; null = never expires */
  expiresAt: Date | null;
  /** IANA name, resolved: the account's own or APP_TIME_ZONE */
  timeZone: string;
  /** closes the routes that need no token (reference/authentication#open-routes) */
  requireToken: boolean;
  security: OwnSecurity;
  /** calls must name one of the account's approved sender ids (reference/sender-ids#callers) */
  requireSender: boolean;
  /** carrier failures are refunded too (reference/credits#refunds) */
  refundFailed: boolean;
  publicLookup: boolean;
  /** names of the only routes that it may use (reference/routing#allowed-routes); null = all */
  allowedRoutes: readonly string[] | null;
  numberCheck: NumberCheckMode;
  permissions: Permissions;
  /** fields that staff set and that only staff change (reference/accounts#set-by-staff) */
  setByStaff: readonly string[];
  /** whole seconds: a token issued before it is refused */
  passwordChangedAt: Date;
  apiBaseUrl: string | null;
  /** the person who acts for the account; absent: the account itself */
  assignedUser?: AssignedUser;
  /** the key by which the account acts; absent: no key */
  apiKey?: { id: number; name: string | null; prefix: string };
}

/**
 * Role of a user_type (reference/accounts#roles): `super` → super; `admin` and `reseller` → admin; anything else →
 * user.
 */
export function roleOf(userType: string | null): Role {
  if (userType === 'super') return 'super';
  return userType === 'admin' || userType === 'reseller' ? 'admin' : 'user';
}

/** True when the account is past its last usable moment. */
export const isExpired = (account: Pick<Account, 'expiresAt'>, at: Date): boolean =>
  account.expiresAt !== null && account.expiresAt.getTime() < at.getTime();

/** True for an active, unexpired account. */
export const isUsable = (account: Pick<Account, 'isActive' | 'expiresAt'>, at: Date): boolean =>
  account.isActive && !isExpired(account, at);

/** First and last name joined and trimmed (`name` of reference/accounts#account-fields). */
export const displayName = (account: Pick<Account, 'firstname' | 'lastname'>): string =>
  `${account.firstname} ${account.lastname}`.trim();

/** Whether a username in the body never sends: staff or the owner closed that. */
export const needsToken = ({ requireToken, security }: Pick<Account, 'requireToken' | 'security'>): boolean =>
  requireToken || security.requireToken;

/** Whether the endpoints that need no token show nothing of the account. */
export const isClosedToOthers = (account: Pick<Account, 'requireToken' | 'security'>): boolean =>
  needsToken(account) || account.security.protectReports;
