import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type BalanceName, BALANCES } from '../domain/balances.js';
import type { LedgerOpeningAnswer } from '../http/credit.dto.js';

/** What balances stood at before the first entry that is kept; none where all entries are. `balance` null = all six. */
export class GetLedgerOpeningQuery extends Query<LedgerOpeningAnswer[]> {
  constructor(
    readonly accountId: number,
    readonly balance: BalanceName | null,
  ) {
    super();
  }
}

@QueryHandler(GetLedgerOpeningQuery)
export class GetLedgerOpeningHandler implements IQueryHandler<GetLedgerOpeningQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async execute({ accountId, balance }: GetLedgerOpeningQuery): Promise<LedgerOpeningAnswer[]> {
    const balances = balance === null ? BALANCES : [balance];
    const rows = await this.dataSource.query<LedgerOpeningAnswer[]>(
      `SELECT b.balance, c.closing AS available, DATE_FORMAT(LAST_DAY(c.month), '%Y-%m-%d') AS until FROM credit_balances b
       JOIN credit_closings c ON c.account_id = b.account_id AND c.balance = b.balance AND c.month = (
         SELECT k.month FROM credit_closings k FORCE INDEX (PRIMARY)
         STRAIGHT_JOIN credit_months m ON m.month = k.month AND m.removed = 1
         WHERE k.account_id = b.account_id AND k.balance = b.balance ORDER BY k.account_id DESC, k.balance DESC, k.month DESC LIMIT 1)
       WHERE b.account_id = ? AND b.balance IN (?)`,
      [accountId, balances],
    );
    return balances.flatMap((name) => rows.filter((row) => row.balance === name));
  }
}
