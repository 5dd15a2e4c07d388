import { type Maker, makerText } from '../../../kernel/maker.js';
import type { GuardTerms } from './guard-terms.js';
import type { PersonRole, Scope } from './rights.js';

/** A key that acts for the account. */
export interface ActingKey {
  id: number;
  name: string | null;
  prefix: string;
  /** what it sends never leaves and costs nothing */
  isTest: boolean;
  /** null = every right */
  scopes: readonly Scope[] | null;
  /** requests in 24 hours; null = no limit */
  maxPerDay: number | null;
}

/** The login session of a token. */
export interface ActingSession {
  id: number;
  /** when password or factor were shown last; epoch milliseconds */
  confirmedAt: number;
  /** the login must have a second factor and has none: it may only set one up */
  isLimited: boolean;
  /** an identity provider vouched for the login, which has no password here */
  isByProvider: boolean;
}

/** A person who logs in and acts for the account (reference/accounts#people). */
export interface AssignedUser {
  /** above all account ids, because a token's `sub` can be either */
  id: number;
  accountId: number;
  username: string;
  email: string | null;
  firstname: string;
  lastname: string;
  isActive: boolean;
  role: PersonRole;
  hasSecondFactor: boolean;
  /** whole seconds: refuses older tokens */
  passwordChangedAt: Date;
}

/** The login that acts: of the person, else of the account itself. */
export const loginOf = (account: Account): Account | AssignedUser => account.assignedUser ?? account;

export interface NewAssignedUser {
  accountId: number;
  username: string;
  passwordHash: string;
  firstname: string;
  lastname: string;
  email: string | null;
  role?: PersonRole;
  createdBy?: string;
  /** true: has no password yet and cannot log in */
  isInvited?: boolean;
}

/** Account ids have 32 bits; assigned users' ids are clock-based and far larger. */
const LAST_ACCOUNT_ID = 0xffff_ffff;

/** Parses a token's `sub`. Returns an assigned user's id, else null. */
export function assignedUserIdOf(sub: unknown): number | null {
  if (typeof sub !== 'string' || !/^\d{10,16}$/.test(sub)) return null;
  const id = Number(sub);
  return id > LAST_ACCOUNT_ID && Number.isSafeInteger(id) ? id : null;
}

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

const DISABLED = ['sms_credits', 'chat_credits', 'rcs', 'gsm', 'telegram', 'instagram'] as const;

