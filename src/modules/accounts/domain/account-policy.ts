import { fieldErrors } from '../../../kernel/errors.js';
import { readMaker } from '../../../kernel/maker.js';
import { accountErrors } from './account.errors.js';
import { type Account, createdBy, isPermission } from './account.js';

/** Which fields staff set on an account, by the names of the API, and how long it lasts at most. */
export interface StaffSettings {
  /** such as `time_zone` or `permissions.gsm`; `is_active` = staff closed it; `expires_at` = staff set an expiry */
  setByStaff: readonly string[];
  /** the expiry that staff set; null = none */
  staffExpiresAt: Date | null;
}

/** Only staff of the house set these, whatever the account has now. */
const STAFF_ONLY = /^(require|refund)_/;

/** A reseller cannot change these at all, so nothing is kept about them. */
const NEVER_A_RESELLERS = new Set(['parent_username', 'rate_plan', 'allowed_routes']);

/** What staff can give back to a reseller: a permission is written as `permissions.gsm`. */
const RELEASABLE = ['is_active', 'expires_at', 'public_lookup', 'time_zone', 'number_check', 'password', 'user_type'];
const PERMISSION = /^permissions\.(\w+)$/;
export const RELEASABLE_FIELDS = [...RELEASABLE, 'permissions.<name>'].join(', ');

/** @throws AppError 400 `released_fields must be one of: …` for a name that no field has */
export function assertReleasable(fields: readonly string[]): void {
  const isField = (field: string) => RELEASABLE.includes(field) || isPermission(PERMISSION.exec(field)?.[1] ?? '');
  if (!fields.every(isField)) throw fieldErrors.noWord('released_fields', RELEASABLE_FIELDS);
}

const isReseller = (actor: Pick<Account, 'userType'>): boolean => actor.userType === 'reseller';

/**
 * Staff closed the account: a reseller changes nothing of it, by no endpoint.
 * @throws AppError forbidden `Account was closed by staff`
 */
function assertNotClosedByStaff(
  actor: Pick<Account, 'userType'>,
  { setByStaff }: Pick<StaffSettings, 'setByStaff'>,
): void {
  if (isReseller(actor) && setByStaff.includes('is_active')) throw accountErrors.closedByStaff();
}

/**
 * What staff set, only staff change. A reseller may let the account end earlier than staff do, not later.
 * @param fields what the reseller changes, by the names of the API
 * @param expiresAt the new expiry; undefined = it stays
 * @throws AppError forbidden, naming the first field at fault
 */
export function assertNotStaffs(
  actor: Pick<Account, 'userType'>,
  target: StaffSettings,
  fields: readonly string[],
  expiresAt: Date | null | undefined,
): void {
  if (!isReseller(actor)) return;
  for (const field of fields) {
    if (STAFF_ONLY.test(field)) throw accountErrors.staffOnly(field);
    if (field !== 'expires_at' && target.setByStaff.includes(field)) throw accountErrors.setByStaff(field);
  }
  if (expiresAt !== undefined && isLater(expiresAt, target.staffExpiresAt))
    throw accountErrors.setByStaff('expires_at');
}

/**
 * The owner of an account changes a setting of its own.
 * @throws AppError forbidden when staff set it
 */
export function assertOwnSetting({ setByStaff }: Pick<StaffSettings, 'setByStaff'>, field: string): void {
  if (setByStaff.includes(field)) throw accountErrors.setByStaff(field);
}

/**
 * What is kept after a change: what staff set is theirs, until they give it back.
 * @param fields what was changed, by the names of the API
 * @param after the row's values afterwards
 * @param released what staff give back to the reseller
 */
export function staffSettingsAfter(
  actor: Pick<Account, 'userType'>,
  before: StaffSettings,
  fields: readonly string[],
  after: { isActive: boolean; expiresAt: Date | null },
  released: readonly string[] = [],
): StaffSettings {
  // `before` may be a whole row, and a caller merges what this returns
  if (isReseller(actor)) return { setByStaff: before.setByStaff, staffExpiresAt: before.staffExpiresAt };
  const kept = new Set(before.setByStaff);
  for (const field of fields) if (!STAFF_ONLY.test(field) && !NEVER_A_RESELLERS.has(field)) kept.add(field);
  for (const field of released) kept.delete(field);
  if (after.isActive) kept.delete('is_active');
  const staffExpiresAt = fields.includes('expires_at') ? after.expiresAt : before.staffExpiresAt;
  if (staffExpiresAt === null) kept.delete('expires_at');
  return { setByStaff: [...kept].sort(), staffExpiresAt: kept.has('expires_at') ? staffExpiresAt : null };
}

const isLater = (at: Date | null, bound: Date | null): boolean =>
  bound !== null && (at === null || at.getTime() > bound.getTime());

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

/** Who gave an account its rights and its password (reference/accounts#makers). */
interface Givers {
  createdBy: string | null;
  passwordSetBy: string | null;
  passwordSetAt: Date | null;
}

/**
 * What is kept of who gives an account rights or a password. Who makes it one of staff is its maker from then on; who made
 * it before has chosen its first password, and counts as who set it unless another person has set one.
 * @param change the new user_type, where one is given, and when a new password is set
 */
export function giversAfter(
  actor: Account,
  row: Givers & { id: number; userType: string | null; createdAt: Date },
  change: { userType: string | null | undefined; passwordAt: Date | null },
): Partial<Givers> {
  const after: Partial<Givers> = {};
  const { userType, passwordAt } = change;
  if (isStaff(userType ?? null) && userType !== row.userType) {
    after.createdBy = createdBy(actor, row.id);
    if (row.passwordSetBy === null && readMaker(row.createdBy)?.kind === 'staff')
      Object.assign(after, { passwordSetBy: row.createdBy, passwordSetAt: row.createdAt });
  }
  if (passwordAt !== null && actor.id !== row.id)
    Object.assign(after, { passwordSetBy: createdBy(actor, row.id), passwordSetAt: passwordAt });
  return after;
}
