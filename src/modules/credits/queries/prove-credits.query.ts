import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type BalanceName, BALANCES } from '../domain/balances.js';
import type { ClosingProofAnswer, CreditProofAnswer } from '../http/credit.dto.js';

/** Compares every balance of an account with its ledger (the last closing, and the entries since), and the ledger with usage. */
export class ProveCreditsQuery extends Query<CreditProofAnswer[]> {
  /** @param withClosings also each closing with the one before it and its month's entries, as long as these are kept */
  constructor(
    readonly accountId: number,
    readonly withClosings = false,
  ) {
    super();
  }
}

interface ClosingRow {
  balance: BalanceName;
  month: string;
  entries: number;
  moved: number;
  closing: number;
  after_id: number;
  closed_id: number;
  removed: number;
}

interface ProofRow {
  balance: BalanceName;
  available: number;
  ledger: number;
  ledgerCharged: number;
  ledgerRefunded: number;
  charged: number;
  refunded: number;
}

/** Of a balance that there is not. */
const NOTHING = { available: 0, ledger: 0, ledgerCharged: 0, ledgerRefunded: 0, charged: 0, refunded: 0 };

function proofOf({
  balance,
  available,
  ledger,
  ledgerCharged,
  ledgerRefunded,
  charged,
  refunded,
}: ProofRow): CreditProofAnswer {
  const isUsed = charged === ledgerCharged && refunded === ledgerRefunded;
  const usage = { charged, refunded, ledger_charged: ledgerCharged, ledger_refunded: ledgerRefunded, ok: isUsed };
  return { balance, stored: available, ledger, usage, ok: available === ledger && isUsed };
}

/** What stands in no closing yet. */
const SINCE = 'COALESCE((SELECT MAX(m.closed_id) FROM credit_months m), 0)';

@QueryHandler(ProveCreditsQuery)
export class ProveCreditsHandler implements IQueryHandler<ProveCreditsQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * One statement, so that a debit between two reads never looks like a fault. SUM comes as DECIMAL, hence the CAST. Debits
   * and refunds are those of every closing and of the entries since.
   */
  async execute({ accountId, withClosings }: ProveCreditsQuery): Promise<CreditProofAnswer[]> {
    const rows = await this.dataSource.query<ProofRow[]>(
      `SELECT b.balance AS balance, b.available,
         CAST(COALESCE((SELECT c.closing FROM credit_closings c WHERE c.account_id = b.account_id
             AND c.balance = b.balance ORDER BY c.account_id DESC, c.balance DESC, c.month DESC LIMIT 1), 0) + COALESCE(l.moved, 0) AS SIGNED) AS ledger,
         CAST(COALESCE(c.charged, 0) + COALESCE(l.charged, 0) AS SIGNED) AS ledgerCharged,
         CAST(COALESCE(c.refunded, 0) + COALESCE(l.refunded, 0) AS SIGNED) AS ledgerRefunded,
         CAST(COALESCE(u.charged, 0) AS SIGNED) AS charged, CAST(COALESCE(u.refunded, 0) AS SIGNED) AS refunded
       FROM credit_balances b
       LEFT JOIN (SELECT balance, SUM(amount) AS moved, SUM(IF(kind = 'debit', -amount, 0)) AS charged,
           SUM(IF(kind = 'refund', amount, 0)) AS refunded FROM credit_ledger FORCE INDEX (ix_credit_ledger_account)
         WHERE account_id = ? AND balance IN (?) AND id > ${SINCE} GROUP BY balance) l ON l.balance = b.balance
       LEFT JOIN (SELECT balance, SUM(charged) AS charged, SUM(refunded) AS refunded FROM credit_closings
         WHERE account_id = ? GROUP BY balance) c ON c.balance = b.balance
       LEFT JOIN (SELECT balance, SUM(charged_credits) AS charged, SUM(refunded_credits) AS refunded FROM usage_counters
         WHERE account_id = ? GROUP BY balance) u ON u.balance = b.balance
       WHERE b.account_id = ?`,
      [accountId, BALANCES, accountId, accountId, accountId],
    );
    const found = new Map(rows.map((row) => [row.balance, row]));
    const closings = withClosings ? await this.closings(accountId) : null;
    return BALANCES.map((balance) => {
      const proof = proofOf(found.get(balance) ?? { ...NOTHING, balance });
      if (!closings) return proof;
      const own = closings.get(balance) ?? [];
      return Object.assign(proof, { ok: proof.ok && own.every(({ ok }) => ok), closings: own });
    });
  }

  private async closings(accountId: number): Promise<Map<BalanceName, ClosingProofAnswer[]>> {
    const rows = await this.dataSource.query<ClosingRow[]>(
      `SELECT c.balance, DATE_FORMAT(c.month, '%Y-%m') AS month, c.entries, c.moved, c.closing,
         m.after_id, m.closed_id, m.removed
       FROM credit_closings c JOIN credit_months m ON m.month = c.month
       WHERE c.account_id = ? ORDER BY c.balance, c.month`,
      [accountId],
    );
    const proved = new Map<BalanceName, ClosingProofAnswer[]>();
    for (const row of rows) {
      const own = proved.get(row.balance) ?? [];
      const follows = (own.at(-1)?.closing ?? 0) + row.moved === row.closing;
      const ok = follows && (row.removed === 1 || (await this.isOfItsEntries(accountId, row)));
      proved.set(row.balance, [...own, { month: row.month, moved: row.moved, closing: row.closing, ok }]);
    }
    return proved;
  }

  private async isOfItsEntries(accountId: number, row: ClosingRow): Promise<boolean> {
    const [sum] = await this.dataSource.query<{ entries: number; moved: number }[]>(
      `SELECT CAST(COUNT(*) AS SIGNED) AS entries, CAST(COALESCE(SUM(amount), 0) AS SIGNED) AS moved FROM credit_ledger
       WHERE account_id = ? AND balance = ? AND id > ? AND id <= ?`,
      [accountId, row.balance, row.after_id, row.closed_id],
    );
    return sum?.entries === row.entries && sum.moved === row.moved;
  }
}
