import type { EntityManager } from 'typeorm';
import type { WriteResult } from '../../../platform/database/index.js';
import type { BalanceName } from '../domain/balances.js';
import type { Usage } from '../domain/usage.js';
import { countUsage } from './usage-counters.js';

/** The charge of one request. */
interface SingleCharge {
  accountId: number;
  balance: BalanceName;
  requestId: string;
  amount: number;
  createdBy?: string | null;
  usage: Usage;
}

/**
 * What a debit of one charge comes to, which most requests are: the same as the debit of many, by statements that need no
 * list. The UPDATE's insertId brings back what is left, and in its last bit whether that has fallen below what the account
 * wants to be told of.
 * @returns null when there is less
 */
export async function debitOne(tx: EntityManager, charge: SingleCharge): Promise<{ isLow: boolean } | null> {
  const { accountId, balance, requestId, amount, usage, createdBy = null } = charge;
  const taken = await tx.query<WriteResult>(
    `UPDATE credit_balances SET available = available - ? + 0 * LAST_INSERT_ID(
       (available - ?) * 2 + IF(available >= alert_below AND available - ? < alert_below, 1, 0))
     WHERE account_id = ? AND balance = ? AND available >= ?`,
    [amount, amount, amount, accountId, balance, amount],
  );
  if (taken.affectedRows !== 1) return null;
  const left = Math.floor(taken.insertId / 2);
  const { insertId } = await tx.query<WriteResult>(
    `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, note, created_by, created_at)
     VALUES (?, ?, ?, ?, 'debit', ?, NULL, ?, UTC_TIMESTAMP(3))`,
    [accountId, balance, -amount, left, requestId, createdBy],
  );
  const [share, ...others] = usage.shares;
  if (share && others.length === 0) {
    await tx.query(
      `INSERT INTO usage_counters (account_id, day, balance, channel, prefix, sender,
         charged_recipients, charged_credits, refunded_recipients, refunded_credits)
       SELECT account_id, DATE(created_at), balance, ?, ?, ?, ?, ?, 0, 0 FROM credit_ledger WHERE id = ?
       ON DUPLICATE KEY UPDATE charged_recipients = charged_recipients + VALUES(charged_recipients),
         charged_credits = charged_credits + VALUES(charged_credits)`,
      [usage.channel, share.prefix, share.sender, share.recipients, share.credits, insertId],
    );
  } else await countUsage(tx, 'debit', insertId, [charge]);
  return { isLow: taken.insertId % 2 === 1 };
}
