import type { EntityManager, EntityTarget } from 'typeorm';
import { type AppError, atMost, invalid } from '../../kernel/errors.js';
import type { WriteResult } from '../../platform/database/index.js';

export type QuotaKind =
  | 'templates'
  | 'profile_requests'
  | 'api_keys'
  | 'users'
  | 'suppressions'
  | 'routing_tables'
  | 'sender_ids'
  | 'uploads'
  | 'lists'
  | 'keywords'
  | 'calls'
  | 'inbound_numbers';

/** Serializes additions to a kind until the transaction ends. @returns the number from `recordUsed` */
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

/** Stores the number of a kind that is not counted row by row. The caller holds the quota's row. */
export async function recordUsed(tx: EntityManager, accountId: number, kind: QuotaKind, used: number): Promise<void> {
  await tx.query('UPDATE account_quotas SET used = ? WHERE account_id = ? AND kind = ?', [used, accountId, kind]);
}

/** Call after the insertion, in its transaction; counts all rows, so use it for thousands at most. @throws from `refuse` */
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
      hint: 'STORAGE_PER_ACCOUNT bounds uploads, lists, audio and templates together: remove those that are no longer used. `GET /v6/api/account/usage` shows how much is stored.',
    })
    .shown(1_073_741_824),
};

/**
 * Counts written bytes (negative = removed). Call after the account's other rows, before balances and events: the lock order of
 * `inTransaction`. @param most STORAGE_PER_ACCOUNT @throws AppError invalid `At most 1073741824 stored bytes are allowed`
 */
export async function addStored(tx: EntityManager, accountId: number, bytes: number, most: number): Promise<void> {
  if (bytes <= 0) return freeStored(tx, accountId, -bytes);
  if (await addedWithin(tx, accountId, bytes, most)) return;
  // First bytes of the account. ON DUPLICATE KEY UPDATE locks the row at once, so two transactions never wait for each other.
  await tx.query(
    'INSERT INTO account_storage (account_id, bytes) VALUES (?, 0) ON DUPLICATE KEY UPDATE bytes = bytes + 0',
    [accountId],
  );
  if (!(await addedWithin(tx, accountId, bytes, most))) throw storageErrors.full(most);
}

/** Subtracts removed bytes; the count never falls below 0. */
export async function freeStored(tx: EntityManager, accountId: number, bytes: number): Promise<void> {
  if (bytes <= 0) return;
  await tx.query('UPDATE account_storage SET bytes = GREATEST(bytes, ?) - ? WHERE account_id = ?', [
    bytes,
    bytes,
    accountId,
  ]);
}

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
