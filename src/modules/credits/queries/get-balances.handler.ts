import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { BALANCES } from '../domain/balances.js';
import { CreditBalanceEntity } from '../persistence/credit-balance.entity.js';
import { type BalanceView, GetBalancesQuery } from './get-balances.query.js';

@QueryHandler(GetBalancesQuery)
export class GetBalancesHandler implements IQueryHandler<GetBalancesQuery> {
  constructor(@InjectRepository(CreditBalanceEntity) private readonly balances: Repository<CreditBalanceEntity>) {}

  async execute({ accountId }: GetBalancesQuery): Promise<BalanceView[]> {
    const rows = await this.balances.findBy({ accountId });
    const stored = new Map(rows.map((row) => [row.balance, row.available]));
    return BALANCES.map((balance) => ({ balance, available: stored.get(balance) ?? 0 }));
  }
}
