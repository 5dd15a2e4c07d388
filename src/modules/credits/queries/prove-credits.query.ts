import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { BALANCES } from '../domain/balances.js';
import type { CreditProofAnswer } from '../http/credit.dto.js';

/** Compares every balance of an account with the sum of its ledger, in one consistent read. */
export class ProveCreditsQuery extends Query<CreditProofAnswer[]> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(ProveCreditsQuery)
export class ProveCreditsHandler implements IQueryHandler<ProveCreditsQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** One statement, so that a debit between two reads never looks like a fault. SUM comes as DECIMAL, hence the CAST. */
  async execute({ accountId }: ProveCreditsQuery): Promise<CreditProofAnswer[]> {
    const rows = await this.dataSource.query<{ balance: string; stored: number; ledger: number }[]>(
      `SELECT b.balance AS balance, b.available AS stored,
              CAST(COALESCE((SELECT SUM(l.amount) FROM credit_ledger l
                             WHERE l.account_id = b.account_id AND l.balance = b.balance), 0) AS SIGNED) AS ledger
       FROM credit_balances b WHERE b.account_id = ?`,
      [accountId],
    );
    const found = new Map(rows.map((row) => [row.balance, row]));
    return BALANCES.map((balance) => {
      const { stored = 0, ledger = 0 } = found.get(balance) ?? {};
      return { balance, stored, ledger, ok: stored === ledger };
    });
  }
}
