import { fieldErrors } from '../../../kernel/errors.js';
import { readMaker } from '../../../kernel/maker.js';
import { accountErrors } from './account.errors.js';
import { type Account, createdBy, isPermission } from './account.js';

/** Fields that staff set, by API name, and the expiry limit. */
export interface StaffSettings {
  /** such as `permissions.gsm`; `is_active` = staff closed the account; `expires_at` = staff set an expiry */
  setByStaff: readonly string[];
  staffExpiresAt: Date | null;
}

/** Only staff set these, whatever their current value. */
const STAFF_ONLY = /^(require|refund)_/;

/** Resellers can never change these, so they are not recorded. */
const NEVER_A_RESELLERS = new Set(['parent_username', 'rate_plan', 'allowed_routes']);

/** Fields that staff can release, besides `permissions.<name>`. */
const RELEASABLE = [
  'is_active',
  'expires_at',
  'public_lookup',
  'time_zone',
  'number_check',
  'country',
  'strict_numbers',
  'password',
  'user_type',
];
const PERMISSION = /^permissions\.(\w+)$/;
export const RELEASABLE_FIELDS = [...RELEASABLE, 'permissions.<name>'].join(', ');

/** @throws AppError 400 `released_fields must be one of: …` */
export function assertReleasable(fields: readonly string[]): void {
  const isField = (field: string) => RELEASABLE.includes(field) || isPermission(PERMISSION.exec(field)?.[1] ?? '');
  if (!fields.every(isField)) throw fieldErrors.noWord('released_fields', RELEASABLE_FIELDS);
}

const isReseller = (actor: Pick<Account, 'userType'>): boolean => actor.userType === 'reseller';

/** @throws AppError forbidden `Account was closed by staff` for every change by a reseller */
function assertNotClosedByStaff(
  actor: Pick<Account, 'userType'>,
  { setByStaff }: Pick<StaffSettings, 'setByStaff'>,
): void {
  if (isReseller(actor) && setByStaff.includes('is_active')) throw accountErrors.closedByStaff();
}

/**
 * Only staff change what staff set, except that a reseller may shorten the expiry. `fields`: API names; `expiresAt` undefined =
 * unchanged. @throws AppError forbidden for the first forbidden field
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

/** Checks an owner's change of an own setting. @throws AppError forbidden when staff set it */
export function assertOwnSetting({ setByStaff }: Pick<StaffSettings, 'setByStaff'>, field: string): void {
  if (setByStaff.includes(field)) throw accountErrors.setByStaff(field);
}

/** Returns the staff settings after a change: `fields` (API names) that staff set are kept until `released`. */
export function staffSettingsAfter(
  actor: Pick<Account, 'userType'>,
  before: StaffSettings,
  fields: readonly string[],
  after: { isActive: boolean; expiresAt: Date | null },
  released: readonly string[] = [],
): StaffSettings {
  // `before` may be a whole row, and callers merge the result
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

type Person = Pick<Account, 'id' | 'userType' | 'parentId'>;
type Manager = Pick<Account, 'id' | 'username' | 'userType' | 'permissions'>;

/** Fields whose change also requires `reseller_settings` (reference/accounts#permissions). */
export const SETTINGS = [
  'requireToken',
  'requireSender',
  'refundFailed',
  'refundRefused',
  'publicLookup',
  'timeZone',
  'numberCheck',
  'country',
  'strictNumbers',
  'permissions',
] as const;

/** True for types that manage accounts and can be a parent. */
export const isStaff = (userType: string | null): boolean =>
  userType === 'super' || userType === 'admin' || userType === 'reseller';

/** True for staff of the operator; resellers are customers. */
export const isOfOperator = (userType: string | null): boolean => userType === 'super' || userType === 'admin';

/** `REQUIRE_SECOND_FACTOR`: whose logins must have a second factor; `staff` are those of the operator. */
export type FactorRule = 'staff' | 'all' | 'off';

export const mustHaveSecondFactor = (rule: FactorRule, { userType }: Pick<Account, 'userType'>): boolean =>
  rule === 'all' || (rule === 'staff' && isOfOperator(userType));

/** Requires `client_management`, except for super, so that no change can lock everyone out. */
export function assertManager(actor: Manager): void {
  if (actor.userType !== 'super' && !actor.permissions.client_management) throw accountErrors.permissionDenied();
}

/** Hides accounts other than a reseller's own clients (404). */
export function assertMaySee(actor: Manager, target: Person): void {
  if (actor.userType === 'reseller' && target.parentId !== actor.id) throw accountErrors.notFound();
}

/** Only super changes super, admin and reseller accounts and their credits; resellers cannot change clients closed by staff. */
export function assertMayChange(actor: Manager, target: Person & Pick<Account, 'setByStaff'>): void {
  assertMaySee(actor, target);
  assertNotClosedByStaff(actor, target);
  if (actor.userType !== 'super' && isStaff(target.userType)) throw accountErrors.forbidden();
}

/** Requires a password for staff accounts (`target` null = new), because a stolen token must not suffice to take one over. */
export const needsPassword = (target: Pick<Account, 'userType'> | null, becomes?: string): boolean =>
  isStaff(target?.userType ?? null) || isStaff(becomes ?? null);

/** Requires `reseller_settings` in addition for a client's settings. */
export function assertMayChangeSettings(actor: Manager): void {
  if (actor.userType !== 'super' && !actor.permissions.reseller_settings) throw accountErrors.permissionDenied();
}

/** Prices and routes are set by staff, because a reseller sells credits only. */
export function assertOfHouse(actor: Pick<Account, 'userType'>): void {
  if (actor.userType === 'reseller') throw accountErrors.forbidden();
}

/** Only super creates or promotes staff; no account changes its own user_type. */
export function assertMaySetUserType(actor: Manager, target: Person | null, userType: string): void {
  if (target?.userType === userType) return;
  if (actor.userType !== 'super' && isStaff(userType)) throw accountErrors.forbidden();
  if (target?.id === actor.id) throw accountErrors.forbidden();
}

/** A reseller's accounts stay its own clients. */
export function assertMaySetParent(actor: Manager, parentUsername: string | null): void {
  if (actor.userType === 'reseller' && parentUsername !== actor.username) throw accountErrors.forbidden();
}

/** The givers of rights and password (reference/accounts#makers). */
interface Givers {
  createdBy: string | null;
  passwordSetBy: string | null;
  passwordSetAt: Date | null;
}

/** A promotion to staff makes the actor the maker; a former staff maker stays the setter of the first password. */
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
