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
