import { type Maker, makerText } from '../../../kernel/maker.js';

/** A person under an account (reference/accounts#people). Who logs in as one acts for the account. */
export interface AssignedUser {
  /** above every account's id: `sub` of a token names either */
  id: number;
  accountId: number;
  username: string;
  email: string | null;
  firstname: string;
  lastname: string;
  isActive: boolean;
  /** whole seconds: a token issued before it is refused */
  passwordChangedAt: Date;
}

/** A new assigned user, checked and normalised. */
export interface NewAssignedUser {
  accountId: number;
  username: string;
  passwordHash: string;
  firstname: string;
  lastname: string;
  email: string | null;
  /** who made it (`kernel/maker.ts`) */
  createdBy?: string;
}

/** Ids of accounts have 32 bits; those of assigned users are made by the clock and lie far above. */
const LAST_ACCOUNT_ID = 0xffff_ffff;

/**
 * Reads `sub` of a token.
 * @returns the id of an assigned user, or null when it names the account, or no one
 */
export function assignedUserIdOf(sub: unknown): number | null {
  if (typeof sub !== 'string' || !/^\d{10,16}$/.test(sub)) return null;
  const id = Number(sub);
  return id > LAST_ACCOUNT_ID && Number.isSafeInteger(id) ? id : null;
}

/** Permissions a new account has (reference/accounts#starting-state). */
const ENABLED = [
  'report_access',
  'broadcast_via_master_reseller',
  'read_status_broadcast',
  'voice_credits_access',
  'client_management',
  'invoice',
  'support',
  'reseller_settings',
] as const;

/** Permissions a new account lacks (reference/accounts#starting-state: every one not named enabled is off). */
const DISABLED = ['sms_credits', 'chat_credits', 'rcs', 'gsm', 'telegram', 'instagram'] as const;

export const PERMISSIONS = [...ENABLED, ...DISABLED] as const;

export type Permission = (typeof PERMISSIONS)[number];

/**
 * What an account may do. They never gate a sending route (the balance does); `client_management` and
 * `reseller_settings` are enforced on the admin routes (reference/accounts#permissions).
 */
export type Permissions = Record<Permission, boolean>;

/** The default permission set of every new account. */
export function defaultPermissions(): Permissions {
  return readPermissions(Object.fromEntries(ENABLED.map((name) => [name, true])));
}

/** Stored permissions, with every name present; what is unknown or no boolean counts as off. */
export function readPermissions(stored: Record<string, unknown>): Permissions {
  return Object.fromEntries(PERMISSIONS.map((name) => [name, stored[name] === true])) as Permissions;
}

export const isPermission = (name: string): name is Permission => (PERMISSIONS as readonly string[]).includes(name);

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

/** Who acts, as far as it is kept with what is made. */
type Acting = Pick<Account, 'id' | 'username' | 'assignedUser' | 'apiKey'>;

/**
 * Who makes something: the person or the key where one acts, else the account.
 * @param accountId whose thing it is; of another account than the acting one it is made by staff
 */
export function makerOf(actor: Acting, accountId: number = actor.id): Maker {
  const { assignedUser, apiKey } = actor;
  if (accountId !== actor.id) return { kind: 'staff', ...(assignedUser ? named(assignedUser) : named(actor)) };
  if (assignedUser) return { kind: 'person', ...named(assignedUser) };
  if (apiKey) return { kind: 'key', id: apiKey.id, name: apiKey.name ?? apiKey.prefix };
  return { kind: 'account', ...named(actor) };
}

/** The same as a `created_by` column keeps it. */
export const createdBy = (actor: Acting, accountId?: number): string => makerText(makerOf(actor, accountId));

const named = ({ id, username }: { id: number; username: string }): Pick<Maker, 'id' | 'name'> => ({
  id,
  name: username,
});
