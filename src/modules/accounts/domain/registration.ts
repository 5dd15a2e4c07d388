import type { Permissions } from './permissions.js';

/** Credits a new account starts with (reference/accounts#starting-state). */
export const STARTING_CREDITS = { chat_marketing_credits: 10, chat_utility_credits: 10, voice_credits: 10 } as const;

/** Name of the team every account gets. */
export const DEFAULT_TEAM = 'Default';

/** A new account, checked and normalised: what `AccountRegistrar.create` takes. */
export interface NewAccount {
  /** `^[A-Za-z0-9._-]{3,64}$`, trimmed */
  username: string;
  /** made by PasswordHasher before the transaction begins: it takes long */
  passwordHash: string;
  firstname: string;
  lastname: string;
  /** lower case */
  email?: string | null;
  /** digits */
  mobileNo?: string | null;
  country?: string | null;
  /** default `client` */
  userType?: string | null;
  parentId?: number | null;
  /** default true */
  isActive?: boolean;
  expiresAt?: Date | null;
  /** IANA name; absent = APP_TIME_ZONE */
  timeZone?: string | null;
  /** who made it and set its password (`kernel/maker.ts`); default: it registered itself */
  createdBy?: string | null;
  /** what staff chose when they made it (reference/accounts#set-by-staff); default: nothing */
  setByStaff?: readonly string[];
  staffExpiresAt?: Date | null;
  /** default: the set of reference/accounts#starting-state */
  permissions?: Permissions;
  /** by balance; default: `STARTING_CREDITS` */
  startingCredits?: Partial<Record<string, number>>;
}
