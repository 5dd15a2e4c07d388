import { accountErrors } from './account.errors.js';
import type { Account } from './account.js';
import { assertNotClosedByStaff } from './staff-settings.js';

/** Who acts and on whom, as far as the rules need it. */
type Person = Pick<Account, 'id' | 'userType' | 'parentId'>;
type Manager = Pick<Account, 'id' | 'username' | 'userType' | 'permissions'>;

/** Fields whose change also needs `reseller_settings` (reference/accounts#permissions). */
export const SETTINGS = [
  'requireToken',
  'requireSender',
  'refundFailed',
  'publicLookup',
  'timeZone',
  'numberCheck',
  'permissions',
] as const;

/** Super, admin and reseller: who manages accounts, and can be the parent of one. */
export const isStaff = (userType: string | null): boolean =>
  userType === 'super' || userType === 'admin' || userType === 'reseller';

/** API keys and assigned users are the account's own business, not that of the people under it. */
export function assertOwner(actor: Pick<Account, 'assignedUser'>): void {
  if (actor.assignedUser) throw accountErrors.permissionDenied();
}

/**
 * Managing accounts, or the people under one's own, needs `client_management`; super needs no permission, so that
 * no change can lock every account out.
 */
export function assertManager(actor: Manager): void {
  if (actor.userType !== 'super' && !actor.permissions.client_management) throw accountErrors.permissionDenied();
}

/** Who manages the people under an account: the account itself, while it has `client_management`. */
export function assertUserManager(actor: Manager & Pick<Account, 'assignedUser'>): void {
  assertOwner(actor);
  assertManager(actor);
}

/** A reseller sees only its own clients: another's account does not exist for it (404). */
export function assertMaySee(actor: Manager, target: Person): void {
  if (actor.userType === 'reseller' && target.parentId !== actor.id) throw accountErrors.notFound();
}

/**
 * Only super changes super, admin and reseller accounts, their credits included. A reseller changes nothing of a client
 * that staff closed.
 */
export function assertMayChange(actor: Manager, target: Person & Pick<Account, 'setByStaff'>): void {
  assertMaySee(actor, target);
  assertNotClosedByStaff(actor, target);
  if (actor.userType !== 'super' && isStaff(target.userType)) throw accountErrors.forbidden();
}

/**
 * A stolen token must not be enough to take an account of staff over, to shut one out, or to make one that then does so.
 * @param target null = an account that is made
 * @param becomes its user_type afterwards, where it is given
 */
export const needsPassword = (target: Pick<Account, 'userType'> | null, becomes?: string): boolean =>
  isStaff(target?.userType ?? null) || isStaff(becomes ?? null);

/** Settings of a client need `reseller_settings` as well. */
export function assertMayChangeSettings(actor: Manager): void {
  if (actor.userType !== 'super' && !actor.permissions.reseller_settings) throw accountErrors.permissionDenied();
}

/** What a client pays a segment, and over which carriers it sends, is the house's to say: a reseller sells credits. */
export function assertOfHouse(actor: Pick<Account, 'userType'>): void {
  if (actor.userType === 'reseller') throw accountErrors.forbidden();
}

/** Only super makes staff, by creation or promotion; no account changes its own user_type. */
export function assertMaySetUserType(actor: Manager, target: Person | null, userType: string): void {
  if (target?.userType === userType) return;
  if (actor.userType !== 'super' && isStaff(userType)) throw accountErrors.forbidden();
  if (target?.id === actor.id) throw accountErrors.forbidden();
}

/** A reseller's accounts stay its own clients. @param parentUsername null = none */
export function assertMaySetParent(actor: Manager, parentUsername: string | null): void {
  if (actor.userType === 'reseller' && parentUsername !== actor.username) throw accountErrors.forbidden();
}
