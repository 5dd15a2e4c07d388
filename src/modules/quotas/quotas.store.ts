import type { EntityManager, EntityTarget } from 'typeorm';
import { type AppError, atMost, invalid } from '../../kernel/errors.js';
import type { WriteResult } from '../../platform/database/index.js';

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
 * @returns how many were noted by `recordUsed`
 */
export async function lockQuota(tx: EntityManager, accountId: number, kind: QuotaKind): Promise<number> {
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
export async function recordUsed(tx: EntityManager, accountId: number, kind: QuotaKind, used: number): Promise<void> {
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
  await lockQuota(tx, accountId, kind);
  if ((await tx.countBy(things, { accountId })) > most) throw refuse(most);
}

/** Bytes that a recipient or a template counts besides its texts. */
export const ROW_BYTES = 64;

export const storageErrors = {
  full: invalid(
    'storage_full',
    (most: number) => atMost(most, 'stored bytes'),
    'STORAGE_PER_ACCOUNT; uploads, lists, audio and templates together, until their rows are gone',
  )
    .with({
      hint: 'STORAGE_PER_ACCOUNT bounds uploads, lists, audio and templates together: remove those that are no longer used. `GET /v6/api/account/usage` tells how much is stored.',
    })
    .shown(1_073_741_824),
};

/**
 * Counts bytes that this transaction writes, or with a negative number removes. To be called behind its other rows of the
 * account, before balances and events: the lock order of `inTransaction`.
 * @param most bytes in all (STORAGE_PER_ACCOUNT)
 * @throws AppError invalid `At most 1073741824 stored bytes are allowed`
 */
export async function addStored(tx: EntityManager, accountId: number, bytes: number, most: number): Promise<void> {
  if (bytes <= 0) return freeStored(tx, accountId, -bytes);
  if (await addedWithin(tx, accountId, bytes, most)) return;
  // The account may store its first bytes. The update of a duplicate locks the row at once: two of them never wait for each other.
  await tx.query(
    'INSERT INTO account_storage (account_id, bytes) VALUES (?, 0) ON DUPLICATE KEY UPDATE bytes = bytes + 0',
    [accountId],
  );
  if (!(await addedWithin(tx, accountId, bytes, most))) throw storageErrors.full(most);
}

/** Takes off bytes of rows that this transaction removes; the count never falls below 0. */
export async function freeStored(tx: EntityManager, accountId: number, bytes: number): Promise<void> {
  if (bytes <= 0) return;
  await tx.query('UPDATE account_storage SET bytes = GREATEST(bytes, ?) - ? WHERE account_id = ?', [
    bytes,
    bytes,
    accountId,
  ]);
}

/** Bytes that an account stores now. */
export async function storedBytes(source: Pick<EntityManager, 'query'>, accountId: number): Promise<number> {
  const [row] = await source.query<{ bytes: number | string }[]>(
    'SELECT bytes FROM account_storage WHERE account_id = ?',
    [accountId],
  );
  return Number(row?.bytes ?? 0);
}

async function addedWithin(tx: EntityManager, accountId: number, bytes: number, most: number): Promise<boolean> {
  const { affectedRows }: WriteResult = await tx.query(
    'UPDATE account_storage SET bytes = bytes + ? WHERE account_id = ? AND bytes + ? <= ?',
    [bytes, accountId, bytes, most],
  );
  return affectedRows === 1;
}
