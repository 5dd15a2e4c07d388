import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type BalanceName, BALANCES } from '../domain/balances.js';
import type { ClosingProofAnswer, CreditProofAnswer } from '../http/credit.dto.js';

/** Compares every balance of an account with its ledger: the last closing, and the entries since. */
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

/** What stands in no closing yet. */
const SINCE = 'COALESCE((SELECT MAX(m.closed_id) FROM credit_months m), 0)';

@QueryHandler(ProveCreditsQuery)
export class ProveCreditsHandler implements IQueryHandler<ProveCreditsQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** One statement, so that a debit between two reads never looks like a fault. SUM comes as DECIMAL, hence the CAST. */
  async execute({ accountId, withClosings }: ProveCreditsQuery): Promise<CreditProofAnswer[]> {
    const rows = await this.dataSource.query<{ balance: BalanceName; stored: number; ledger: number }[]>(
      `SELECT b.balance AS balance, b.available AS stored,
         CAST(COALESCE((SELECT c.closing FROM credit_closings c WHERE c.account_id = b.account_id
             AND c.balance = b.balance ORDER BY c.month DESC LIMIT 1), 0)
           + COALESCE((SELECT SUM(l.amount) FROM credit_ledger l WHERE l.account_id = b.account_id
             AND l.balance = b.balance AND l.id > ${SINCE}), 0) AS SIGNED) AS ledger
       FROM credit_balances b WHERE b.account_id = ?`,
      [accountId],
    );
    const found = new Map(rows.map((row) => [row.balance, row]));
    const closings = withClosings ? await this.closings(accountId) : null;
    return BALANCES.map((balance) => {
      const { stored = 0, ledger = 0 } = found.get(balance) ?? {};
      const proof = { balance, stored, ledger, ok: stored === ledger };
      if (!closings) return proof;
      const own = closings.get(balance) ?? [];
      return { ...proof, ok: proof.ok && own.every(({ ok }) => ok), closings: own };
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
