import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import type { CustomerEvents } from '../../customer-events/index.js';
import type { BalanceName } from '../domain/balances.js';

/** What was taken from a balance in this transaction. */
export type Taken = readonly [accountId: number, balance: BalanceName, amount: number];

/**
 * Part of a debit's own UPDATE (credit_balances as `b`, what it takes as `j.amount`): adds nothing to the balance, and makes
 * the answer's insertId other than 0 where a balance falls below what its account wants to be told of. So accounts without
 * such a threshold cost no statement more.
 */
export const NOTE_LOW = `IF(b.available >= b.alert_below AND b.available - j.amount < b.alert_below,
  0 * LAST_INSERT_ID(b.account_id), 0)`;

/**
 * Tells accounts of the balances that have just fallen below their thresholds (reference/credits#alerts).
 * @param taken by a debit of this transaction, whose balances it holds
 */
export async function tellOfLow(tx: EntityManager, events: CustomerEvents, taken: readonly Taken[]): Promise<void> {
  const rows = await tx.query<{ accountId: number; balance: BalanceName; available: number; threshold: number }[]>(
    `SELECT STRAIGHT_JOIN b.account_id AS accountId, b.balance, b.available, b.alert_below AS threshold
     FROM JSON_TABLE(?, '$[*]' COLUMNS (account_id BIGINT PATH '$[0]',
         balance VARCHAR(32) CHARACTER SET ascii PATH '$[1]', amount BIGINT PATH '$[2]')) j
       JOIN credit_balances b FORCE INDEX (PRIMARY) ON b.account_id = j.account_id AND b.balance = j.balance
     WHERE b.available < b.alert_below AND b.available + j.amount >= b.alert_below`,
    [jsonRows(taken)],
  );
  await events.publish(
    tx,
    rows.map(({ accountId, balance, available, threshold }) => {
      const type = 'account.balance.low';
      return { accountId, type, body: { event: type, balance, available, threshold } };
    }),
  );
}
