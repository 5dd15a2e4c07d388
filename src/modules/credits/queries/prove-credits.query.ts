import { Query } from '@nestjs/cqrs';
import type { BalanceName } from '../domain/balances.js';

/** The proof of one balance: what is stored, what the ledger adds up to, whether they agree. */
export interface CreditProof {
  balance: BalanceName;
  stored: number;
  ledger: number;
  ok: boolean;
}

/** Compares every balance of an account with the sum of its ledger, in one consistent read. */
export class ProveCreditsQuery extends Query<CreditProof[]> {
  constructor(readonly accountId: number) {
    super();
  }
}
