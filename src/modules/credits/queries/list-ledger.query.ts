import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { dateTime } from '../../../kernel/clock.js';
import { type BalanceName, BALANCES, type LedgerKind } from '../domain/balances.js';
import type { LedgerEntryAnswer } from '../http/credit.dto.js';

/** One page of an account's ledger, newest first; `balance` null = all six. */
export class ListLedgerQuery extends Query<{ entries: LedgerEntryAnswer[]; total: number }> {
  constructor(
    readonly accountId: number,
    readonly timeZone: string,
    readonly balance: BalanceName | null,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

interface LedgerRow {
  id: number;
  balance: BalanceName;
  amount: number;
  available: number;
  kind: LedgerKind;
  request_id: string | null;
  note: string | null;
  created_at: Date;
}

/** Ids of one balance are a range of its key, newest first. */
const NEWEST_OF_ONE = '(SELECT id FROM credit_ledger WHERE account_id = ? AND balance = ? ORDER BY id DESC LIMIT ?)';

@QueryHandler(ListLedgerQuery)
export class ListLedgerHandler implements IQueryHandler<ListLedgerQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * The key begins with account and balance, so the newest entries of several balances are those of each, merged: a page
   * costs what stands before it, not the account's whole ledger.
   */
  async execute(query: ListLedgerQuery): Promise<{ entries: LedgerEntryAnswer[]; total: number }> {
    const { accountId, page, limit, timeZone } = query;
    const balances = query.balance === null ? BALANCES : [query.balance];
    const [counted] = await this.dataSource.query<{ total: number }[]>(
      'SELECT COUNT(*) AS total FROM credit_ledger WHERE account_id = ? AND balance IN (?)',
      [accountId, balances],
    );
    const total = Number(counted?.total ?? 0);
    const offset = (page - 1) * limit;
    if (offset >= total) return { entries: [], total };
    const rows = await this.dataSource.query<LedgerRow[]>(
      `SELECT l.id, l.balance, l.amount, l.available, l.kind, l.request_id, l.note, l.created_at FROM (
         SELECT id FROM (${balances.map(() => NEWEST_OF_ONE).join(' UNION ALL ')}) n ORDER BY id DESC LIMIT ? OFFSET ?) p
       JOIN credit_ledger l ON l.id = p.id ORDER BY l.id DESC`,
      [...balances.flatMap((balance) => [accountId, balance, offset + limit]), limit, offset],
    );
    return {
      entries: rows.map(({ created_at, ...row }) => ({ ...row, created_at: dateTime(created_at, timeZone) })),
      total,
    };
  }
}