export const PERMISSIONS = [...ENABLED, ...DISABLED] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** Permissions never gate sending; two of them gate admin routes (reference/accounts#permissions). */
export type Permissions = Record<Permission, boolean>;

/** Returns the permissions of a new account (reference/accounts#starting-state). */
export function defaultPermissions(): Permissions {
  return readPermissions(Object.fromEntries(ENABLED.map((name) => [name, true])));
}

/** Completes stored permissions; unknown or invalid values count as off. */
export function readPermissions(stored: Record<string, unknown>): Permissions {
  return Object.fromEntries(PERMISSIONS.map((name) => [name, stored[name] === true])) as Permissions;
}

export const isPermission = (name: string): name is Permission => (PERMISSIONS as readonly string[]).includes(name);

export const USER_TYPES = ['super', 'admin', 'reseller', 'client'] as const;

export type UserType = (typeof USER_TYPES)[number];

/** `super` and `admin` reach the admin API (resellers a part of it), `user` only its own data. */
export type Role = 'super' | 'admin' | 'user';

export const NUMBER_CHECKS = ['refuse', 'warn', 'off'] as const;

/** Treatment of numbers outside all numbering plans (reference/numbers#checks). */
export type NumberCheckMode = (typeof NUMBER_CHECKS)[number];

/** The owner's rules for requests without a token (reference/accounts#security). */
export interface OwnSecurity {
  requireToken: boolean;
  protectReports: boolean;
  /** ranges from which a username in the body may send; [] = anywhere */
  bodyUsernameAddresses: readonly string[];
  /** null = not chosen yet */
  chosenAt: Date | null;
}

/** An account without secrets, as other modules use it. */
export interface Account {
  id: number;
  username: string;
  email: string | null;
  mobileNo: string | null;
  firstname: string;
  lastname: string;
  /** may also be an imported value */
  userType: string | null;
  parentId: number | null;
  isActive: boolean;
  /** null = never */
  expiresAt: Date | null;
  /** IANA name: the account's own, else APP_TIME_ZONE */
  timeZone: string;
  /** closes routes without a token (reference/authentication#open-routes) */
  requireToken: boolean;
  security: OwnSecurity;
  /** calls require an approved sender id (reference/sender-ids#callers) */
  requireSender: boolean;
  /** carrier failures are refunded too (reference/credits#refunds) */
  refundFailed: boolean;
  refundRefused: boolean;
  publicLookup: boolean;
  /** names; null = all (reference/routing#allowed-routes) */
  allowedRoutes: readonly string[] | null;
  numberCheck: NumberCheckMode;
  /** ISO 3166 code by which national numbers are read (reference/numbers#country); null = not known */
  country: string | null;
  countryChosen: boolean;
  /** false: `timeZone` is that of the installation */
  timeZoneChosen: boolean;
  /** the specified endpoints refuse what the strict reader refuses (reference/numbers#specified-endpoints) */
  strictNumbers: boolean;
  permissions: Permissions;
  /** null = nothing is checked */
  guard: GuardTerms | null;
  /** fields that only staff change (reference/accounts#set-by-staff) */
  setByStaff: readonly string[];
  /** of the account's own login */
  hasSecondFactor: boolean;
  /** registered, and has not yet proved its telephone number or e-mail address: it may only read */
  proofDue: boolean;
  passwordChangedAt: Date;
  apiBaseUrl: string | null;
  /** absent = the account itself acts */
  assignedUser?: AssignedUser;
  /** absent = no key */
  apiKey?: ActingKey;
  /** the service goes on with what a test key began */
  goesOnTesting?: true;
  /** absent = a key, no proof, or a token from before there were sessions */
  session?: ActingSession;
}

/** Maps a user_type to a role (reference/accounts#roles): super → super; admin, reseller → admin; else user. */
export function roleOf(userType: string | null): Role {
  if (userType === 'super') return 'super';
  return userType === 'admin' || userType === 'reseller' ? 'admin' : 'user';
}

export const isExpired = (account: Pick<Account, 'expiresAt'>, at: Date): boolean =>
  account.expiresAt !== null && account.expiresAt.getTime() < at.getTime();

/** True for an active, unexpired account. */
export const isUsable = (account: Pick<Account, 'isActive' | 'expiresAt'>, at: Date): boolean =>
  account.isActive && !isExpired(account, at);

/** Joins and trims the names (`name` of reference/accounts#account-fields). */
export const displayName = (account: Pick<Account, 'firstname' | 'lastname'>): string =>
  `${account.firstname} ${account.lastname}`.trim();

/** True if a username in the body never sends, by staff's or the owner's choice. */
export const needsToken = ({ requireToken, security }: Pick<Account, 'requireToken' | 'security'>): boolean =>
  requireToken || security.requireToken;

/** True if open endpoints reveal nothing about the account. */
export const isClosedToOthers = (account: Pick<Account, 'requireToken' | 'security'>): boolean =>
  needsToken(account) || account.security.protectReports;

type Acting = Pick<Account, 'id' | 'username' | 'assignedUser' | 'apiKey'>;

/** Returns the acting person or key, else the account. A foreign `accountId` makes the maker staff. */
function makerOf(actor: Acting, accountId: number = actor.id): Maker {
  const { assignedUser, apiKey } = actor;
  if (accountId !== actor.id) return { kind: 'staff', ...(assignedUser ? named(assignedUser) : named(actor)) };
  if (assignedUser) return { kind: 'person', ...named(assignedUser) };
  if (apiKey) return { kind: 'key', id: apiKey.id, name: apiKey.name ?? apiKey.prefix };
  return { kind: 'account', ...named(actor) };
}

/** `makerOf` in the format of `created_by` columns. */
export const createdBy = (actor: Acting, accountId?: number): string => makerText(makerOf(actor, accountId));

/** The paying account of a send, and who makes it. */
export interface Sender {
  accountId: number;
  /** IANA zone of the request id, and of a `schedule_time` without an offset */
  timeZone: string;
  createdBy: string;
  /** with a test key: nothing leaves, nothing is charged */
  isTest: boolean;
}

export const isTesting = ({ apiKey, goesOnTesting }: Pick<Account, 'apiKey' | 'goesOnTesting'>): boolean =>
  goesOnTesting ?? apiKey?.isTest ?? false;

export const senderOf = (account: Account): Sender => ({
  accountId: account.id,
  timeZone: account.timeZone,
  createdBy: createdBy(account),
  isTest: isTesting(account),
});

const named = ({ id, username }: { id: number; username: string }): Pick<Maker, 'id' | 'name'> => ({
  id,
  name: username,
});
