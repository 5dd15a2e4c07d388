import { readMaker } from '../../../kernel/maker.js';
import type { Account } from './account.js';
import { isStaff } from './account-policy.js';
import { createdBy } from './maker.js';

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
