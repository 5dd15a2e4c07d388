import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { type BalanceName, BALANCES } from '../domain/balances.js';
import { CreditBalanceEntity } from '../persistence/credit-balance.entity.js';

/** One balance as the API shows it. */
export interface BalanceView {
  balance: BalanceName;
  available: number;
}

/** The six balances of an account, in the order of reference/credits#balances. */
export class GetBalancesQuery extends Query<BalanceView[]> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(GetBalancesQuery)
export class GetBalancesHandler implements IQueryHandler<GetBalancesQuery> {
  constructor(@InjectRepository(CreditBalanceEntity) private readonly balances: Repository<CreditBalanceEntity>) {}

  async execute({ accountId }: GetBalancesQuery): Promise<BalanceView[]> {
    const rows = await this.balances.findBy({ accountId });
    const stored = new Map(rows.map((row) => [row.balance, row.available]));
    return BALANCES.map((balance) => ({ balance, available: stored.get(balance) ?? 0 }));
  }
}
