import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTime } from '../../../kernel/clock.js';
import { makerForOwner } from '../../../kernel/maker.js';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { inListedOrder, listKeys, ReadDatabase } from '../../../platform/database/index.js';
import { type BalanceName, BALANCES, type LedgerKind } from '../domain/balances.js';
import type { LedgerEntryAnswer } from '../http/credit.dto.js';

/** A part of an account's ledger, newest first; `balance` null = all six. */
export class ListLedgerQuery extends Query<Listed<LedgerEntryAnswer>> {
  constructor(
    readonly accountId: number,
    readonly timeZone: string,
    readonly balance: BalanceName | null,
    readonly page: Page,
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
  created_by: string | null;
  created_at: Date;
}

@QueryHandler(ListLedgerQuery)
export class ListLedgerHandler implements IQueryHandler<ListLedgerQuery> {
  constructor(private readonly reads: ReadDatabase) {}

  /** The key begins with account and balance, so the newest entries of several balances are those of each, merged. */
  async execute({ accountId, timeZone, balance, page }: ListLedgerQuery): Promise<Listed<LedgerEntryAnswer>> {
    const balances = balance === null ? BALANCES : [balance];
    const ranges = balances.map((one) => ({ where: 'account_id = ? AND balance = ?', values: [accountId, one] }));
    const list = {
      table: 'credit_ledger',
      index: 'ix_credit_ledger_account',
      key: 'id',
      order: 'DESC',
      ranges,
    } as const;
    const session = await this.reads.session();
    const ids = await listKeys<number>(session, list, page);
    if (ids.items.length === 0) return { ...ids, items: [] };
    const rows = await session.query<LedgerRow[]>(
      'SELECT id, balance, amount, available, kind, request_id, note, created_by, created_at FROM credit_ledger WHERE id IN (?)',
      [ids.items],
    );
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      ({ created_at, created_by, ...row }) => ({
        ...row,
        created_by: makerForOwner(created_by),
        created_at: dateTime(created_at, timeZone),
      }),
    );
  }
}
