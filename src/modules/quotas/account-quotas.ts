import type { EntityManager, EntityTarget } from 'typeorm';
import type { AppError } from '../../kernel/app-error.js';

/** What an account may have only so many of. */
export type QuotaKind =
  | 'templates'
  | 'profile_requests'
  | 'api_keys'
  | 'users'
  | 'suppressions'
  | 'routing_tables'
  | 'sender_ids'
  | 'uploads'
  | 'lists';

/**
 * Lets those who add to one kind of an account's things pass one after another, until the transaction ends.
 * @returns how many were noted by `noteUsed`
 */
export async function takeTurn(tx: EntityManager, accountId: number, kind: QuotaKind): Promise<number> {
  await tx.query(
    `INSERT INTO account_quotas (account_id, kind, used, additions) VALUES (?, ?, 0, 1)
     ON DUPLICATE KEY UPDATE additions = additions + 1`,
    [accountId, kind],
  );
  const [row] = await tx.query<{ used: number }[]>(
    'SELECT used FROM account_quotas WHERE account_id = ? AND kind = ?',
    [accountId, kind],
  );
  return row?.used ?? 0;
}

/** Keeps the number of a kind that is not counted row by row. The caller holds the quota's row. */
export async function noteUsed(tx: EntityManager, accountId: number, kind: QuotaKind, used: number): Promise<void> {
  await tx.query('UPDATE account_quotas SET used = ? WHERE account_id = ? AND kind = ?', [used, accountId, kind]);
}

/**
 * To be called after the insertion, in its transaction: counts what the account has now.
 * @param things of a kind of which an account has thousands at the most
 * @throws what `refuse` makes, when there are more than `most`
 */
export async function assertWithin(
  tx: EntityManager,
  quota: { accountId: number; kind: QuotaKind; most: number },
  things: EntityTarget<{ accountId: number }>,
  refuse: (most: number) => AppError,
): Promise<void> {
  const { accountId, kind, most } = quota;
  await takeTurn(tx, accountId, kind);
  if ((await tx.countBy(things, { accountId })) > most) throw refuse(most);
}
