import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { BALANCES } from '../domain/balances.js';
import type { BalanceAnswer } from '../http/credit.dto.js';
import { CreditBalanceEntity } from '../persistence/credit-balance.entity.js';

/** The six balances of an account, in the order of reference/credits#balances. */
export class GetBalancesQuery extends Query<BalanceAnswer[]> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(GetBalancesQuery)
export class GetBalancesHandler implements IQueryHandler<GetBalancesQuery> {
  constructor(@InjectRepository(CreditBalanceEntity) private readonly balances: Repository<CreditBalanceEntity>) {}

  async execute({ accountId }: GetBalancesQuery): Promise<BalanceAnswer[]> {
    const rows = await this.balances.findBy({ accountId });
    const stored = new Map(rows.map((row) => [row.balance, row.available]));
    return BALANCES.map((balance) => ({ balance, available: stored.get(balance) ?? 0 }));
  }
}
