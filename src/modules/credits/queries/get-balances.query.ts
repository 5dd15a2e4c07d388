import { Query } from '@nestjs/cqrs';
import type { BalanceName } from '../domain/balances.js';

/** One balance as the API shows it. */
export interface BalanceView {
  balance: BalanceName;
  available: number;
}

/** The six balances of an account, in the order of decisions §5. */
export class GetBalancesQuery extends Query<BalanceView[]> {
  constructor(readonly accountId: number) {
    super();
  }
}
