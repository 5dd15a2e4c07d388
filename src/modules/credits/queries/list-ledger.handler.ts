import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { dateTime } from '../../../kernel/clock.js';
import type { BalanceName, LedgerKind } from '../domain/balances.js';
import { CreditLedgerEntity } from '../persistence/credit-ledger.entity.js';
import { type LedgerEntryView, ListLedgerQuery } from './list-ledger.query.js';

@QueryHandler(ListLedgerQuery)
export class ListLedgerHandler implements IQueryHandler<ListLedgerQuery> {
  constructor(@InjectRepository(CreditLedgerEntity) private readonly ledger: Repository<CreditLedgerEntity>) {}

  async execute(query: ListLedgerQuery): Promise<{ entries: LedgerEntryView[]; total: number }> {
    const [rows, total] = await this.ledger.findAndCount({
      where: { accountId: query.accountId, ...(query.balance ? { balance: query.balance } : {}) },
      order: { id: 'DESC' },
      skip: (query.page - 1) * query.limit,
      take: query.limit,
    });
    return { entries: rows.map((row) => view(row, query.timeZone)), total };
  }
}

const view = (row: CreditLedgerEntity, zone: string): LedgerEntryView => ({
  id: row.id,
  balance: row.balance as BalanceName,
  amount: row.amount,
  available: row.available,
  kind: row.kind as LedgerKind,
  request_id: row.requestId,
  note: row.note,
  created_at: dateTime(row.createdAt, zone),
});
